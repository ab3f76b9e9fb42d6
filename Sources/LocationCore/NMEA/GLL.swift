/// GLL, geographic position.
package struct GLL: Hashable, Sendable {
  /// Latitude and longitude; `nil` unless both are whole and in range.
  @Compact package var position: Coordinate?
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// A valid, V void.
  package var status: RMCStatus?
  /// Mode letter, from NMEA 2.3.
  package var mode: PositioningMode?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension GLL {
  /// Fewest fields on the wire.
  static let fieldCount = 6
  /// The problem of a status letter that is not known.
  static let statusField = SentenceProblems(field: 6)

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    position = field.position()
    time = field.time()
    status = field.letter()
    mode = field.letter()
    problems = field.problems
  }
}
