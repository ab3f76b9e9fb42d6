import Glibc

/// The machine's clocks, in nanoseconds.
enum Clock {
  /// Monotonic time.
  static var now: Int64 { read(CLOCK_MONOTONIC) }

  /// CPU time of the calling thread.
  static var thread: Int64 { read(CLOCK_THREAD_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
