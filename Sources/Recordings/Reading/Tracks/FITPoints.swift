import LocationCore

/// How the messages of a kind are laid out, until the file defines them again.
struct FITDefinition: Hashable, Sendable {
  struct Field: Hashable, Sendable {
    let number: UInt8
    let offset: Int
    let size: Int
    let type: UInt8
  }

  let number: UInt16
  let isBigEndian: Bool
  private var fields: [Field] = []
  /// Bytes of a message, without its header.
  var size = 0

  init(number: UInt16, isBigEndian: Bool) { (self.number, self.isBigEndian) = (number, isBigEndian) }

  mutating func add(_ number: UInt8, size: Int, type: UInt8) {
    fields.append(Field(number: number, offset: self.size, size: size, type: type))
    self.size += size
  }

  /// The last field of that number.
  func field(_ number: UInt8) -> Field? { fields.last { $0.number == number } }
}

/// A message of a FIT file. What has the invalid value of its type is absent.
struct FITMessage: Hashable, Sendable {
  /// The integer of a type by its low bits: bytes, whether it has a sign, and whether 0 is invalid.
  private static func integer(_ type: UInt8) -> (size: Int, isSigned: Bool, isZero: Bool)? {
    switch type & 31 {
    case 0, 2, 13: (1, false, false)
    case 1: (1, true, false)
    case 3: (2, true, false)
    case 4: (2, false, false)
    case 5: (4, true, false)
    case 6: (4, false, false)
    case 10: (1, false, true)
    case 11: (2, false, true)
    case 12: (4, false, true)
    case 14: (8, true, false)
    case 15: (8, false, false)
    case 16: (8, false, true)
    default: nil
    }
  }

  private static let text: UInt8 = 7
  private static let timestamp: UInt8 = 253

  private let definition: FITDefinition
  private let bytes: [UInt8]
  /// Its time, seconds since 1989-12-31.
  var seconds: UInt32?

  init(_ definition: FITDefinition, bytes: some Sequence<UInt8>) {
    self.definition = definition
    self.bytes = Array(bytes)
    seconds = self[Self.timestamp].flatMap { UInt32(exactly: $0) }
  }

  var number: UInt16 { definition.number }

  /// The number in a field; `nil` if it is absent, invalid, an array or no integer.
  subscript(field: UInt8) -> Int64? {
    guard let field = definition.field(field), let kind = Self.integer(field.type), kind.size == field.size else {
      return nil
    }
    let bits = 8 * UInt64(field.size)
    var value: UInt64 = 0
    for index in 0..<field.size {
      let place = definition.isBigEndian ? index : field.size - 1 - index
      value = value << 8 | UInt64(bytes[field.offset + place])
    }
    let invalid = kind.isZero ? 0 : UInt64.max >> (64 - bits + (kind.isSigned ? 1 : 0))
    guard value != invalid else { return nil }
    guard kind.isSigned else { return Int64(exactly: value) }
    return Int64(bitPattern: value << (64 - bits)) >> Int64(64 - bits)
  }

  /// The text in a field, up to its first NUL; `nil` if it is absent or empty.
  func text(_ field: UInt8) -> String? {
    guard let field = definition.field(field), field.type & 31 == Self.text else { return nil }
    let text = bytes[field.offset..<(field.offset + field.size)].prefix { $0 != 0 }
    return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
  }
}

extension TrackPoints.Found {
  private static let record: UInt16 = 20
  private static let coursePoint: UInt16 = 32

  /// The point of a record or a course point; `nil` for other messages, and where the receiver had no position.
  init?(_ message: FITMessage) {
    let isRecord = message.number == Self.record
    guard isRecord || message.number == Self.coursePoint else { return nil }
    let position = isRecord ? (message[0], message[1]) : (message[2], message[3])
    guard let latitude = position.0, let longitude = position.1 else { return nil }
    guard let place = Coordinate(latitude: Self.degrees(latitude), longitude: Self.degrees(longitude)) else {
      self = .damage(.badPoint)
      return
    }
    var point = TrackPoint(position: place)
    if isRecord {
      point.time = message.seconds.flatMap { UTCInstant(fit: $0) }
      point.altitude = (message[78] ?? message[2]).map { Double($0) / 5 - 500 }
      point.speed = (message[73] ?? message[6]).map { Double($0) / 1000 }
    } else {
      point.time = message[1].flatMap { UInt32(exactly: $0) }.flatMap { UTCInstant(fit: $0) }
      point.kind = message[5].flatMap {
        TrackPoint.fitKinds.indices.contains(Int($0)) ? TrackPoint.fitKinds[Int($0)] : nil
      }
      point.name = message.text(6) ?? point.kind
    }
    self = .point(isRecord ? .track : .waypoint, point)
  }

  private static func degrees(_ semicircles: Int64) -> Double { Double(semicircles) * 180 / 0x8000_0000 }
}

extension TrackPoint {
  /// Kinds of course points by their number in FIT.
  package static let fitKinds = [
    nil, "summit", "valley", "water", "food", "danger", "left", "right", "straight", "first aid", "fourth category",
    "third category", "second category", "first category", "hors category", "sprint", "left fork", "right fork",
    "middle fork", "slight left", "sharp left", "slight right", "sharp right", "u-turn", "segment start", "segment end",
    nil, "campsite", "aid station", "rest area", "general distance", "service", "energy gel", "sports drink",
    "mile marker", "checkpoint", "shelter", "meeting spot", "overlook", "toilet", "shower", "gear", "sharp curve",
    "steep incline", "tunnel", "bridge", "obstacle", "crossing", "store", "transition", "navaid", "transport", "alert",
    "info",
  ]
}

extension UTCInstant {
  /// 1989-12-31, seconds since 1970.
  package static let fitEpoch: Int64 = 631_065_600
  /// Smaller times are seconds since a device was switched on.
  private static let firstFIT: UInt32 = 0x1000_0000

  /// The instant that is so many seconds after 1989-12-31; `nil` if they count from another one.
  init?(fit seconds: UInt32) {
    guard seconds >= Self.firstFIT else { return nil }
    self.init(nanosecondsSince1970: (Self.fitEpoch + Int64(seconds)) * 1_000_000_000)
  }
}
