/// What one measurement instant of a receiver came to; there is exactly one of these per epoch.
///
/// A fix that is held gives `held` when its epoch closes; if it is accepted later, it follows as
/// one more value with its own, earlier times.
package struct Epoch: Sendable {
  /// What is known now that the epoch is over.
  package enum Outcome: Sendable {
    /// Its fix, to be published. `suspect` when its position jumped implausibly.
    case fix(Fix, suspect: Bool)
    /// The receiver has no fix.
    case noFix(NoFixReason)
    /// It has a fix that must not be published.
    case dropped(FixRejection)
    /// Its fix jumped and waits for confirmation.
    case held
  }

  /// What is known now that the epoch is over.
  package let outcome: Outcome
  /// The epoch's key: UTC time of day; `nil` when no sentence carried one.
  package let timeOfDay: TimeOfDay?
  /// UTC; `nil` as long as the receiver has told no date.
  package let measured: UTCInstant?
  /// Monotonic instant of the last byte that went into the fix.
  package let received: MonotonicInstant
  /// The satellites in view, once all of a receiver's GSV sets have arrived. When sets trail behind what
  /// closes their epoch, they come with the epoch after it and say so in their own time. Of NMEA
  /// there is one per UTC second: nobody is told of more.
  package let sky: Sky?
  /// The errors that the receiver estimates.
  package let noise: PseudorangeNoise?
  /// Whether the date lies before the floor date, as it does behind a 1024-week rollover.
  package let rolloverSuspect: Bool
  /// Whether its fix is the first after the receiver's clock was set back.
  package let isClockSetBack: Bool
}

/// Why an epoch has no fix.
package enum NoFixReason: String, Hashable, Sendable, CaseIterable {
  /// A sentence says that there is none.
  case void
  /// A sentence says that there is one, and no position came with it.
  case noPosition
  /// There may be a position, but no sentence says whether it is valid.
  case noStatus
}

/// What a receiver's bytes came to since its state was made; every count only grows.
package struct ReceiverCounters: Hashable, Sendable {
  /// The decoder's counts: bytes, sentences, rejects by reason.
  package var nmea = NMEACounters()
  /// The judge's counts: accepted, held, dropped by reason.
  package var judge = JudgeCounters()
  /// Epochs that closed.
  package var epochs: UInt64 = 0
  /// Epochs without a fix: the receiver says that there is none.
  package var void: UInt64 = 0
  /// Epochs without a fix: no position came.
  package var noPosition: UInt64 = 0
  /// Epochs without a fix: no sentence says whether the position is valid.
  package var noStatus: UInt64 = 0
  /// Epochs whose date lies before the floor date.
  package var rolloverSuspects: UInt64 = 0
  /// Sentences that the fix of an epoch would have needed and that came after it had closed.
  package var late: UInt64 = 0
  /// Sets of GSV given up because a part was missing or out of order.
  package var droppedSets: UInt64 = 0
  /// Closed because the learned last sentence had come.
  package var closedByOrder: UInt64 = 0
  /// Closed because the next epoch began.
  package var closedByNext: UInt64 = 0
  /// Closed because nothing more came.
  package var closedBySilence: UInt64 = 0

  package init() {}

  /// Epochs that gave a fix to publish.
  package var fixes: UInt64 { judge.accepted }
}

extension ReceiverCounters {
  /// Both together: a receiver that was begun anew goes on counting.
  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.nmea = left.nmea + right.nmea
    sum.judge = left.judge + right.judge
    sum.epochs &+= right.epochs
    sum.void &+= right.void
    sum.noPosition &+= right.noPosition
    sum.noStatus &+= right.noStatus
    sum.rolloverSuspects &+= right.rolloverSuspects
    sum.late &+= right.late
    sum.droppedSets &+= right.droppedSets
    sum.closedByOrder &+= right.closedByOrder
    sum.closedByNext &+= right.closedByNext
    sum.closedBySilence &+= right.closedBySilence
    return sum
  }
}

extension NMEACounters {
  /// Both together.
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
  /// Both together.
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
