/// VTG, course and speed over ground.
package struct VTG: Hashable, Sendable {
  /// Degrees true, 0 ≤ course < 360.
  @Compact package var course: Double?
  /// Degrees magnetic.
  @Compact package var courseMagnetic: Double?
  /// m/s, from knots, or from km/h when knots are absent.
  @Compact package var speed: Double?
  package var mode: PositioningMode?
  package var problems: SentenceProblems = []

  package init() {}

  static let fieldCount = 8

  @inline(never) init(_ fields: some SentenceSource) {
    var field = fields.reader
    course = field.course("track", unit: 0x54)
    courseMagnetic = field.course("magtrack", unit: 0x4D)
    speed = field.number("speed", 3) { $0.knotsOrKilometresPerHour() }
    mode = field.letter("mode")
    problems = field.problems
  }
}
