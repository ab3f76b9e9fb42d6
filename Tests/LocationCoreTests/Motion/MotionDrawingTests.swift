import Testing

@testable import LocationCore

/// How poses follow each other: forward, without jumps, at the right times.
@Suite("Drawing of poses")
struct MotionDrawingTests {
  @Test func `A hairpin is drawn forward`() {
    var ride = TrueRide(speed: 6)
    for turn in 0..<8 { ride = ride.on(6).on(4, turning: turn % 2 == 0 ? 45 : -45) }
    for sigma in [0, 0.8] {
      var rig = MotionRig()
      rig.ride(ride, sigma: sigma)
      #expect(rig.backward.isEmpty && rig.stalled.isEmpty)
    }
  }

  @Test func `After a U-turn on the spot the way is drawn forward in the new direction`() {
    let there = TrueRide(speed: 6).on(10).on(3, accelerating: -2).on(2)
    let ride = there.turned(by: 180).on(2, accelerating: 2).on(10)
    var rig = MotionRig()
    rig.ride(ride)
    #expect(rig.backward.isEmpty && rig.stalled.isEmpty)
    #expect(rig.poses.suffix(60).allSatisfy { rig.error(of: $0, on: ride) < 0.5 })
  }

  @Test(arguments: [0.2, 0.5, 1, 2, 5, 10, 25])
  func `Every rate of receivers is drawn forward`(rate: Double) {
    let bends = TrueRide(speed: 10).on(20).on(6, turning: 15).on(8, accelerating: -1).on(6, turning: -30)
    let ride = bends.on(5, accelerating: 2).on(20)
    var rig = MotionRig()
    rig.ride(ride, every: 1 / rate, sigma: 0.3)
    #expect(rig.poses.count > (rate < 0.3 ? 2000 : 3500))
    #expect(rig.backward.isEmpty && rig.stalled.isEmpty)
    guard rate >= 1 else { return }
    let errors = rig.poses.map { rig.error(of: $0, on: ride) }.sorted()
    #expect(errors[errors.count * 95 / 100] < 4)
    #expect(rig.advances.allSatisfy { $0.metres < 1.2 })
  }

  @Test(arguments: [(1.5, 0.15), (7, 0.7), (40, 4), (1000, 100)])
  func `Faster time has as many poses per second of the machine's clock`(pace: Double, interval: Double) {
    var rig = MotionRig(rate: 10)
    rig.pace = pace
    rig.ride(TrueRide(speed: 10).on(1000))
    let times = rig.poses.map { rig.seconds(of: $0) }
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > interval - 0.0015 })
    #expect(Double(times.count) > 0.7 * 1000 / interval)
  }

  @Test func `A correction is drawn in within 0.5 s, without a jump`() {
    let ride = TrueRide(speed: 10).on(40)
    var rig = MotionRig()
    rig.ride(ride, to: 20, sigma: 0.4)
    for second in 21...23 {
      let position = ride.position(at: Double(second)).offset(north: 1.2, east: 0)
      rig.fix(at: Double(second), position, speed: 10, course: 30)
    }
    rig.draw(until: 24)
    let after = rig.poses.filter { rig.seconds(of: $0) > 21.62 && rig.seconds(of: $0) < 22.1 }
    #expect(after.count > 25)
    #expect(after.allSatisfy { $0.coordinate.distance(to: ride.position(at: rig.seconds(of: $0))) > 0.6 })
    #expect(rig.poses.allSatisfy { !$0.isJump } && rig.backward.isEmpty)
  }

  @Test func `A correction beside and behind is drawn in within 0.1 s of its arrival`() throws {
    let ride = TrueRide(speed: 20).on(40)
    var rig = MotionRig()
    rig.ride(ride, to: 20, sigma: 0.1)
    let shifted = ride.position(at: 21).offset(north: 1.2, east: 0)
    rig.fix(at: 21, shifted, speed: 20, course: 30)
    rig.draw(until: 21.9)
    let after = rig.poses.filter { $0.age.inSeconds > 0.199 && $0.age.inSeconds < 0.5 && $0.seq == 22 }
    #expect(after.count > 15)
    for pose in after {
      let expected = ride.position(at: rig.seconds(of: pose)).offset(north: 1.2, east: 0)
      #expect(pose.coordinate.distance(to: expected) < 0.15)
    }
  }

  @Test(arguments: 1...8)
  func `Where fixes scatter at random twice as far as the rider moves, hardly a frame turns back`(seed: Int) {
    let ride = TrueRide(speed: 3).on(150).on(20, turning: 20).on(100)
    var rig = MotionRig()
    var random = SeededNoise(seed: UInt64(seed))
    for second in 0..<260 {
      let state = ride.state(at: Double(second))
      rig.fix(
        at: Double(second),
        ride.position(at: Double(second)).offset(north: 6 * random.normal(), east: 6 * random.normal()),
        speed: max(0.8, state.speed + 0.8 * random.normal()), course: state.course + 40 * random.normal())
    }
    #expect(rig.poses.count > 14_000 && rig.backward.count <= 3 && rig.stalled.count <= 6)
  }

  @Test func `A correction of more than three radii is one jump`() {
    let ride = TrueRide(speed: 10).on(40)
    var rig = MotionRig()
    rig.ride(ride, to: 20, sigma: 0.2)
    for second in 21...30 {
      let position = ride.position(at: Double(second)).offset(north: 80, east: 0)
      rig.fix(at: Double(second), position, speed: 10, course: 30)
    }
    #expect(rig.poses.count { $0.isJump } == 1 && rig.backward.isEmpty)
    #expect(rig.poses.last.map { rig.error(of: $0, on: ride) > 79 } == true)
  }

  @Test func `Another source is drawn in like any correction`() {
    let ride = TrueRide(speed: 10).on(40)
    var rig = MotionRig()
    rig.ride(ride, to: 20, sigma: 0.5)
    rig.source = 1
    for second in 21...30 {
      let position = ride.position(at: Double(second)).offset(north: 2, east: -1)
      rig.fix(at: Double(second), position, speed: 10, course: 30)
    }
    #expect(rig.backward.isEmpty && rig.stalled.isEmpty && rig.poses.allSatisfy { !$0.isJump })
    #expect(rig.poses.last.map { abs(rig.error(of: $0, on: ride) - 2.236) < 0.3 } == true)
  }

  @Test(arguments: [3600.0, -3600, 7, -7, 1, -1, -1.5])
  func `When the receiver's clock is set, the poses continue on the new time`(shift: Double) throws {
    let ride = TrueRide(speed: 10).on(60)
    var rig = MotionRig()
    rig.ride(ride, to: 20)
    let before = try #require(rig.poses.last)
    rig.timeShift = shift
    rig.ride(ride, from: 21, to: 30)
    let count = rig.poses.count
    #expect(count > 1700)
    let after = rig.poses.suffix(300)
    #expect(after.allSatisfy { rig.error(of: $0, on: ride) < 0.5 && $0.basis == .predicted })
    #expect(before.time != after.last?.time && rig.stalled.isEmpty)
    #expect(rig.poses.allSatisfy { $0.age.inSeconds < 3.2 && $0.age.inSeconds >= 0 })
    #expect(after.allSatisfy { $0.age.inSeconds < 1.2 })
  }

  @Test func `An estimate that is later than the next fix is no step of the clock`() {
    var motion = MotionEstimator()
    func receive(_ seq: UInt64, measured: Double, at seconds: Double) {
      let time = MotionRig.start + Int64(measured * 1e9)
      let fix = Fix(
        position: MotionRig.origin, mode: .threeD, measured: UTCInstant(nanosecondsSince1970: time),
        received: MotionRig.instant(seconds))
      motion.receive(PublishedFix(fix: fix, seq: seq, source: 0), at: fix.received)
    }
    receive(1, measured: 0, at: 0.1)
    receive(1, measured: 4, at: 4.1)
    receive(2, measured: 3.9, at: 4.2)
    #expect(abs(Double(motion.clock.time(at: MotionRig.instant(5)) - MotionRig.start) * 1e-9 - 5) < 0.01)
  }

  @Test(arguments: [1, 10, 30, 60])
  func `Poses are at the fix's time plus multiples of the interval, in whole milliseconds`(rate: Int) {
    var rig = MotionRig(rate: rate)
    rig.ride(TrueRide(speed: 10).on(10))
    #expect(abs(rig.poses.count - 10 * rate) <= rate / 5 + 1)
    for pose in rig.poses {
      let steps = pose.age.inSeconds * Double(rate)
      #expect(abs(steps - steps.rounded()) < 0.5e-3 * Double(rate) + 1e-6)
    }
    #expect(zip(rig.poses, rig.poses.dropFirst()).allSatisfy { $0.seq <= $1.seq })
    let times = rig.poses.compactMap { $0.time }
    #expect(times.count == rig.poses.count && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(times.allSatisfy { $0.nanosecondsSince1970 % 1_000_000 == 0 })
  }

  @Test func `Without a date, poses have no time`() throws {
    var motion = MotionEstimator()
    for second in 0...3 {
      var fix = Fix(position: MotionRig.origin, mode: .threeD, received: MotionRig.instant(Double(second)))
      fix.speed = 5
      motion.receive(PublishedFix(fix: fix, seq: UInt64(second + 1), source: 0), at: fix.received)
    }
    let pose = try #require(motion.pose(at: MotionRig.instant(3.4)))
    #expect(pose.time == nil && pose.course == nil && abs(pose.age.inSeconds - 0.5) < 1e-6 && pose.seq == 4)
  }

  @Test func `With no latency, the pose at the fix's time is the fix`() throws {
    var motion = MotionEstimator(latency: .zero)
    var fix = Fix(
      position: MotionRig.origin, mode: .threeD, measured: UTCInstant(nanosecondsSince1970: MotionRig.start),
      received: MotionRig.instant(0))
    fix.speed = 5
    fix.course = 90
    motion.receive(PublishedFix(fix: fix, seq: 1, source: 0), at: fix.received)
    let pose = try #require(motion.pose(at: MotionRig.instant(0)))
    #expect(pose.basis == .fix && pose.coordinate == MotionRig.origin && pose.age.inSeconds == 0)
    #expect(motion.pose(at: MotionRig.instant(0.1))?.basis == .predicted)
  }
}
