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

/// HDT, true heading.
package struct HDT: Hashable, Sendable {
  /// Degrees from true north, 0 ≤ heading < 360.
  @Compact package var heading: Double?
  package var problems: SentenceProblems = []

  static let fieldCount = 1

  init(_ fields: some SentenceSource) {
    var field = fields.reader
    heading = field.course("heading", unit: 0x54)
    problems = field.problems
  }
}

/// THS, true heading and its status.
package struct THS: Hashable, Sendable {
  package enum Mode: UInt8, Hashable, Sendable {
    case autonomous = 0x41  // A
    case estimated = 0x45  // E, estimated: dead reckoning
    case manual = 0x4D  // M
    case simulator = 0x53  // S
    case notValid = 0x56  // V
  }

  /// Degrees from true north, 0 ≤ heading < 360.
  @Compact package var heading: Double?
  package var mode: Mode?
  package var problems: SentenceProblems = []

  static let fieldCount = 2

  init(_ fields: some SentenceSource) {
    var field = fields.reader
    heading = field.course("heading")
    mode = field.letter("mode")
    problems = field.problems
  }
}
