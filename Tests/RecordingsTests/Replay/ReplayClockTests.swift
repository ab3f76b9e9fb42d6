import LocationCore
import Testing

@testable import Recordings

struct ReplayClockTests {
  @Test(arguments: [(1.0, 10_000), (10, 1000), (0.5, 20_000)] as [(Double, Int64)])
  func `Deadlines are start plus offset by speed`(speed: Double, milliseconds: Int64) {
    let clock = ReplayClock(speed: .times(speed), at: .milliseconds(500))
    #expect(clock.deadline(of: .zero) == .at(.milliseconds(500)))
    #expect(clock.deadline(of: .seconds(10)) == .at(.milliseconds(500 + milliseconds)))
    #expect(clock.offset(at: .milliseconds(500 + milliseconds)) == .seconds(10))
  }

  @Test func `A day at an odd speed drifts by nothing`() {
    let clock = ReplayClock(speed: .times(3), at: .zero)
    #expect(clock.deadline(of: .seconds(86_400 * 30)) == .at(.milliseconds(864_000_000)))
  }

  @Test func `A pause holds every deadline and shifts it by its length`() {
    var clock = ReplayClock(speed: .times(2), at: .zero)
    clock.pause(at: .milliseconds(1000))
    #expect(clock.isPaused)
    #expect(clock.deadline(of: .seconds(1)) == .paused)
    #expect(clock.offset(at: .milliseconds(9000)) == .seconds(2))
    clock.resume(at: .milliseconds(11_000))
    #expect(clock.deadline(of: .seconds(4)) == .at(.milliseconds(12_000)))
  }

  @Test func `A change of speed counts from where the replay is`() {
    var clock = ReplayClock(speed: .times(1), at: .zero)
    clock.run(.times(10), at: .milliseconds(1000))
    #expect(clock.deadline(of: .seconds(11)) == .at(.milliseconds(2000)))
  }

  @Test func `At max nothing waits, and time is where the items are`() {
    var clock = ReplayClock(speed: .max, at: .milliseconds(5))
    #expect(clock.deadline(of: .seconds(1_000_000)) == .now)
    clock.reached(.seconds(7))
    #expect(clock.offset(at: .milliseconds(123_456)) == .seconds(7))
    clock.run(.times(1), at: .milliseconds(1000))
    #expect(clock.deadline(of: .seconds(8)) == .at(.milliseconds(2000)))
  }

  @Test(arguments: [
    ("max", ReplaySpeed.max), ("1", .times(1)), ("10", .times(10)), ("0.5", .times(0.5)), ("1000", .times(1000)),
    ("2.25", .times(2.25)),
  ]) func `A speed is read`(text: String, speed: ReplaySpeed) {
    #expect(ReplaySpeed(text: text) == speed)
  }

  @Test(arguments: [
    "", "0", "-1", "1001", "inf", "nan", "0x10", "1e2", "+5", "1.", ".5", "1.2.3", "MAX", "1 ", "0.001",
  ])
  func `What is no speed is not`(text: String) {
    #expect(ReplaySpeed(text: text) == nil)
  }
}
