/// What the owner of a receiver's line has to do for a set-up, a quick start or a dump, in order.
package enum ReceiverAction: Hashable, Sendable {
  case write([UInt8])
  /// Change the speed of the line, bit/s.
  case setSpeed(Int)
  /// The receiver may be helped to its first fix now: `ReceiverSetup.proceed` continues.
  case aid
  /// Call `QuickStart.send` with what is known for this receiver, which has no fix.
  case prepare(ReceiverKey)
  /// It is over; its result is final.
  case finish
}

/// A receiver's answer to a command or a query.
enum ReceiverAnswer: Hashable, Sendable {
  /// A UBX frame of the classes NAV, ACK, CFG, UPD, MON, MGA or SEC.
  case ubx(class: UInt8, id: UInt8, payload: [UInt8])
  /// The fields of a proprietary sentence, its address first: `PMTK001`, `220`, `3`.
  case sentence([String])
}

/// Finds answers in a receiver's bytes, between its other sentences. Used only while a receiver is set up.
struct ReceiverAnswers: Sendable {
  private static let ubxClasses: Set<UInt8> = [0x01, 0x05, 0x06, 0x09, 0x0A, 0x13, 0x27]
  /// Longest sentence, bytes.
  private static let maximumLine = 256

  /// Number of sentences with a valid checksum and of UBX frames of those classes.
  private(set) var messages = 0
  private var buffer: [UInt8] = []

  /// Returns the answers that the bytes complete. Fewer than 2 kB are kept.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [ReceiverAnswer] {
    var answers: [ReceiverAnswer] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      buffer += rest.prefix(512)
      rest = rest.dropFirst(512)
      scan(into: &answers)
    }
    return answers
  }

  /// Discards an incomplete answer, because the line has another speed.
  mutating func removeAll() { buffer.removeAll() }

  private mutating func scan(into answers: inout [ReceiverAnswer]) {
    var at = 0
    scanning: while at < buffer.count {
      switch buffer[at] {
      case 0xB5:
        let found = buffer.withUnsafeBufferPointer { bytes in
          bytes.baseAddress.map { BinaryFrame.scan($0 + at, count: bytes.count - at) } ?? .none
        }
        switch found {
        case .incomplete: break scanning
        case .none: at += 1
        case .complete(let length):
          if Self.ubxClasses.contains(buffer[at + 2]) {
            let payload = Array(buffer[(at + 6)..<(at + length - 2)])
            messages += 1
            answers.append(.ubx(class: buffer[at + 2], id: buffer[at + 3], payload: payload))
          }
          at += length
        }
      case UInt8(ascii: "$"):
        let line = buffer[at...].dropFirst().prefix { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "$") }
        guard line.endIndex < buffer.count else {
          if line.count < Self.maximumLine { break scanning }
          at += 1
          continue
        }
        if let fields = Self.fields(of: line) {
          messages += 1
          if line.first == UInt8(ascii: "P") { answers.append(.sentence(fields)) }
        }
        at = max(line.endIndex, at + 1)
      default: at += 1
      }
    }
    buffer.removeFirst(min(at, buffer.count))
  }

  /// The fields of a sentence without its `$`; `nil` if its checksum is wrong or missing.
  private static func fields(of line: ArraySlice<UInt8>) -> [String]? {
    let (body, end) = (line.dropLast(3), line.endIndex)
    let sum: UInt8 = body.reduce(0, ^)
    guard line.count > 3, line[end - 3] == UInt8(ascii: "*"),
      Hexadecimal.byte(line[end - 2], line[end - 1]) == sum
    else { return nil }
    return body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Messages to a receiver, which may also be those of one: a frame has no direction.
package enum ReceiverCommand {
  package static func ubx(_ messageClass: UInt8, _ id: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    let frame = [0xB5, 0x62, messageClass, id, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + payload
    return frame + BinaryFrame.fletcher(frame[2...])
  }

  /// A sentence; `$`, checksum and line end are added.
  static func sentence(_ body: String) -> [UInt8] {
    let checksum = body.utf8.reduce(0, ^)
    return Array("$\(body)*\(Hexadecimal.text([checksum]).uppercased())\r\n".utf8)
  }

  /// The lowest `count` bytes of a number, little-endian.
  package static func littleEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The little-endian number of `count` bytes at an offset; `nil` beyond the end.
  static func number(_ bytes: [UInt8], at offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    return bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
