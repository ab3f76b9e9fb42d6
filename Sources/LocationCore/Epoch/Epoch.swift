/// The result of one measurement instant (epoch) of a receiver, produced exactly once per epoch. A fix that is held
/// gives `held` when its epoch closes; if accepted later, it follows as one more value with its own, earlier times.
package struct Epoch: Sendable {
  package enum Outcome: Sendable {
    /// Its fix, to be published. `suspect` when its position jumped implausibly.
    case fix(Fix, suspect: Bool)
    case noFix(NoFixReason)
    case dropped(FixRejection)
    /// Its fix jumped and waits for confirmation.
    case held
  }

  package let outcome: Outcome
  /// The epoch's key: UTC time of day; `nil` when no sentence carries one.
  @Compact package private(set) var timeOfDay: TimeOfDay?
  /// UTC; `nil` until the receiver has sent a date.
  @Compact package private(set) var measured: UTCInstant?
  /// Monotonic instant of the last byte that contributes to the fix.
  package let received: MonotonicInstant
  /// The satellites in view, at most once a UTC second. GSV that arrive after their epoch come with the next one.
  package let sky: Sky?
  package let noise: PseudorangeNoise?
  /// Whether the date lies before the floor date, which indicates a 1024-week rollover.
  package let rolloverSuspect: Bool
  /// Whether its fix is the first after the receiver's clock was set back.
  package let isClockSetBack: Bool
  /// When its burst of bytes began on the line; `nil` if not separated from the one before it, and for a held fix.
  package var began: MonotonicInstant?
  /// How much longer its fix took to arrive than those before it.
  package var delay = Duration.zero
  /// Whether its fix was withheld as a late one, and no newer one followed.
  package var isNewestOfLate = false
}

extension Epoch {
  init(released fix: borrowing Fix, _ jump: FixJump?, rolloverSuspect: Bool = false) {
    self.init(
      outcome: .fix(copy fix, suspect: jump == .position), timeOfDay: fix.timeOfDay, measured: fix.measured,
      received: fix.received, sky: nil, noise: nil, rolloverSuspect: rolloverSuspect,
      isClockSetBack: jump == .timeBack)
  }
}

package enum NoFixReason: String, Hashable, Sendable, CaseIterable {
  /// A sentence reports that there is none.
  case void
  /// A message reports that only the time is known.
  case timeOnly
  /// A sentence reports a fix, but none carries a position.
  case noPosition
  /// There may be a position, but no sentence states whether it is valid.
  case noStatus
}

/// Totals of a receiver since it was created; every count only grows.
package struct ReceiverCounters: Totals {
  package var nmea = NMEACounters()
  package var judge = JudgeCounters()
  package var epochs: UInt64 = 0
  /// Epochs without a fix, by `NoFixReason`; those that state only a time are void.
  package var void: UInt64 = 0
  package var noPosition: UInt64 = 0
  package var noStatus: UInt64 = 0
  /// Epochs whose date lies before the floor date.
  package var rolloverSuspects: UInt64 = 0
  /// Fixes that arrived late and together with a newer one, and were not published.
  package var superseded: UInt64 = 0
  /// Sentences that an epoch's fix needed and that arrived after the epoch closed.
  package var late: UInt64 = 0
  /// UBX messages of types that are not decoded.
  package var unknownMessages: UInt64 = 0
  /// UBX messages with a wrong length or a value out of range.
  package var malformedMessages: UInt64 = 0
  /// GSV sets discarded because a part was missing or out of order.
  package var droppedSets: UInt64 = 0
  package var contradicted: UInt64 = 0
  /// Messages of the receiver that its line did not take.
  package var overflows: UInt64 = 0
  package var starts: UInt64 = 0

  package init() {}
  package var fixes: UInt64 { judge.accepted }
}
