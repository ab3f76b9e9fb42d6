import Glibc
import LocationCore
import NIOCore

/// The system's calendar clock. It can be wrong and can jump, so it never times anything.
enum WallClock {
  /// Now, by the system's clock.
  static var now: UTCInstant {
    // A timespec as a tuple: the module of its members depends on how the standard library is linked.
    var time = (seconds: time_t(0), nanoseconds: 0)
    withUnsafeMutableBytes(of: &time) { bytes in
      guard let address = bytes.baseAddress else { return }
      clock_gettime(CLOCK_REALTIME, address.assumingMemoryBound(to: timespec.self))
    }
    return UTCInstant(nanosecondsSince1970: Int64(time.seconds) * 1_000_000_000 + Int64(time.nanoseconds))
  }
}

/// Deadlines of timers that need not be exact: on whole seconds of the monotonic clock, so that one wake-up serves all.
enum WholeSecond {
  /// Time from `instant` to the next whole second, at most 1 s.
  static func wait(at instant: MonotonicInstant) -> Duration { wait(atMost: .seconds(1), at: instant) }

  /// Time from `instant` to the last whole second within `limit`; `limit` itself if it is shorter than a second.
  static func wait(atMost limit: Duration, at instant: MonotonicInstant) -> Duration {
    guard limit >= .seconds(1) else { return limit }
    let second: Int64 = 1_000_000_000
    let rest = (instant.nanoseconds &+ limit.nanoseconds) % second
    return limit - .nanoseconds(rest < 0 ? rest + second : rest)
  }

  /// The end of that wait; absolute, so that timers set at different moments are due together, in one turn of the loop.
  static func deadline(atMost limit: Duration = .seconds(1), after instant: MonotonicInstant) -> NIODeadline {
    NIODeadline(instant + wait(atMost: limit, at: instant))
  }
}
