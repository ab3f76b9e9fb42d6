import LocationCore
import NIOCore

/// Timers that need not be exact fire together, at whole seconds of the monotonic clock: one wake-up does for all.
enum WholeSecond {
  /// From `instant` to the next whole second, at most a second.
  static func wait(at instant: MonotonicInstant) -> Duration { wait(atMost: .seconds(1), at: instant) }

  /// From `instant` to the last whole second that is no farther than `limit`, or the limit itself if it is below a
  /// second.
  static func wait(atMost limit: Duration, at instant: MonotonicInstant) -> Duration {
    guard limit >= .seconds(1) else { return limit }
    let second: Int64 = 1_000_000_000
    let rest = (instant.nanoseconds &+ limit.nanoseconds) % second
    return limit - .nanoseconds(rest < 0 ? rest + second : rest)
  }

  /// When that wait after `instant` is over. Timers that are due at the same nanosecond are done in one turn; a wait
  /// that is counted from when each is set is not the same for two.
  static func deadline(atMost limit: Duration = .seconds(1), after instant: MonotonicInstant) -> NIODeadline {
    .uptimeNanoseconds(UInt64(clamping: (instant + wait(atMost: limit, at: instant)).nanoseconds))
  }
}
