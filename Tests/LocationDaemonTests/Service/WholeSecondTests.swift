import Glibc
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("System clock that is known to be set")
struct SetClockTests {
  @Test func `The error grows from the last time that systemd-timesyncd has set it`() throws {
    let scratch = try ScratchDirectory()
    let now = WallClock.now
    #expect(WallClock.timesyncError(at: now, file: scratch / "synchronized") == nil)
    try scratch.write("", to: "synchronized")
    let second = timeval(tv_sec: Int(now.nanosecondsSince1970 / 1_000_000_000), tv_usec: 0)
    var times = [second, second]
    #expect(utimes(scratch / "synchronized", &times) == 0)
    let fresh = try #require(WallClock.timesyncError(at: now, file: scratch / "synchronized"))
    #expect(fresh >= .milliseconds(500) && fresh < .milliseconds(502))
    let later = WallClock.timesyncError(at: now + .seconds(2000), file: scratch / "synchronized")
    #expect(later.map { abs($0.inSeconds - 1.5) < 0.01 } == true)
    #expect(WallClock.timesyncError(at: now - .seconds(60), file: scratch / "synchronized") == nil, "set back since")
  }
}

@Suite("Timers on whole seconds")
struct WholeSecondTests {
  @Test(
    arguments: [
      (10.0, 1.0, 1.0), (10.25, 1, 0.75), (10.75, 5, 4.25), (10, 5, 5), (10.5, 2.5, 2.5), (10.5, 2.25, 1.5),
      (10.3, 0.2, 0.2), (10.9, 0.999, 0.999), (-0.25, 1, 0.25),
    ]
  )
  func `A wait ends on a whole second and never exceeds the limit`(now: Double, limit: Double, wait: Double) {
    let instant = MonotonicInstant(nanoseconds: Int64(now * 1e9))
    let found = WholeSecond.wait(atMost: .nanoseconds(Int64(limit * 1e9)), at: instant)
    #expect(abs(found.inSeconds - wait) < 1e-6)
  }

  @Test func `Timers set at different moments are due at the same nanosecond`() {
    let second: Int64 = 1_000_000_000
    for nanoseconds in [12 * second, 12 * second + 1, 12 * second + 999_999_999] {
      let instant = MonotonicInstant(nanoseconds: nanoseconds)
      #expect(WholeSecond.deadline(after: instant) == MonotonicInstant(nanoseconds: 13 * second))
    }
    for nanoseconds in [10 * second + 1, 10 * second + 400_000] {
      let instant = MonotonicInstant(nanoseconds: nanoseconds)
      #expect(WholeSecond.deadline(atMost: .seconds(5), after: instant) == MonotonicInstant(nanoseconds: 15 * second))
    }
  }
}
