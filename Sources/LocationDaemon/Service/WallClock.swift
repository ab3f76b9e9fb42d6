import Glibc
import LocationCore

/// The system's calendar clock. It can be wrong and can step: nothing is timed by it.
enum WallClock {
  /// Now, as the system believes.
  static var now: UTCInstant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UTCInstant(nanosecondsSince1970: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
