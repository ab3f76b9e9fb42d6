/// DTM, datum reference.
package struct DTM: Hashable, Sendable {
  /// Local datum: W84, W72, P90, 999 for a user-defined one, or an IHO code.
  @Compact package var datum: ShortText?
  /// Subdivision of the local datum.
  @Compact package var subdivision: ShortText?
  /// Latitude offset from the reference, degrees, north positive.
  @Compact package var latitudeOffset: Double?
  /// Longitude offset from the reference, degrees, east positive.
  @Compact package var longitudeOffset: Double?
  /// Altitude offset from the reference, metres.
  @Compact package var altitudeOffset: Double?
  /// Reference datum.
  @Compact package var reference: ShortText?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension DTM {
  /// Minimum number of fields.
  static let fieldCount = 8

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    datum = field.shortText()
    subdivision = field.shortText()
    latitudeOffset = field.offset(positive: 0x4E, negative: 0x53)
    longitudeOffset = field.offset(positive: 0x45, negative: 0x57)
    altitudeOffset = field.signed()
    reference = field.shortText()
    problems = field.problems
  }
}

extension FieldCursor {
  /// Degrees from minutes and a direction.
  fileprivate mutating func offset(positive: UInt8, negative: UInt8) -> Double? {
    let minutes = signed(upTo: 10_800)
    let direction = next()
    guard let minutes else { return nil }
    switch direction.count == 1 ? direction.start[0] : 0 {
    case positive: return minutes / 60
    case negative: return -minutes / 60
    default: return fail(direction)
    }
  }
}

/// Up to eight characters of a field.
package struct ShortText: Hashable, Sendable, CustomStringConvertible {
  /// ASCII characters, packed big-endian and right-aligned.
  package let code: UInt64

  package init(code: UInt64) {
    self.code = code
  }

  /// The characters.
  package var description: String { SentenceAddress.unpack(code) }
}

extension FieldCursor {
  /// A field of one to eight characters.
  mutating func shortText() -> ShortText? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count <= 8 else { return fail(field) }
    return ShortText(code: SentenceAddress.pack(UnsafeRawBufferPointer(start: field.start, count: field.count)))
  }
}
