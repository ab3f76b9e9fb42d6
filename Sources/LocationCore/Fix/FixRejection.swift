/// Why a fix was not accepted.
package enum FixRejection: String, Hashable, Sendable, CaseIterable {
  /// Measured before the last accepted fix of the same source.
  case outOfOrder
  /// Measured at the same time as the last accepted fix of the same source.
  case duplicate
  /// A position was sent that is malformed or lies outside of ± 90° and ± 180°.
  case outOfRange
  /// Exactly 0° N 0° E and no word about its accuracy: a receiver's empty memory.
  case nullIsland
  /// The 95 % radius is larger than the configured bound.
  case accuracy
  /// Suspect, and later fixes did not confirm it.
  case jump
}
