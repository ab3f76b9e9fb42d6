import LocationCore

/// A client that does not take what waits for it.
struct Stall {
  /// How long a client may read nothing while something waits for it.
  static let patience = Duration.seconds(10)

  private var since: MonotonicInstant
  private var waiting: Int

  /// A stall from `instant`, with so many bytes waiting.
  init(since instant: MonotonicInstant, waiting: Int) {
    since = instant
    self.waiting = waiting
  }

  /// The client took something in.
  mutating func restart(at instant: MonotonicInstant) {
    since = instant
  }

  /// Notes how much waits now; less than before means that the client took something in.
  mutating func observe(waiting: Int, at instant: MonotonicInstant) {
    if waiting < self.waiting { since = instant }
    self.waiting = waiting
  }

  /// How much patience is left.
  func remaining(at instant: MonotonicInstant) -> Duration {
    Self.patience - (instant - since)
  }
}
