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
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}

extension VTG {
  /// Minimum number of fields.
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

/// HDT, true heading.
package struct HDT: Hashable, Sendable {
  /// Degrees from true north, 0 ≤ heading < 360.
  @Compact package var heading: Double?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension HDT {
  /// Minimum number of fields.
  static let fieldCount = 1

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    heading = field.course(unit: 0x54)
    problems = field.problems
  }
}

/// THS, true heading and its status.
package struct THS: Hashable, Sendable {
  /// Method of the heading.
  package enum Mode: UInt8, Hashable, Sendable {
    /// A, autonomous.
    case autonomous = 0x41
    /// E, estimated: dead reckoning.
    case estimated = 0x45
    /// M, manual input.
    case manual = 0x4D
    /// S, simulator.
    case simulator = 0x53
    /// V, not valid.
    case notValid = 0x56
  }

  /// Degrees from true north, 0 ≤ heading < 360.
  @Compact package var heading: Double?
  /// Method of the heading.
  package var mode: Mode?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension THS {
  /// Minimum number of fields.
  static let fieldCount = 2

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    heading = field.course()
    mode = field.letter()
    problems = field.problems
  }
}
