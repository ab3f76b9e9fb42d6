/// VTG, course and speed over ground.
package struct VTG: Hashable, Sendable {
  /// Degrees true, 0 ≤ course < 360.
  @Compact package var course: Double?
  /// m/s, from knots, or from km/h when knots are absent. Like the course absent with mode N, beside which some receivers send 0.
  @Compact package var speed: Double?

  package init() {}

  @inline(never) init(_ fields: some SentenceSource) {
    var field = fields.reader
    course = field.course("track", unit: 0x54)
    field.course("magtrack", unit: 0x4D)
    speed = field.number("speed", 3) { $0.knotsOrKilometresPerHour() }
    if field.letter("mode", PositioningMode.self) == .notValid { (course, speed) = (nil, nil) }
  }
}
