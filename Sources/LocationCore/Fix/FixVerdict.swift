/// What a judge says about a fix.
package enum FixVerdict: Hashable, Sendable {
  /// The fix stands. `suspect` when it was first held for an implausible jump.
  case accepted(suspect: Bool)
  /// The fix implies an implausible jump. The judge keeps it and hands it out later, or drops it.
  case held
  /// The fix is refused.
  case dropped(FixRejection)
}

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

/// How a judge has decided since it was made; every count only grows.
package struct JudgeCounters: Hashable, Sendable {
  /// Accepted, suspects that were accepted later included.
  package var accepted: UInt64 = 0
  /// Accepted after having been held.
  package var suspects: UInt64 = 0
  /// Held for an implausible jump, whatever became of them.
  package var held: UInt64 = 0
  /// Times that a clock which had stepped back was believed.
  package var clockSteps: UInt64 = 0
  /// Dropped: older than the last accepted.
  package var outOfOrder: UInt64 = 0
  /// Dropped: of the same time as the last accepted.
  package var duplicate: UInt64 = 0
  /// Dropped: position malformed or out of range.
  package var outOfRange: UInt64 = 0
  /// Dropped: exactly 0, 0 without accuracy.
  package var nullIsland: UInt64 = 0
  /// Dropped: less accurate than configured.
  package var accuracy: UInt64 = 0
  /// Dropped: a suspect that later fixes did not confirm.
  package var jump: UInt64 = 0

  package init() {}

  /// Dropped, all reasons together.
  package var dropped: UInt64 {
    outOfOrder &+ duplicate &+ outOfRange &+ nullIsland &+ accuracy &+ jump
  }

  mutating func count(_ rejection: FixRejection) {
    switch rejection {
    case .outOfOrder: outOfOrder &+= 1
    case .duplicate: duplicate &+= 1
    case .outOfRange: outOfRange &+= 1
    case .nullIsland: nullIsland &+= 1
    case .accuracy: accuracy &+= 1
    case .jump: jump &+= 1
    }
  }
}
