/// THS, true heading and its status.
package struct THS: Hashable, Sendable {
  /// How the heading was made.
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
  /// How it was made.
  package var mode: Mode?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension THS {
  /// Fewest fields on the wire.
  static let fieldCount = 2

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    heading = field.course()
    mode = field.letter()
    problems = field.problems
  }
}
