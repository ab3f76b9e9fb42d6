import Testing

@testable import LocationCore

/// A wheel of 2.1 m that is ridden: its pulses, and a fix each second.
private struct Bench {
  var wheel: WheelMotion
  /// Circumference that the pulses have.
  var circumference = 2.1
  var now = 0.0
  var count = 0.0
  /// Metres since the last pulse.
  private var rest = 0.0
  private var nextFix = 0.0
  /// What it adds to the newest fix.
  var fused: FusedMotion?
  /// What becomes of a pulse: how often it is counted, with which delay.
  var pulse: (_ number: Int) -> [Double] = { _ in [0] }
  private var number = 0
  /// The speed of the receiver, if it is not that of the wheel.
  var receivers: Double?
  /// Seconds between readings; `nil` for one with each pulse.
  var interval: Double?
  /// Shortest time from one of them to the next, seconds.
  var pause = 0.0
  private var newestReading = 0.0
  private var eventTime = 0.0
  private var nextReading = 0.0

  init(_ circumference: Double? = nil) { wheel = WheelMotion(WheelCircumference(circumference)) }

  var instant: MonotonicInstant { MonotonicInstant(nanoseconds: Int64(now * 1e9)) }

  private mutating func read(at time: Double) {
    newestReading = time
    wheel.receive(count, eventTime: eventTime, at: MonotonicInstant(nanoseconds: Int64(time * 1e9)))
  }

  /// Rides at the speed of each moment for so many seconds.
  mutating func ride(_ seconds: Double, fixes: (Fix, FusedMotion) -> Void = { _, _ in }, speed: (Double) -> Double) {
    let (begin, step) = (now, 0.005)
    for tick in 1...Int(seconds / step) {
      now = begin + Double(tick) * step
      let speed = speed(now - begin)
      rest += speed * step
      if rest >= circumference {
        rest -= circumference
        number += 1
        for delay in pulse(number) {
          (count, eventTime) = (count + 1, now + delay)
          if interval == nil, now + delay - newestReading >= pause { read(at: now + delay) }
        }
      }
      if let interval, now >= nextReading {
        nextReading = now + interval
        read(at: now)
      }
      guard now >= nextFix else { continue }
      nextFix = now + 0.999
      var fix = Fix(position: .origin, mode: .threeD, received: instant)
      (fix.speed, fix.course) = (receivers ?? speed, 90)
      var fused = FusedMotion()
      wheel.complete(fix, &fused)
      self.fused = fused
      fixes(fix, fused)
    }
  }

  mutating func ride(_ seconds: Double, at speed: Double) { ride(seconds) { _ in speed } }
  var wheelSpeed: Double? { fused?.wheelSpeed.map(Double.init) }
}

@Suite("Wheel")
struct WheelMotionTests {
  @Test func `The circumference is learned from 500 m, and not earlier`() throws {
    var bench = Bench()
    bench.ride(60, at: 8)
    #expect(bench.wheelSpeed == nil)
    bench.ride(30, at: 8)
    let value = try #require(bench.wheel.circumference.value)
    #expect(abs(value - 2.1) < 0.01, "\(value)")
    #expect(abs(value - 2.1) <= (bench.wheel.circumference.error ?? 0))
    #expect(abs(try #require(bench.wheelSpeed) - 8) < 0.3)
  }

  @Test func `Nothing is learned in bends, in traffic or at a walk`() {
    var bench = Bench()
    bench.ride(200) { 4 + 3 * (($0 / 4).truncatingRemainder(dividingBy: 2) < 1 ? 0 : 1) }
    bench.ride(200, at: 2)
    #expect(bench.wheel.circumference.value == nil)
  }

  @Test func `A given circumference counts at once, and is not learned`() throws {
    var bench = Bench(2.05)
    bench.ride(10, at: 8)
    #expect(abs(try #require(bench.wheelSpeed) - 8 * 2.05 / 2.1) < 0.3)
    bench.ride(100, at: 8)
    #expect(bench.wheel.circumference.value == 2.05)
  }

  @Test(arguments: [3.0, 8, 15])
  func `Doubled pulses change neither speed nor way`(speed: Double) throws {
    var bench = Bench(2.1)
    bench.pulse = { $0 % 5 == 0 ? [0, 0.008] : [0] }
    var way = 0.0
    bench.ride(60, fixes: { way += Double($1.wheelWay ?? 0) }) { _ in speed }
    #expect(abs(try #require(bench.wheelSpeed) - speed) < 0.1 * speed)
    #expect(abs(way - 60 * speed) < 2 * speed + 4, "\(way)")
  }

  @Test func `A missed pulse at speed changes neither speed nor way`() throws {
    var bench = Bench(2.1)
    bench.pulse = { $0 % 7 == 0 ? [] : [0] }
    var way = 0.0
    bench.ride(60, fixes: { way += Double($1.wheelWay ?? 0) }) { _ in 10 }
    #expect(abs(try #require(bench.wheelSpeed) - 10) < 1)
    #expect(abs(way - 600) < 24, "\(way)")
  }

  @Test func `A sensor that falls asleep leaves no speed, and no standstill`() {
    var bench = Bench(2.1)
    bench.ride(20, at: 8)
    bench.pulse = { _ in [] }
    bench.ride(60, fixes: { _, fused in #expect(fused.wheelSpeed.map { $0 > 4 } ?? true) }) { _ in 8 }
    #expect(bench.wheelSpeed == nil)
    bench.pulse = { _ in [0] }
    bench.ride(10, at: 8)
    #expect(bench.wheelSpeed.map { abs($0 - 8) < 0.5 } == true)
  }

  @Test func `A wheel that spins while the unit stands is implausible until it agrees again`() {
    var bench = Bench()
    bench.ride(100, at: 8)
    let learned = bench.wheel.circumference
    bench.receivers = 0.1
    bench.ride(30, at: 9)
    #expect(bench.wheel.isImplausible && bench.wheelSpeed == nil)
    bench.ride(30, at: 0)
    #expect(bench.wheel.isImplausible)
    bench.receivers = nil
    bench.ride(20, at: 7)
    #expect(!bench.wheel.isImplausible)
    #expect(abs((bench.wheelSpeed ?? 0) - 7) < 0.2)
    #expect(bench.wheel.circumference.value.map { abs($0 - (learned.value ?? 0)) < 0.01 } == true)
  }

  @Test(arguments: [1.5, 1.95]) func `An exchanged wheel is implausible, and what was learned stays`(other: Double) {
    var bench = Bench()
    bench.ride(120, at: 8)
    let learned = bench.wheel.circumference.value
    bench.circumference = other
    bench.ride(60, at: 8)
    #expect(bench.wheel.isImplausible && bench.wheelSpeed == nil)
    #expect(bench.wheel.circumference.value.map { abs($0 - (learned ?? 0)) < 0.005 } == true)
    bench.circumference = 2.1
    bench.ride(60, at: 8)
    #expect(!bench.wheel.isImplausible && bench.wheelSpeed != nil)
  }

  @Test(arguments: [nil, 0.25])
  func `It stands within half a second of its standstill`(interval: Double?) {
    for phase in 0..<20 {
      var bench = Bench(2.1)
      bench.interval = interval
      bench.ride(20 + Double(phase) * 0.0137, at: 6)
      var stood: Double?
      // At 2 m/s² to a standstill in 3 s.
      for tick in 0..<100 {
        bench.ride(0.05) { max(0, 6 - 2 * (Double(tick) * 0.05 + $0)) }
        if stood == nil, bench.wheel.rateNow(at: bench.instant) == 0 { stood = Double(tick + 1) * 0.05 - 3 }
      }
      #expect(stood.map { (-0.5...(0.5 + (interval ?? 0))).contains($0) } == true, "\(stood ?? .nan), phase \(phase)")
    }
  }

  @Test(arguments: [2.0, 6, 12])
  func `A sensor that sends once a second has the speed, and does not stand`(speed: Double) {
    var bench = Bench(2.1)
    bench.interval = 1
    bench.ride(
      60,
      fixes: { fix, fused in
        guard fix.received > MonotonicInstant(nanoseconds: 10_000_000_000) else { return }
        #expect(fused.wheelSpeed.map { abs(Double($0) - speed) < 0.35 * speed } == true)
      }
    ) { _ in speed }
  }

  @Test func `A wheel that was too fast for a reading of each turn is known to stand`() {
    var bench = Bench(2.1)
    // As of a GPIO line, on a motorway.
    bench.pause = 0.06
    bench.ride(10, at: 40)
    bench.ride(10) { 40 - 4 * $0 }
    bench.ride(10, at: 0)
    #expect(bench.wheelSpeed == 0)
  }

  @Test func `Two stops of a journey are not a way`() {
    var bench = Bench(2.1)
    var way = 0.0
    for _ in 0..<4 {
      bench.ride(30, fixes: { way += Double($1.wheelWay ?? 0) }) { _ in 5 }
      bench.ride(300, fixes: { way += Double($1.wheelWay ?? 0) }) { _ in 0 }
    }
    #expect(abs(way - 600) < 20, "\(way)")
    #expect(bench.wheelSpeed == 0)
  }

  @Test func `What was learned is kept by unit`() throws {
    var bench = Bench()
    bench.ride(100, at: 8)
    var known = KnownWheels()
    known.keep(bench.wheel.circumference, of: "my wheel")
    let line = try #require(known.learned.first?.line)
    let read = try #require(KnownWheels.Wheel(line: line[...]))
    #expect(read.source == "my wheel")
    #expect(abs(read.circumference - 2.1) < 0.01)
    let again = KnownWheels(learned: [read])
    #expect(again.circumference(of: "my wheel").value == read.circumference)
    #expect(again.circumference(of: "another").value == nil)
    for damaged in ["", "x", line + " 1", "true 00 9.5 0.1", "true 00 nan 0.1"] {
      #expect(KnownWheels.Wheel(line: damaged[...]) == nil)
    }
  }
}
