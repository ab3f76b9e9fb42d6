/// PSTI,030, recommended minimum with three-dimensional velocity (SkyTraq).
package struct PSTI030: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// A valid, V void.
  package var status: RMCStatus?
  /// Latitude and longitude; `nil` unless both are whole and in range.
  @Compact package var position: Coordinate?
  /// Metres above mean sea level.
  @Compact package var altitudeMSL: Double?
  /// Velocity to the east, m/s.
  @Compact package var velocityEast: Double?
  /// Velocity to the north, m/s.
  @Compact package var velocityNorth: Double?
  /// Velocity upwards, m/s.
  @Compact package var velocityUp: Double?
  /// UTC date.
  @Compact package var date: CalendarDate?
  /// Mode letter.
  package var mode: PositioningMode?
  /// Age of the corrections, seconds.
  @Compact package var rtkAge: Double?
  /// Ratio factor of the ambiguity validation.
  @Compact package var rtkRatio: Double?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PSTI030 {
  /// Fewest fields on the wire, the message number included.
  static let fieldCount = 13

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    field.skip()
    time = field.time()
    status = field.letter()
    position = field.position()
    altitudeMSL = field.signed()
    velocityEast = field.signed(upTo: FieldCursor.fastest)
    velocityNorth = field.signed(upTo: FieldCursor.fastest)
    velocityUp = field.signed(upTo: FieldCursor.fastest)
    date = field.date()
    mode = field.letter()
    rtkAge = field.unsigned()
    rtkRatio = field.unsigned()
    problems = field.problems
  }
}
