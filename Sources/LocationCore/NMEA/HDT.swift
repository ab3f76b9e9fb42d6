/// HDT, true heading.
package struct HDT: Hashable, Sendable {
  /// Degrees from true north, 0 ≤ heading < 360.
  @Compact package var heading: Double?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension HDT {
  /// Fewest fields on the wire.
  static let fieldCount = 1

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    heading = field.course(unit: 0x54)
    problems = field.problems
  }
}
