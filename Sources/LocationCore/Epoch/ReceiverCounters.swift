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
