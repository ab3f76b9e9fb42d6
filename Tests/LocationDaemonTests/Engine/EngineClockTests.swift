import LocationCore
import NIOCore
import Testing

@testable import LocationDaemon

@Suite("Engine clock")
struct EngineClockTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  /// Expects the time of `clock` between two readings of the machine's clock, each converted by `expected`.
  private func expect(
    _ clock: EngineClock, within expected: (MonotonicInstant) -> Double,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let before = EngineClock.machine
    let now = clock.now.seconds(since: .zero)
    let after = EngineClock.machine
    #expect(now >= expected(before) - 1e-6 && now <= expected(after) + 1e-6, sourceLocation: sourceLocation)
  }

  @Test func `A live clock is the machine's`() {
    let clock = EngineClock()
    #expect(!clock.isStepped)
    expect(clock) { $0.seconds(since: .zero) }
    #expect(clock.machineDeadline(of: at(12.5)) == .uptimeNanoseconds(12_500_000_000))
    #expect(clock.machineDeadline(of: at(-3)) == .uptimeNanoseconds(0))
  }

  @Test(arguments: [0.1, 2.0, 10, 1000])
  func `A scaled clock continues at N times the rate`(rate: Double) throws {
    let clock = EngineClock()
    let before = EngineClock.machine
    clock.run(rate: rate, from: at(100))
    let after = EngineClock.machine
    let now = clock.now.seconds(since: .zero)
    let last = EngineClock.machine
    #expect(now >= 100)
    #expect(now <= 100 + rate * last.seconds(since: before) + 1e-6)

    let due = try #require(clock.machineDeadline(of: at(100 + rate)))
    #expect(due >= .uptimeNanoseconds(UInt64(before.nanoseconds)) + .seconds(1))
    #expect(due <= .uptimeNanoseconds(UInt64(after.nanoseconds)) + .seconds(1) + .nanoseconds(1))
  }

  @Test(arguments: [0.3, 3.0, 7, 999])
  func `A machine deadline is never early`(rate: Double) throws {
    let clock = EngineClock()
    clock.run(rate: rate, from: at(0))
    let soon = clock.now + .milliseconds(3)
    let due = try #require(clock.machineDeadline(of: soon))
    while NIODeadline.now() < due {}
    #expect(clock.now >= soon)
  }

  @Test func `A change of rate does not make the clock jump`() {
    let clock = EngineClock()
    clock.run(rate: 10, from: at(50))
    let start = EngineClock.machine
    let before = clock.now
    clock.run(rate: 1)
    let after = clock.now
    #expect(after >= before)
    #expect(after.seconds(since: before) <= 10 * EngineClock.machine.seconds(since: start) + 1e-6)
  }

  @Test func `While paused, time stands still and has no deadline`() {
    let clock = EngineClock()
    clock.run(rate: 0, from: at(7))
    let start = EngineClock.machine
    while EngineClock.machine.seconds(since: start) < 0.002 {}
    #expect(clock.now == at(7))
    #expect(clock.machineDeadline(of: at(8)) == nil)
    #expect(!clock.isStepped)
  }

  @Test func `A stepped clock moves only by steps, and never back`() {
    let clock = EngineClock()
    clock.startStepping(at: at(5))
    #expect(clock.isStepped)
    #expect(clock.now == at(5))
    clock.step(to: at(6))
    #expect(clock.now == at(6))
    clock.step(to: at(5.5))
    #expect(clock.now == at(6))
    #expect(clock.machineDeadline(of: at(7)) == nil)
  }

  @Test func `After stepping the clock continues from there; a step has no effect while it runs`() {
    let clock = EngineClock()
    clock.startStepping(at: at(1000))
    let start = EngineClock.machine
    clock.run(rate: 1)
    #expect(!clock.isStepped)
    let now = clock.now
    #expect(now >= at(1000))
    #expect(now.seconds(since: at(1000)) <= EngineClock.machine.seconds(since: start) + 1e-6)
    clock.step(to: at(5000))
    #expect(clock.now.seconds(since: at(1000)) <= EngineClock.machine.seconds(since: start) + 1e-6)
  }

  @Test func `Time does not pass the horizon, and catches up when the horizon is removed`() throws {
    let clock = EngineClock()
    clock.run(rate: 1000, from: at(0))
    clock.horizon = at(1)
    let due = try #require(clock.machineDeadline(of: at(5)))
    while NIODeadline.now() < due {}
    #expect(clock.now == at(1))
    clock.horizon = at(3)
    #expect(clock.now == at(3))
    clock.horizon = nil
    #expect(clock.now >= at(5))
  }

  @Test func `A horizon does not delay the time behind it`() {
    let clock = EngineClock()
    clock.run(rate: 0, from: at(9))
    clock.horizon = at(4)
    #expect(clock.now == at(4))
    clock.run(rate: 0)
    clock.horizon = nil
    #expect(clock.now == at(9))
  }

  @Test func `After years at the highest rate, time saturates without a trap`() {
    let clock = EngineClock()
    clock.run(rate: 1000, from: MonotonicInstant(nanoseconds: .max - 5))
    while EngineClock.machine.nanoseconds & 0xFFFF == 0 {}
    #expect(clock.now.nanoseconds >= .max - 5)
    clock.run(rate: 1e12, from: at(0))
    while clock.now.nanoseconds < .max {}
    #expect(clock.now.nanoseconds == .max)
    clock.run(rate: 0.1, from: at(0))
    #expect(clock.machineDeadline(of: MonotonicInstant(nanoseconds: .max)) == .uptimeNanoseconds(UInt64(Int64.max)))
    #expect(clock.machineDeadline(of: MonotonicInstant(nanoseconds: .min)) == .uptimeNanoseconds(0))
  }
}
