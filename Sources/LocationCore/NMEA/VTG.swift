/// VTG, course and speed over ground.
package struct VTG: Hashable, Sendable {
  /// Degrees true, 0 ≤ course < 360.
  @Compact package var course: Double?
  /// Degrees magnetic.
  @Compact package var courseMagnetic: Double?
  /// m/s, from knots, or from km/h when knots are absent.
  @Compact package var speed: Double?
  /// Mode letter, from NMEA 2.3.
  package var mode: PositioningMode?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension VTG {
  /// Fewest fields on the wire.
  static let fieldCount = 8

  @inline(never)
  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    course = field.course(unit: 0x54)
    courseMagnetic = field.course(unit: 0x4D)
    let fromKnots = field.knotsWithUnit()
    let fromKilometres = field.kilometresPerHourWithUnit()
    speed = fromKnots ?? fromKilometres
    mode = field.letter()
    problems = field.problems
  }
}
