/// PGRME, estimated position errors (Garmin).
package struct PGRME: Hashable, Sendable {
  /// Horizontal error, metres.
  @Compact package var horizontal: Double?
  /// Vertical error, metres.
  @Compact package var vertical: Double?
  /// Spherical error, metres.
  @Compact package var spherical: Double?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension PGRME {
  /// Minimum number of fields.
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
  /// Unsigned metres, with an optional unit `M`.
  fileprivate mutating func distance() -> Double? {
    let value = unsigned()
    return unit(0x4D) ? value : nil
  }
}

/// PGRMZ, altitude (Garmin).
package struct PGRMZ: Hashable, Sendable {
  /// Source of the altitude.
  package enum Kind: UInt8, Hashable, Sendable {
    /// 1, none.
    case none = 1
    /// 2, user or barometer.
    case user = 2
    /// 3, satellites.
    case satellites = 3
  }

  /// Metres above mean sea level; feet on the wire.
  @Compact package var altitudeMSL: Double?
  /// Source of the altitude.
  package var kind: Kind?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension PGRMZ {
  /// Minimum number of fields.
  static let fieldCount = 2

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    let feet = field.signed()
    altitudeMSL = field.unit(0x66) ? feet.map { $0 * 0.3048 } : nil
    kind = field.digit()
    problems = field.problems
  }
}
