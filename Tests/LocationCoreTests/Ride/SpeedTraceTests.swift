import Testing

@testable import LocationCore

struct SpeedTraceTests {
  /// A rider who brakes at 2.5 m/s² to a stop at 10 s and starts at 2 m/s² at 20 s, sampled at `rate` Hz with an offset of `phase` samples.
  private func trace(rate: Int, phase: Double, until end: Double, error: (Int) -> Double = { _ in 0 }) -> SpeedTrace {
    var trace = SpeedTrace()
    var before = 12.0
    for index in 0...Int(end * Double(rate)) {
      let time = (Double(index) + phase) / Double(rate)
      let speed = abs(max(0, min(12, max(2.5 * (10 - time), 2 * (time - 20)))) + error(index))
      trace.append(time: time, speed: speed, distance: (before + speed) / 2 / Double(rate))
      before = speed
    }
    return trace
  }

  @Test(arguments: [1, 5, 10], [0, 0.1, 0.25, 0.5, 0.75, 0.9])
  func `A stop and a start lie between the fixes`(rate: Int, phase: Double) throws {
    let period = 1 / Double(rate)
    let stopped = trace(rate: rate, phase: phase, until: 12)
    let slow = ((9.8 / period - phase).rounded(.up) + phase) * period
    #expect(abs((try #require(stopped.stop(slowAt: slow))).time - 10) < 0.01)
    let started = trace(rate: rate, phase: phase, until: 24)
    let fast = ((20.35 / period - phase).rounded(.up) + phase) * period
    #expect(abs((try #require(started.start(fastAt: fast, earliest: 12))).time - 20) < 0.01)
  }

  /// A single fix with 0.5 m/s next to the stop, as between houses, has the least possible effect.
  @Test func `A wrong speed near standstill does not count`() throws {
    let stopped = trace(rate: 1, phase: 0.3, until: 13) { $0 == 10 ? 0.9 : 0 }
    #expect(abs((try #require(stopped.stop(slowAt: 11.3))).time - 10) < 0.01)
    let started = trace(rate: 1, phase: 0.3, until: 25) { $0 == 19 ? 0.9 : 0 }
    #expect(abs((try #require(started.start(fastAt: 19.3, earliest: 12))).time - 20) < 0.01)
  }

  /// After a stop at 10 s a receiver between houses still moves for two fixes.
  @Test func `A single fast fix in a stop does not count`() throws {
    let stopped = trace(rate: 1, phase: 0.7, until: 14) { [10: 1.2, 11: 0.6][$0] ?? 0 }
    #expect(abs((try #require(stopped.stop(slowAt: 12.7))).time - 10) < 0.01)
  }

  /// Up to 1.5 m/s between two fixes: somewhere in the 0.4 s that a strong acceleration leaves.
  @Test func `A start within one interval is dated to its middle`() throws {
    var trace = SpeedTrace()
    for (time, speed) in [0, 0, 1.5, 1.5, 1.5].enumerated() {
      trace.append(time: Double(time), speed: speed, distance: time > 1 ? 1 : 0)
    }
    let edge = try #require(trace.start(fastAt: 2, earliest: 0))
    #expect(abs(edge.time - 1.2) < 0.01)
    #expect(trace.path - edge.path == 3)
  }

  @Test func `The number of fixes is bounded`() {
    let trace = trace(rate: 100, phase: 0, until: 100)
    #expect(trace.stop(slowAt: 90) == nil)
    #expect(trace.path(since: 99.5) < 12)
  }
}
