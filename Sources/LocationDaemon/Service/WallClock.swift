import Glibc
import LocationCore

/// The system's calendar clock. It can be wrong and can step: nothing is timed by it.
enum WallClock {
  /// Now, as the system believes.
  static var now: UTCInstant {
    // A timespec, field by field: which module its members are in depends on how the standard library is linked.
    var time = (seconds: time_t(0), nanoseconds: 0)
    withUnsafeMutableBytes(of: &time) { bytes in
      guard let place = bytes.baseAddress else { return }
      clock_gettime(CLOCK_REALTIME, place.assumingMemoryBound(to: timespec.self))
    }
    return UTCInstant(nanosecondsSince1970: Int64(time.seconds) * 1_000_000_000 + Int64(time.nanoseconds))
  }
}
