/// The result of one measurement instant (epoch) of a receiver, produced exactly once per epoch.
///
/// A fix that is held gives `held` when its epoch closes; if it is accepted later, it follows as
/// one more value with its own, earlier times.
package struct Epoch: Sendable {
  /// The outcome of a closed epoch.
  package enum Outcome: Sendable {
    /// Its fix, to be published. `suspect` when its position jumped implausibly.
    case fix(Fix, suspect: Bool)
    /// The receiver has no fix.
    case noFix(NoFixReason)
    /// The receiver has a fix that must not be published.
    case dropped(FixRejection)
    /// Its fix jumped and waits for confirmation.
    case held
  }

  /// The outcome of the epoch.
  package let outcome: Outcome
  /// The epoch's key: UTC time of day; `nil` when no sentence carries one.
  package let timeOfDay: TimeOfDay?
  /// UTC; `nil` until the receiver has sent a date.
  package let measured: UTCInstant?
  /// Monotonic instant of the last byte that contributes to the fix.
  package let received: MonotonicInstant
  /// The satellites in view, once all of a receiver's GSV sets have arrived. Sets that arrive after their epoch closed
  /// are delivered with the next epoch and keep their own time. An NMEA receiver yields at most one per UTC second.
  package let sky: Sky?
  /// The receiver's error estimates.
  package let noise: PseudorangeNoise?
  /// Whether the date lies before the floor date, which indicates a 1024-week rollover.
  package let rolloverSuspect: Bool
  /// Whether its fix is the first after the receiver's clock was set back.
  package let isClockSetBack: Bool
  /// The instant at which its burst of bytes began on the line; `nil` if it was not separated from the one before it, and
  /// for a fix that was held.
  package var began: MonotonicInstant?
  /// How much longer its fix took to arrive than those before it.
  package var delay = Duration.zero
  /// Whether its fix was withheld as a late one, and no newer one followed.
  package var isNewestOfLate = false
}

/// Why an epoch has no fix.
package enum NoFixReason: String, Hashable, Sendable, CaseIterable {
  /// A sentence reports that there is none.
  case void
  /// A sentence reports a fix, but none carries a position.
  case noPosition
  /// There may be a position, but no sentence states whether it is valid.
  case noStatus
}

/// Totals of a receiver since it was created; every count only grows.
package struct ReceiverCounters: Hashable, Sendable {
  /// The decoder's counts: bytes, sentences, rejects by reason.
  package var nmea = NMEACounters()
  /// The judge's counts: accepted, held, dropped by reason.
  package var judge = JudgeCounters()
  /// Epochs that closed.
  package var epochs: UInt64 = 0
  /// Epochs without a fix: the receiver reports none.
  package var void: UInt64 = 0
  /// Epochs without a fix: no sentence carries a position.
  package var noPosition: UInt64 = 0
  /// Epochs without a fix: no sentence states whether the position is valid.
  package var noStatus: UInt64 = 0
  /// Epochs whose date lies before the floor date.
  package var rolloverSuspects: UInt64 = 0
  /// Fixes that arrived late and together with a newer one, and were not published.
  package var superseded: UInt64 = 0
  /// Sentences that an epoch's fix needed and that arrived after the epoch closed.
  package var late: UInt64 = 0
  /// GSV sets discarded because a part was missing or out of order.
  package var droppedSets: UInt64 = 0
  /// Epochs closed by the learned last sentence.
  package var closedByOrder: UInt64 = 0
  /// Epochs closed by the start of the next epoch.
  package var closedByNext: UInt64 = 0
  /// Epochs closed by silence.
  package var closedBySilence: UInt64 = 0

  package init() {}

  /// Epochs with a fix to publish.
  package var fixes: UInt64 { judge.accepted }
}

extension ReceiverCounters {
  /// The sum of both, for the totals of a receiver across restarts.
  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.nmea = left.nmea + right.nmea
    sum.judge = left.judge + right.judge
    sum.epochs &+= right.epochs
    sum.void &+= right.void
    sum.noPosition &+= right.noPosition
    sum.noStatus &+= right.noStatus
    sum.rolloverSuspects &+= right.rolloverSuspects
    sum.superseded &+= right.superseded
    sum.late &+= right.late
    sum.droppedSets &+= right.droppedSets
    sum.closedByOrder &+= right.closedByOrder
    sum.closedByNext &+= right.closedByNext
    sum.closedBySilence &+= right.closedBySilence
    return sum
  }
}

extension NMEACounters {
  /// The sum of both.
  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.bytes &+= right.bytes
    sum.sentences &+= right.sentences
    sum.unknown &+= right.unknown
    sum.encapsulated &+= right.encapsulated
    sum.malformedFields &+= right.malformedFields
    sum.checksum &+= right.checksum
    sum.noChecksum &+= right.noChecksum
    sum.badChecksumFormat &+= right.badChecksumFormat
    sum.overlong &+= right.overlong
    sum.notASCII &+= right.notASCII
    sum.truncated &+= right.truncated
    sum.fieldCount &+= right.fieldCount
    sum.binaryFrames &+= right.binaryFrames
    sum.tagBlocks &+= right.tagBlocks
    sum.badTagBlocks &+= right.badTagBlocks
    sum.noise &+= right.noise
    return sum
  }
}

extension JudgeCounters {
  /// The sum of both.
  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.accepted &+= right.accepted
    sum.held &+= right.held
    sum.clockSteps &+= right.clockSteps
    sum.outOfOrder &+= right.outOfOrder
    sum.duplicate &+= right.duplicate
    sum.outOfRange &+= right.outOfRange
    sum.nullIsland &+= right.nullIsland
    sum.jump &+= right.jump
    return sum
  }
}
