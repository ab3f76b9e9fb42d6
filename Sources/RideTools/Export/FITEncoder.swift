import LocationCore
import Recordings

/// An encoder of FIT files: a header, messages, a checksum. Coordinates are semicircles, times whole seconds since
/// 1989-12-31. The messages are kept, because their size comes first: those of ten hours are 1 MB.
struct FITEncoder: Sendable {
  /// A field of a message: its number, base type and value; `nil` is written as the type's invalid value.
  struct Field {
    enum Kind: UInt8 {
      case byte = 0x00, sint8 = 0x01, uint8 = 0x02, text = 0x07, sint16 = 0x83, uint16 = 0x84, sint32 = 0x85
      case uint32 = 0x86, uint32z = 0x8C

      /// Bytes, of a text with the NUL at its end; and the smallest and the largest number.
      var limits: (size: Int, smallest: Int64, largest: Int64) {
        switch self {
        case .byte, .uint8: (1, 0, 0xFE)
        case .sint8: (1, -0x80, 0x7E)
        case .sint16: (2, -0x8000, 0x7FFE)
        case .uint16: (2, 0, 0xFFFE)
        case .sint32: (4, -0x8000_0000, 0x7FFF_FFFE)
        case .uint32: (4, 0, 0xFFFF_FFFE)
        case .uint32z: (4, 1, 0xFFFF_FFFF)
        case .text: (64, 0, 0xFE)
        }
      }
    }

    var number: UInt8
    var kind: Kind
    var value: Int64?
    var text: [UInt8] = []

    init(_ number: UInt8, _ kind: Kind, _ value: Int64?) {
      (self.number, self.kind, self.value) = (number, kind, value)
    }

    init(_ number: UInt8, _ kind: Kind, _ value: Double?, scale: Double, offset: Double = 0) {
      let scaled = value.flatMap { Int64(exactly: (($0 + offset) * scale).rounded()) }
      self.init(number, kind, scaled.flatMap { (kind.limits.smallest...kind.limits.largest).contains($0) ? $0 : nil })
    }

    init(_ number: UInt8, _ text: String) {
      var text = text
      while text.utf8.count >= Kind.text.limits.size { text.removeLast() }
      (self.number, kind, self.text) = (number, .text, Array(text.utf8))
    }

    /// The latitude in a field, and the longitude in the next one.
    static func place(_ number: UInt8, _ place: Coordinate) -> [Self] {
      func field(_ number: UInt8, _ degrees: Double) -> Self {
        Self(number, .sint32, min(Int64((degrees / 180 * 0x8000_0000).rounded()), Kind.sint32.limits.largest))
      }
      return [field(number, place.latitude), field(number + 1, place.longitude)]
    }
  }

  enum Message: UInt16 {
    case fileID = 0, session = 18, lap = 19, record = 20, event = 21, deviceInfo = 23, course = 31, coursePoint = 32
    case activity = 34
  }

  enum File: Int64 { case activity = 4, course = 6 }

  private var messages: [UInt8] = []
  private var defined: [Message: UInt8] = [:]

  var bytes: [UInt8] {
    var header: [UInt8] = [14, 0x20]
    header += ReceiverCommand.littleEndian(21_218, 2) + ReceiverCommand.littleEndian(messages.count, 4)
    header += Array(".FIT".utf8)
    header += ReceiverCommand.littleEndian(Int(FITChecksum.sum(of: header[...])), 2)
    let file = header + messages
    return file + ReceiverCommand.littleEndian(Int(FITChecksum.sum(of: file[...])), 2)
  }

  /// Writes a message, with its definition if it is the first of its kind.
  mutating func write(_ message: Message, _ fields: [Field]) {
    let local = defined[message] ?? UInt8(defined.count)
    if defined.updateValue(local, forKey: message) == nil {
      messages += [0x40 | local, 0, 0]
      messages += ReceiverCommand.littleEndian(Int(message.rawValue), 2)
      messages.append(UInt8(fields.count))
      for field in fields { messages += [field.number, UInt8(field.kind.limits.size), field.kind.rawValue] }
    }
    messages.append(local)
    for field in fields {
      if field.kind == .text {
        messages += field.text + [UInt8](repeating: 0, count: field.kind.limits.size - field.text.count)
      } else {
        let number = field.value ?? field.kind.limits.largest + 1
        messages += ReceiverCommand.littleEndian(Int(number), field.kind.limits.size)
      }
    }
  }

  /// The maker is one in development. Sites identify files by the serial number with the time: it follows from where the
  /// file begins, so that it names no machine.
  mutating func begin(_ file: File, at second: Int64, _ place: Coordinate) {
    let seed = Field.place(0, place).reduce(second) { $0 &* 1_000_003 &+ ($1.value ?? 0) }
    let maker = [
      Field(2, .uint16, 255), Field(4, .uint16, 1),
      Field(3, .uint32z, Int64(UInt32(truncatingIfNeeded: seed ^ seed >> 32) | 1)),
    ]
    write(
      .fileID,
      [
        Field(0, .byte, file.rawValue), Field(1, .uint16, maker[0].value), Field(2, .uint16, maker[1].value), maker[2],
        Field(4, .uint32, second),
      ])
    write(.deviceInfo, [Field(253, .uint32, second), Field(0, .byte, 0)] + maker + [Field(27, "handlebar")])
  }
}
