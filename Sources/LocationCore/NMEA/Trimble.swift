/// PTNL,GGK, time, position, fix type and DOP (Trimble).
package struct PTNLGGK: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// UTC date; the month comes first in the sentence.
  @Compact package var date: CalendarDate?
  /// Position; `nil` unless both coordinates are complete and in range.
  @Compact package var position: Coordinate?
  /// Trimble's quality number: 0 no fix, 1 autonomous, 2 float RTK, 3 fixed RTK, 4 differential …
  @Compact package var quality: Int?
  /// Number of satellites in use.
  @Compact package var satellitesUsed: Int?
  /// Dilution of precision.
  @Compact package var dop: Double?
  /// Metres above the ellipsoid (`EHT`).
  @Compact package var altitudeHAE: Double?
  /// Metres above mean sea level (`GHT`).
  @Compact package var altitudeMSL: Double?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension PTNLGGK {
  /// Minimum number of fields, including the message name.
  static let fieldCount = 12

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    field.skip()
    time = field.time()
    date = field.monthDayYear()
    position = field.position()
    quality = field.integer(upTo: 99)
    satellitesUsed = field.integer(upTo: 255)
    dop = field.dilution()
    (altitudeHAE, altitudeMSL) = field.height()
    problems = field.problems
  }
}

extension FieldCursor {
  /// `mmddyy`.
  fileprivate mutating func monthDayYear() -> CalendarDate? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 6, let (month, day, year) = Digits.pairs(field.start),
      let date = Self.date(year: year, month: month, day: day)
    else { return fail(field) }
    return date
  }

  /// A number prefixed by `EHT` or `GHT`, and the unit `M`.
  fileprivate mutating func height() -> (ellipsoidal: Double?, geoidal: Double?) {
    let field = next()
    guard unit(0x4D), field.count > 0 else { return (nil, nil) }
    guard field.count > 3, field.start[1] == 0x48, field.start[2] == 0x54 else { return (fail(field), nil) }
    let value = Self.signedValue(Field(start: field.start + 3, count: field.count - 3))
    switch field.start[0] {
    case 0x45 where !value.isNaN: return (value, nil)
    case 0x47 where !value.isNaN: return (nil, value)
    default: return (fail(field), nil)
    }
  }
}
