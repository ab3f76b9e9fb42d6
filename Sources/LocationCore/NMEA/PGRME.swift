/// PGRME, estimated position errors (Garmin).
package struct PGRME: Hashable, Sendable {
  /// Horizontal, metres.
  @Compact package var horizontal: Double?
  /// Vertical, metres.
  @Compact package var vertical: Double?
  /// Spherical, metres.
  @Compact package var spherical: Double?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PGRME {
  /// Fewest fields on the wire.
  static let fieldCount = 6

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    horizontal = field.distance()
    vertical = field.distance()
    spherical = field.distance()
    problems = field.problems
  }
}

extension FieldCursor {
  /// Metres without a sign, and an `M` or nothing.
  fileprivate mutating func distance() -> Double? {
    let value = unsigned()
    return unit(0x4D) ? value : nil
  }
}
