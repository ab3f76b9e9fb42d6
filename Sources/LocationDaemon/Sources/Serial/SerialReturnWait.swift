import LocationCore

/// How long to wait before a serial line is tried again: a quarter of a second at first, so that a receiver that
/// is plugged in again is back at once, and never more than a second.
struct SerialReturnWait {
  private static let quick = Duration.milliseconds(250)
  private static let quickFor = Duration.seconds(30)

  private var lostAt: MonotonicInstant

  /// A wait whose quick phase begins at `instant`.
  init(at instant: MonotonicInstant) {
    lostAt = instant
  }

  /// The line was lost.
  mutating func didLose(at instant: MonotonicInstant) {
    lostAt = instant
  }

  /// How long to wait now.
  func next(at instant: MonotonicInstant) -> Duration {
    instant - lostAt < Self.quickFor ? Self.quick : WholeSecond.wait(at: instant)
  }
}
