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
