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

enum ReceiverAnswer: Hashable, Sendable {
  /// A UBX frame of the classes NAV, ACK, CFG, UPD, MON, MGA or SEC.
  case ubx(class: UInt8, id: UInt8, payload: [UInt8])
  /// A frame of CASIC's own protocol.
  case casic(class: UInt8, id: UInt8, payload: [UInt8])
  /// The fields of a proprietary sentence, its address first: `PMTK001`, `220`, `3`; or of one of `ReceiverAnswers.types`.
  case sentence([String])
}

/// Finds answers in a receiver's bytes, between its other sentences. Used only while a receiver is set up.
struct ReceiverAnswers: Sendable {
  /// Time for an answer, which may wait behind a second of sentences.
  static let timeout = Duration.milliseconds(1200)
  /// The standard sentences in which a receiver states what it is, or shows its settings, and Unicore's answers.
  private static let types: Set<SentenceType> = [.txt, .rmc, .gga, .gst, .command]
  private static let ubxClasses: Set<UInt8> = [0x01, 0x05, 0x06, 0x09, 0x0A, 0x13, 0x27]

  /// Number of sentences with a valid checksum, of UBX frames of those classes and of frames of CASIC.
  private(set) var messages = 0
  private var decoder = NMEADecoder(reportsCASIC: true)

  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [ReceiverAnswer] {
    var found: [ReceiverAnswer] = []
    decoder.decode(bytes) { event in
      let raw = event.raw
      switch event.payload {
      case .ubx:
        guard Self.ubxClasses.contains(raw[2]) else { return }
        found.append(.ubx(class: raw[2], id: raw[3], payload: Array(raw[6..<raw.count - 2])))
      case .casic: found.append(.casic(class: raw[4], id: raw[5], payload: Array(raw[6..<raw.count - 4])))
      // The checksum is valid also where fields are missing.
      case .sentence, .rejected(.fieldCount):
        guard raw[0] == UInt8(ascii: "$") else { return }
        if raw[1] == UInt8(ascii: "P") || Self.types.contains(event.type) {
          let fields = raw[1..<raw.count - 3].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
          found.append(.sentence(fields.map { String(decoding: $0, as: UTF8.self) }))
        }
      case .rejected: return
      }
      messages += 1
    }
    return found
  }

  /// Discards an incomplete answer, because the line has another speed.
  mutating func removeAll() { decoder = NMEADecoder(reportsCASIC: true) }
}

/// Messages to a receiver, which may also be those of one: a frame has no direction.
package enum ReceiverCommand {
  package static func ubx(_ messageClass: UInt8, _ id: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    let frame = [0xB5, 0x62, messageClass, id, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8)] + payload
    return frame + BinaryFrame.fletcher(frame[2...])
  }

  /// A query of CASIC's own protocol, which is a frame without a payload.
  static func casic(_ messageClass: UInt8, _ id: UInt8) -> [UInt8] {
    [0xBA, 0xCE, 0, 0, messageClass, id, 0, 0, messageClass, id]
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
