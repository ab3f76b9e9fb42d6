/// PSRFEPE, estimated errors (SiRF).
package struct PSRFEPE: Hashable, Sendable {
  /// UTC time of day.
  @Compact package var time: TimeOfDay?
  /// A valid, V void.
  package var status: RMCStatus?
  /// Horizontal dilution of precision.
  @Compact package var hdop: Double?
  /// Estimated horizontal position error, metres.
  @Compact package var horizontal: Double?
  /// Estimated vertical position error, metres.
  @Compact package var vertical: Double?
  /// Estimated horizontal velocity error, m/s.
  @Compact package var velocity: Double?
  /// Estimated heading error, degrees.
  @Compact package var heading: Double?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PSRFEPE {
  /// Fewest fields on the wire.
  static let fieldCount = 7

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    time = field.time()
    status = field.letter()
    hdop = field.dilution()
    horizontal = field.unsigned()
    vertical = field.unsigned()
    velocity = field.unsigned()
    heading = field.unsigned(upTo: 360)
    problems = field.problems
  }
}
