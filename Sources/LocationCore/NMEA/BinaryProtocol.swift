/// What a source sends instead of sentences: a protocol, by a whole frame with its check, sentences that are not read, or
/// the text of a console.
package enum BinaryProtocol: String, Hashable, Sendable, CaseIterable {
  case sirf = "SiRF binary", skytraq = "SkyTraq binary", garmin = "Garmin binary", trimble = "Trimble TSIP"
  case novatel = "NovAtel binary", unicore = "Unicore binary", septentrio = "Septentrio SBF", mediatek = "MTK binary"
  case allystar = "Allystar binary", casic = "CASIC binary", rtcm = "RTCM 3", rtcm2 = "RTCM 2"
  case unchecked = "NMEA 0183 without checksums", damaged = "NMEA 0183 with wrong checksums"
  case console = "the text of a console"

  /// The protocol of the first whole frame in `bytes`, of these protocols.
  init?(in bytes: UnsafeBufferPointer<UInt8>, of protocols: [Self] = allCases) {
    for index in bytes.indices {
      let rest = UnsafeBufferPointer(rebasing: bytes[index...])
      if let found = protocols.first(where: { $0.begins(rest) }) {
        self = found
        return
      }
    }
    return nil
  }

  private func begins(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    func byte(_ index: Int) -> Int { index < bytes.count ? Int(bytes[index]) : -1 }
    func starts(_ mark: [UInt8]) -> Bool { bytes.starts(with: mark) }
    func text(_ text: StaticString) -> Bool { text.withUTF8Buffer { bytes.starts(with: $0) } }
    func word(_ index: Int) -> Int { byte(index) | byte(index + 1) << 8 }
    func bigWord(_ index: Int) -> Int { byte(index) << 8 | byte(index + 1) }
    switch self {
    case .sirf:
      // Length, payload, the sum of its bytes in 15 bits.
      let length = bigWord(2)
      return starts([0xA0, 0xA2]) && 1...1023 ~= length && byte(6 + length) == 0xB0 && byte(7 + length) == 0xB3
        && bytes[4..<4 + length].reduce(0) { $0 + Int($1) } & 0x7FFF == bigWord(4 + length)
    case .skytraq:
      let length = bigWord(2)
      return starts([0xA0, 0xA1]) && 1...1023 ~= length && byte(5 + length) == 0x0D && byte(6 + length) == 0x0A
        && Int(bytes[4..<4 + length].reduce(0, ^)) == byte(4 + length)
    case .garmin:
      // The sum of all from the identifier to the checksum is 0; a length of 10h is doubled.
      guard let (content, _) = Self.escapedFrame(bytes) else { return false }
      return content.count >= 3 && content.count == Int(content[1]) + 3 && content.reduce(0, &+) == 0
    case .trimble:
      // Without a checksum: two frames in a row.
      guard let (_, end) = Self.escapedFrame(bytes), end > 5 else { return false }
      return Self.escapedFrame(UnsafeBufferPointer(rebasing: bytes[end...])) != nil
    case .novatel:
      guard starts([0xAA, 0x44, 0x12]) || starts([0xAA, 0x44, 0x13]) else { return false }
      let length = byte(2) == 0x12 ? byte(3) + word(8) : 12 + byte(3)
      return Self.crc32(bytes, length)
    case .unicore: return starts([0xAA, 0x44, 0xB5]) && Self.crc32(bytes, 24 + word(6))
    case .septentrio:
      // CRC-16 (CCITT) of what follows it; the length is a multiple of 4.
      let length = word(6)
      guard starts([0x24, 0x40]), length >= 8, length % 4 == 0, bytes.count >= length else { return false }
      let crc = bytes[4..<length].reduce(UInt16(0)) { crc, byte in
        (0..<8).reduce(crc ^ UInt16(byte) << 8) { crc, _ in crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
      }
      return Int(crc) == word(2)
    case .mediatek:
      let length = word(2)
      return starts([0x04, 0x24]) && 9...255 ~= length && byte(length - 2) == 0x0D && byte(length - 1) == 0x0A
        && Int(bytes[2..<length - 3].reduce(0, ^)) == byte(length - 3)
    case .allystar:
      let length = word(4)
      guard starts([0xF1, 0xD9]), (0...1023).contains(length), bytes.count >= 8 + length else { return false }
      return bytes[(6 + length)...].starts(with: BinaryFrame.fletcher(bytes[2..<6 + length]))
    case .unchecked, .damaged:
      guard let (right, stated) = Self.checksum(ofSentence: bytes) else { return false }
      return self == .unchecked ? stated == nil : stated != nil && stated != right
    case .rtcm2:
      // Six bits in each byte, without a frame: a run that neither text nor a wrong speed has.
      return bytes.count >= 64 && bytes.prefix(64).allSatisfy { 0x40...0x7F ~= $0 } && Set(bytes.prefix(64)).count > 16
    case .console: return text("login:") || text("U-Boot ") || text("Linux version ")
    case .casic, .rtcm:
      guard starts([self == .casic ? 0xBA : 0xD3]), case .complete(let length) = BinaryFrame.scan(bytes, at: 0) else {
        return false
      }
      // An empty one is too short to be sure.
      return length > 6
    }
  }

  /// The checksum of a sentence of a receiver, and the stated one, if it has one; `nil` if `bytes` do not begin with a whole one.
  private static func checksum(ofSentence bytes: UnsafeBufferPointer<UInt8>) -> (right: UInt8, stated: UInt8?)? {
    guard bytes.count > 7, bytes[0] == 0x24, bytes[1..<6].allSatisfy({ 0x41...0x5A ~= $0 }), bytes[6] == 0x2C,
      let end = bytes.prefix(100).firstIndex(where: { !(0x20...0x7E ~= $0) }), [0x0D, 0x0A].contains(bytes[end])
    else { return nil }
    let line = bytes[1..<end]
    guard let star = line.firstIndex(of: 0x2A) else { return (line.reduce(0, ^), nil) }
    guard star + 3 == end, let stated = Hexadecimal.byte(line[star + 1], line[star + 2]) else { return nil }
    return (line[..<star].reduce(0, ^), stated)
  }

  /// What is between `10` and `10 03` where `10` is doubled, and the index behind that; `nil` without a whole frame.
  private static func escapedFrame(_ bytes: UnsafeBufferPointer<UInt8>) -> (content: [UInt8], end: Int)? {
    guard bytes.count > 1, bytes[0] == 0x10, bytes[1] != 0x10, bytes[1] != 0x03 else { return nil }
    var (content, index): ([UInt8], Int) = ([], 1)
    while index + 1 < min(bytes.count, 600) {
      let isEscape = bytes[index] == 0x10
      if isEscape, bytes[index + 1] != 0x10 { return bytes[index + 1] == 0x03 ? (content, index + 2) : nil }
      content.append(bytes[index])
      index += isEscape ? 2 : 1
    }
    return nil
  }

  /// Whether `length` bytes are followed by their CRC-32, little-endian, without inversion.
  private static func crc32(_ bytes: UnsafeBufferPointer<UInt8>, _ length: Int) -> Bool {
    guard (16...4096).contains(length), bytes.count >= length + 4 else { return false }
    let crc = bytes[..<length].reduce(UInt32(0)) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
    }
    return (0..<4).allSatisfy { bytes[length + $0] == UInt8(truncatingIfNeeded: crc >> UInt32(8 * $0)) }
  }
}

package struct BinarySearch: Sendable {
  /// Bytes that are searched at once: more than two frames of most protocols.
  private static let window = 1024
  /// Time from one search to the next: however a source sends, it costs little.
  private static let pause = Duration.milliseconds(500)
  private var bytes: [UInt8] = []
  private var next: MonotonicInstant?
  package private(set) var found: BinaryProtocol?

  package init() {}

  package mutating func read(_ new: some Collection<UInt8>, at instant: MonotonicInstant) {
    guard found == nil, next.map({ $0 <= instant }) ?? true else { return }
    bytes.append(contentsOf: new.prefix(Self.window))
    guard bytes.count >= Self.window / 2 else {
      // A prompt is all that a console may send.
      found = bytes.withUnsafeBufferPointer { BinaryProtocol(in: $0, of: [.console]) }
      return
    }
    found = bytes.withUnsafeBufferPointer { BinaryProtocol(in: $0) }
    bytes.removeAll(keepingCapacity: true)
    next = instant + Self.pause
  }
}
