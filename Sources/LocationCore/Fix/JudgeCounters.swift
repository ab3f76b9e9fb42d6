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
