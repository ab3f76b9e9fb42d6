/// RMC, recommended minimum navigation information (NMEA 0183 v4.11).
package struct RMC: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// A valid, V void, D differential (Unicore).
  package var status: RMCStatus?
  /// Latitude and longitude; `nil` unless both are whole and in range.
  @Compact package var position: Coordinate?
  /// Speed over ground, m/s.
  @Compact package var speed: Double?
  /// Course over ground, degrees true, 0 ≤ course < 360.
  @Compact package var course: Double?
  /// UTC date; two-digit years pivot at 80.
  @Compact package var date: CalendarDate?
  /// Degrees, east positive.
  @Compact package var magneticVariation: Double?
  /// Mode letter, from NMEA 2.3.
  package var mode: PositioningMode?
  /// Navigational status, from NMEA 4.1.
  package var navStatus: NavStatus?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension RMC {
  /// Fewest fields on the wire.
  static let fieldCount = 11
  /// The problem of a status letter that is not known.
  static let statusField = SentenceProblems(field: 2)

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    status = field.letter()
    position = field.position()
    speed = field.knots()
    course = field.course()
    date = field.date()
    magneticVariation = field.variation()
    mode = field.letter()
    navStatus = field.letter()
    problems = field.problems
  }
}
