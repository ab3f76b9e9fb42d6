/// Groups the sentences of one receiver into epochs and closes each exactly once.
///
/// The key of an epoch is its time of day. It closes when the learned last sentence has come, when another
/// time comes, when a type comes twice, or after a silence. Between its close and the next epoch it stays at
/// hand, so that a late sentence is told from the first one of the next epoch.
struct EpochAssembler: Sendable {
  /// Times of day that lie closer together than this belong to one epoch, nanoseconds.
  static let sameTime: Int64 = 10_000_000

  /// Where the assembler stands between bytes.
  private enum Phase {
    /// No epoch is at hand. Untimed sentences that come now go ahead of the next one.
    case between
    /// An epoch is open.
    case open
    /// The epoch at hand has closed; what still belongs to it comes late.
    case closed
  }

  /// What ended an epoch.
  enum Close {
    case order, next, silence
  }

  /// The epoch at hand, or the beginning of the next one.
  private(set) var content = EpochContent()
  /// How often epochs come.
  private(set) var rhythm = EpochRhythm()
  /// Sentences that came for an epoch that had closed.
  private(set) var late: UInt64 = 0

  private var phase = Phase.between
  /// The key of the epoch before the one at hand.
  private var previousKey: TimeOfDay?
  private var orders = [SentenceOrder](repeating: SentenceOrder(), count: Opening.allCases.count)
  private var opening = Opening.untimed
  private var lastByte: MonotonicInstant?
  /// The longest pause between reads since the epoch at hand began, nanoseconds.
  private var pause: Int64 = 0

  /// The sentence that opened an epoch. The order is learned for each kind by itself: there are receivers
  /// that send one half of their sentences for one second and the other half for the next.
  private enum Opening: Int, CaseIterable {
    case rmc, gga, gll, gns, zda, gst, untimed
  }

  /// When silence closes the open epoch; `nil` when none is open.
  var deadline: MonotonicInstant? {
    guard case .open = phase, let lastByte else { return nil }
    return lastByte + .nanoseconds(rhythm.silence)
  }

  /// Notes that bytes arrived. Call it before their sentences are taken, after `expire`.
  mutating func arrived(at instant: MonotonicInstant) {
    if let lastByte {
      let gap = instant.nanoseconds &- lastByte.nanoseconds
      pause = max(pause, gap)
      // After a silence nothing untimed belongs to the epoch before it.
      if gap >= rhythm.silence, case .closed = phase, !content.awaitsTimed { finish() }
    }
    lastByte = instant
  }
}
