/// A binary frame between sentences (UBX, RTCM 3, CASIC), if its checksum is valid: no wrong length hides a sentence.
package enum BinaryFrame {
  /// Undecided; more bytes are needed.
  case incomplete
  /// Complete with a valid checksum; length in bytes.
  case complete(length: Int)
  case none

  /// Maximum length of a frame between sentences, bytes.
  static let bound = 1032
  /// Maximum length of a UBX frame of the classes NAV, RXM and MON between sentences: NAV-SAT with 255 satellites.
  static let longBound = 3076
  /// Maximum length of a UBX frame whose length does not depend on what is in view, with room for later versions.
  static let fixedBound = 256
  /// Maximum length of any message of a receiver, bytes: NAV-SIG with 255 signals.
  package static let longest = 4096

  static func mayBegin(_ byte: UInt8) -> Bool { byte == 0xB5 || byte == 0xD3 || byte == 0xBA }

  /// `count` ≥ 1. A frame longer than `limit`, or else than its kind may be between sentences, is none.
  static func scan(_ base: UnsafePointer<UInt8>, count: Int, limit: Int? = nil) -> BinaryFrame {
    switch base[0] {
    case 0xB5: ubx(base, count: count, limit)
    case 0xD3: rtcm3(base, count: count, limit ?? bound)
    case 0xBA: casic(base, count: count, limit ?? bound)
    default: .none
    }
  }

  /// `B5 62`, class, id, little-endian length, payload, two-byte Fletcher checksum (u-blox M8 protocol).
  private static func ubx(_ base: UnsafePointer<UInt8>, count: Int, _ limit: Int?) -> BinaryFrame {
    guard count >= 2 else { return .incomplete }
    guard base[1] == 0x62 else { return .none }
    guard count >= 6 else { return .incomplete }
    let length = (Int(base[4]) | Int(base[5]) << 8) + 8
    guard length <= fixedBound || length <= limit ?? ubxBound(base) else { return .none }
    guard count >= length else { return .incomplete }
    // A byte counts in `b` as often as there are bytes from it on: written so, many are added at once.
    var (a, b): (UInt8, UInt8) = (0, 0)
    var weight = UInt8(truncatingIfNeeded: length - 4)
    for index in 2..<length - 2 {
      a &+= base[index]
      b &+= weight &* base[index]
      weight &-= 1
    }
    return a == base[length - 2] && b == base[length - 1] ? .complete(length: length) : .none
  }

  /// Maximum length of a UBX frame between sentences: a damaged length is not waited for longer than is necessary.
  private static func ubxBound(_ base: UnsafePointer<UInt8>) -> Int {
    if let type = UBXType(rawValue: UInt16(base[2]) << 8 | UInt16(base[3])), !type.isVariable { return fixedBound }
    return base[2] == 0x01 || base[2] == 0x02 || base[2] == 0x0A ? longBound : bound
  }

  /// `D3`, six zero bits, 10-bit length, payload, CRC-24Q (RTCM 10403.3).
  private static func rtcm3(_ base: UnsafePointer<UInt8>, count: Int, _ bound: Int) -> BinaryFrame {
    guard count >= 2 else { return .incomplete }
    guard base[1] & 0xFC == 0 else { return .none }
    guard count >= 3 else { return .incomplete }
    guard let length = rtcmLength(base), length <= bound else { return .none }
    guard count >= length else { return .incomplete }
    var remainder: UInt32 = 0
    for index in 0..<length {
      remainder = remainder << 8 ^ crc24q[Int(remainder >> 16 & 0xFF ^ UInt32(base[index]))]
    }
    return remainder & 0xFF_FFFF == 0 ? .complete(length: length) : .none
  }

  /// The length of a frame of RTCM 3 by its first three bytes; `nil` if they begin none.
  static func rtcmLength(_ base: UnsafePointer<UInt8>) -> Int? {
    base[1] & 0xFC == 0 ? (Int(base[1]) << 8 | Int(base[2])) + 6 : nil
  }

  /// The remainders of each byte by the polynomial of CRC-24Q.
  private static let crc24q: [256 of UInt32] = .init { byte in
    (0..<8).reduce(UInt32(byte) << 16) { remainder, _ in
      remainder << 1 ^ (remainder & 0x80_0000 == 0 ? 0 : 0x186_4CFB)
    }
  }

  /// `BA CE`, little-endian length, class, id, payload, 32-bit sum (CASIC protocol).
  private static func casic(_ base: UnsafePointer<UInt8>, count: Int, _ bound: Int) -> BinaryFrame {
    guard count >= 2 else { return .incomplete }
    guard base[1] == 0xCE else { return .none }
    guard count >= 6 else { return .incomplete }
    let payload = Int(base[2]) | Int(base[3]) << 8
    let length = payload + 10
    guard length <= bound, payload % 4 == 0 else { return .none }
    guard count >= length else { return .incomplete }
    func word(_ index: Int) -> UInt32 {
      UInt32(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt32.self))
    }
    var sum = UInt32(base[5]) << 24 &+ UInt32(base[4]) << 16 &+ UInt32(payload)
    for index in stride(from: 6, to: length - 4, by: 4) { sum &+= word(index) }
    return sum == word(length - 4) ? .complete(length: length) : .none
  }

  /// Fletcher's checksum of what a message of u-blox or Allystar has between its first two bytes and the checksum.
  static func fletcher(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let (a, b) = bytes.reduce((UInt8(0), UInt8(0))) { ($0.0 &+ $1, $0.1 &+ $0.0 &+ $1) }
    return [a, b]
  }

  /// Scans the frame of up to `longest` bytes that begins at an index of `bytes`.
  package static func scan(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> BinaryFrame {
    guard let base = bytes.baseAddress, index < bytes.count else { return .none }
    return scan(base + index, count: bytes.count - index, limit: longest)
  }
}

/// A TAG block, `\s:gps1,c:1774000000*hh\`, before a sentence (NMEA 4): skipped, without effect on it if malformed.
enum TagBlock {
  case incomplete
  /// Complete with a valid checksum; length in bytes, including both backslashes.
  case complete(length: Int)
  /// Malformed; number of bytes to skip.
  case malformed(length: Int)

  /// Maximum length, bytes, including both backslashes.
  static let bound = 256

  static func scan(_ base: UnsafePointer<UInt8>, count: Int) -> TagBlock {
    var checksum: UInt8 = 0
    var star: Int?
    var index = 1
    while index < min(count, bound) {
      let byte = base[index]
      switch byte {
      case 0x5C:
        guard let star, index == star + 3, Hexadecimal.byte(base[star + 1], base[star + 2]) == checksum else {
          return .malformed(length: index + 1)
        }
        return .complete(length: index + 1)
      case 0x24, 0x21, 0x00...0x1F, 0x7F...0xFF:
        return .malformed(length: index)
      case 0x2A where star == nil:
        star = index
      default:
        if star == nil { checksum ^= byte }
      }
      index += 1
    }
    return index == bound ? .malformed(length: index) : .incomplete
  }
}

extension UBXFrame {
  /// The frame that the bytes consist of, if its length and checksum are valid.
  package init?(whole bytes: UnsafeRawBufferPointer) {
    let text = bytes.assumingMemoryBound(to: UInt8.self)
    guard bytes.first == 0xB5, case .complete(length: bytes.count) = BinaryFrame.scan(text, at: 0) else { return nil }
    self.init(bytes)
  }
}
