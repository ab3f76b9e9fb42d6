/// PGRMZ, altitude (Garmin).
package struct PGRMZ: Hashable, Sendable {
  /// Where the altitude comes from.
  package enum Kind: UInt8, Hashable, Sendable {
    /// 1, there is none.
    case none = 1
    /// 2, set by the user or a barometer.
    case user = 2
    /// 3, from satellites.
    case satellites = 3
  }

  /// Metres above mean sea level; feet on the wire.
  @Compact package var altitudeMSL: Double?
  /// Where it comes from.
  package var kind: Kind?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension PGRMZ {
  /// Fewest fields on the wire.
  static let fieldCount = 2

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    let feet = field.signed()
    altitudeMSL = field.unit(0x66) ? feet.map { $0 * 0.3048 } : nil
    kind = field.digit()
    problems = field.problems
  }
}
