import Glibc
import Libc
import LocationCore
import SystemPackage

/// The system's calendar clock. It can be wrong and can jump, so it never times anything.
enum WallClock {
  static var now: UTCInstant {
    // A timespec as a tuple: the module of its members depends on how the standard library is linked.
    var time = (seconds: time_t(0), nanoseconds: 0)
    withUnsafeMutableBytes(of: &time) { bytes in
      guard let address = bytes.baseAddress else { return }
      clock_gettime(CLOCK_REALTIME, address.assumingMemoryBound(to: timespec.self))
    }
    return UTCInstant(nanosecondsSince1970: Int64(time.seconds) * 1_000_000_000 + Int64(time.nanoseconds))
  }

  /// Now, with the clock's greatest error, if the clock is known to be set; else `nil`.
  static var whenSet: (utc: UTCInstant, error: Duration)? {
    let now = now
    return (KernelClock.error ?? timesyncError(at: now)).map { (now, $0) }
  }

  /// The greatest error by the file that systemd-timesyncd(8) touches whenever it has set the clock: half a second
  /// then, and as much drift since as the kernel allows for.
  static func timesyncError(
    at now: UTCInstant, file: String = "/run/systemd/timesync/synchronized"
  ) -> Duration? {
    guard let status = try? Stat(file) else { return nil }
    let age = now - UTCInstant(nanosecondsSince1970: Int64(status.st_mtim.tv_sec) * 1_000_000_000)
    guard age > .seconds(-1) else { return nil }
    return .milliseconds(500) + max(age, .zero) / 2000
  }
}

/// Deadlines of timers that need not be exact: on whole seconds of the monotonic clock, so that one wake-up serves all.
enum WholeSecond {
  /// Time from `instant` to the last whole second within `limit`; `limit` itself if it is shorter than a second.
  static func wait(atMost limit: Duration = .seconds(1), at instant: MonotonicInstant) -> Duration {
    guard limit >= .seconds(1) else { return limit }
    let second: Int64 = 1_000_000_000
    let rest = (instant.nanoseconds &+ limit.nanoseconds) % second
    return limit - .nanoseconds(rest < 0 ? rest + second : rest)
  }

  /// The end of that wait; absolute, so that timers set at different moments are due together, in one turn of the loop.
  static func deadline(atMost limit: Duration = .seconds(1), after instant: MonotonicInstant) -> MonotonicInstant {
    instant + wait(atMost: limit, at: instant)
  }
}

/// The kernel's boot, to whose monotonic clock instants belong.
enum BootID {
  /// The kernel's boot id (random(4)), or `unknown`.
  static var current: String {
    let bytes = try? FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id", limit: 36)
    return bytes.map { $0.count == 36 ? String(decoding: $0, as: UTF8.self) : "unknown" } ?? "unknown"
  }

  /// A boot of its own, for a replay, which runs on its own clock.
  static var ofReplay: String { "replay-\(getpid())-\(EngineClock.machine.nanoseconds)" }
}
