import Testing

@testable import LocationCore

/// What the estimator predicts, how far off it says it may be, and when it stops.
@Suite("Motion estimator")
struct MotionEstimatorTests {
  @Test func `Without a fix there is no pose`() {
    let motion = MotionEstimator()
    #expect(motion.pose(at: MotionRig.instant(0)) == nil)
    #expect(PoseGrid(rate: 10, from: .zero).next(of: motion) == nil)
  }

  @Test func `A steady ride is drawn where the rider is, not where the last fix was`() throws {
    let ride = TrueRide(speed: 14).on(21.5)
    var rig = MotionRig()
    rig.ride(ride, to: 20)
    #expect(rig.poses.count > 1100)
    #expect(rig.poses.allSatisfy { rig.error(of: $0, on: ride) < 0.2 && $0.basis == .predicted })
    #expect(rig.backward.isEmpty && rig.stalled.isEmpty)
  }

  @Test
  func `In a tunnel the position is predicted for 3 s, held, and drawn no more; behind it there is one jump`() throws {
    let ride = TrueRide(speed: 14).on(60)
    var rig = MotionRig()
    rig.ride(ride, to: 20)
    rig.draw(until: 50)
    let held = rig.poses.filter { $0.basis == .held }
    let last = try #require(held.first)
    #expect(held.count == 1 && abs(last.age.inSeconds - 3) < 0.02)
    #expect(last.coordinate.distance(to: ride.position(at: 23)) < 1)
    #expect(rig.poses.count < 23 * 60 + 10)
    rig.ride(ride, from: 50, to: 52)
    #expect(rig.poses.count { $0.isJump } == 1 && rig.poses.allSatisfy { $0.age.inSeconds < 3.02 })
    #expect(rig.backward.isEmpty && rig.stalled.isEmpty)
    #expect(rig.poses.suffix(20).allSatisfy { rig.error(of: $0, on: ride) < 1 })
  }

  @Test func `A loss holds the position at once; the way goes on smoothly if the fix returns soon`() throws {
    let ride = TrueRide(speed: 10).on(30)
    var rig = MotionRig()
    rig.ride(ride, to: 20)
    rig.lose(at: 20.5)
    rig.draw(until: 21.05)
    let held = try #require(rig.poses.last)
    #expect(held.basis == .held && abs(rig.seconds(of: held) - 20.5) < 0.03)
    rig.ride(ride, from: 21, to: 25)
    #expect(rig.backward.isEmpty)
    #expect(rig.poses.suffix(60).allSatisfy { rig.error(of: $0, on: ride) < 0.5 && $0.basis == .predicted })
  }

  @Test func `At a stop position and track are held, whatever the receiver's noise`() throws {
    let ride = TrueRide(speed: 12).on(10).on(6, accelerating: -2).on(20)
    var rig = MotionRig()
    rig.ride(ride, to: 17)
    let begin = rig.poses.count
    var error = WanderingError(sigma: 0.5, correlation: 3, seed: 4)
    for second in 18...34 {
      // Some receivers send a course at a stop, and it spins.
      rig.fix(
        at: Double(second), error.next(around: ride.position(at: 18)), speed: 0.1 * Double(second % 4),
        course: Double(second * 77))
    }
    let standing = rig.poses.dropFirst(begin + 90)
    let first = try #require(standing.first)
    #expect(standing.count > 800 && standing.allSatisfy { $0.basis == .held })
    #expect(standing.allSatisfy { $0.coordinate.distance(to: first.coordinate) < 1e-6 })
    #expect(standing.allSatisfy { abs(($0.course ?? 0) - (first.course ?? 0)) < 1e-9 })
  }

  @Test func `Stop and go is drawn forward only, and the stop where it was`() {
    var ride = TrueRide(speed: 0)
    for _ in 0..<6 { ride = ride.on(4, accelerating: 2.5).on(5).on(5, accelerating: -2.5).on(4) }
    var rig = MotionRig()
    rig.ride(ride)
    #expect(rig.backward.isEmpty && rig.stalled.isEmpty)
    let errors = rig.poses.suffix(2000).map { rig.error(of: $0, on: ride) }.sorted()
    #expect(errors[errors.count * 95 / 100] < 3)
    #expect(rig.poses.allSatisfy { !$0.isJump })
  }

  @Test func `Braking never predicts reversing`() {
    let ride = TrueRide(speed: 8).on(10).on(1.5, accelerating: -4)
    var rig = MotionRig()
    rig.ride(ride, to: 11)
    rig.draw(until: 14)
    #expect(rig.backward.isEmpty && rig.poses.allSatisfy { $0.speed >= 0 })
  }

  @Test func `Bends are predicted better than by speed and course alone`() {
    var ride = TrueRide(speed: 12)
    for turn in 0..<20 { ride = ride.on(4).on(4, turning: turn % 2 == 0 ? 25 : -25) }
    var rig = MotionRig(rate: 10)
    rig.ride(ride)
    var ours: [Double] = []
    var linear: [Double] = []
    for pose in rig.poses where abs(pose.age.inSeconds - 1) < 1e-3 && rig.seconds(of: pose) > 40 {
      ours.append(rig.error(of: pose, on: ride))
      let fix = ride.state(at: rig.seconds(of: pose) - 1)
      let ahead = TrueRide(speed: fix.speed, course: fix.course).on(1).state(at: 1)
      let guess = ride.position(at: rig.seconds(of: pose) - 1).offset(north: ahead.north, east: ahead.east)
      linear.append(guess.distance(to: ride.position(at: rig.seconds(of: pose))))
    }
    #expect(ours.count > 100)
    let sum: Double = ours.reduce(0, +)
    let linearSum: Double = linear.reduce(0, +)
    #expect(sum < 0.6 * linearSum)
  }

  @Test func `On a circuit the laps before tell what comes next`() {
    var ride = TrueRide(speed: 10)
    // Accelerates, brakes and turns around, twice a lap, on a period that is no multiple of the fixes'.
    for _ in 0..<20 { ride = ride.on(5, accelerating: 2).on(2.5, accelerating: -4).on(3.6, turning: 50) }
    var rig = MotionRig(rate: 10)
    rig.ride(ride, sigma: 0.05)
    func mean(from start: Double, to end: Double) -> Double {
      let poses = rig.poses.filter {
        abs($0.age.inSeconds - 1) < 1e-3 && rig.seconds(of: $0) >= start && rig.seconds(of: $0) < end
      }
      return poses.map { rig.error(of: $0, on: ride) }.reduce(0, +) / Double(poses.count)
    }
    #expect(mean(from: 70, to: 220) < 0.5 * mean(from: 3, to: 22))
    #expect(rig.backward.isEmpty && rig.stalled.isEmpty)
  }

  @Test func `On a slow, noisy ride the prediction is no worse than by speed and course alone`() {
    let ride = TrueRide(speed: 3).on(120)
    var rig = MotionRig(rate: 10)
    var random = SeededNoise(seed: 9)
    var linear: [Double] = []
    for second in 0..<120 {
      let (speed, course) = (3 + 0.4 * random.normal(), 30 + 8 * random.normal())
      let position = ride.position(at: Double(second)).offset(north: 0.3 * random.normal(), east: 0.3 * random.normal())
      rig.fix(at: Double(second), position, speed: speed, course: course)
      let ahead = TrueRide(speed: speed, course: course).on(1).state(at: 1)
      let guess = position.offset(north: ahead.north, east: ahead.east)
      linear.append(guess.distance(to: ride.position(at: Double(second) + 1)))
    }
    let ours = rig.poses.filter { abs($0.age.inSeconds - 1) < 1e-3 }.map { rig.error(of: $0, on: ride) }
    #expect(ours.count > 110)
    let mean: Double = ours.reduce(0, +) / Double(ours.count)
    let linearMean: Double = linear.reduce(0, +) / Double(linear.count)
    #expect(mean < 1.02 * linearMean)
    #expect(rig.backward.isEmpty)
  }

  @Test(arguments: 1...4)
  func `Where positions wander farther than manoeuvres reach, the prediction is that by speed and course`(seed: Int) {
    var ride = TrueRide(speed: 8)
    for turn in 0..<30 {
      ride = ride.on(6, accelerating: turn % 2 == 0 ? 0.3 : -0.3).on(4, turning: turn % 3 == 0 ? 8 : -4)
    }
    var error = WanderingError(sigma: 8, correlation: 6, seed: UInt64(seed))
    var random = SeededNoise(seed: UInt64(seed) + 50)
    let fixes = (0...Int(ride.duration)).map { error.next(around: ride.position(at: Double($0))) }
    var motion = MotionEstimator()
    var (ours, linear) = (0.0, 0.0)
    for (second, position) in fixes.enumerated() where second + 1 < fixes.count {
      let state = ride.state(at: Double(second))
      var fix = Fix(position: position, mode: .threeD, received: MotionRig.instant(Double(second)))
      let (speed, course) = (state.speed + 0.3 * random.normal(), state.course + 2 * random.normal())
      (fix.speed, fix.course) = (speed, (course + 720).truncatingRemainder(dividingBy: 360))
      motion.receive(PublishedFix(fix: fix, seq: UInt64(second + 1), source: 0), at: fix.received)
      guard second > 30, let pose = motion.pose(at: fix.received + .milliseconds(900)) else { continue }
      let next = fixes[second + 1]
      let ahead = TrueRide(speed: speed, course: course).on(1).state(at: 1)
      ours += min(pose.coordinate.distance(to: next), 20)
      linear += min(position.offset(north: ahead.north, east: ahead.east).distance(to: next), 20)
    }
    #expect(linear > 300 && ours < 1.01 * linear)
  }

  @Test func `Errors of manoeuvres grow later than those of wandering fixes, and so do their radii`() throws {
    var bends = TrueRide(speed: 12)
    for turn in 0..<30 { bends = bends.on(2.3).on(2.9, turning: Double(turn * 37 % 61 - 30)) }
    func share(_ ride: TrueRide, sigma: Double) throws -> Double {
      var error = WanderingError(sigma: sigma, correlation: 6, seed: 3)
      var rig = MotionRig()
      for second in 0...100 {
        let state = ride.state(at: Double(second))
        rig.fix(
          at: Double(second), error.next(around: ride.position(at: Double(second))), speed: state.speed,
          course: state.course)
      }
      rig.draw(until: 101.05)
      let poses = rig.poses.filter { $0.seq == 101 }
      let early = try #require(poses.first { $0.age.inSeconds >= 0.5 })
      return early.horizontalAccuracy / (try #require(poses.last).horizontalAccuracy)
    }
    #expect(try share(bends, sigma: 0.01) < 0.4)
    #expect(try share(TrueRide(speed: 12).on(100), sigma: 3) > 0.6)
  }

  @Test(arguments: [0.3, 1.5])
  func `The stated radius holds 93 to 99 % of the fixes to come`(sigma: Double) {
    var ride = TrueRide(speed: 10)
    for turn in 0..<60 {
      ride = ride.on(3, accelerating: turn % 3 == 0 ? 1 : -0.5).on(3, turning: Double(turn * 37 % 61 - 30))
    }
    // Errors of receivers change slowly. Nine of ten fixes are held back.
    var error = WanderingError(sigma: sigma, correlation: 10, period: 0.1, seed: 5)
    let fixes = (0...Int(ride.duration * 10)).map { error.next(around: ride.position(at: Double($0) / 10)) }
    var rig = MotionRig(rate: 10)
    for index in stride(from: 0, to: fixes.count, by: 10) {
      let time = Double(index) / 10
      let state = ride.state(at: time)
      rig.fix(at: time, fixes[index], speed: state.speed, course: state.course)
    }
    let counted = rig.poses.filter { rig.seconds(of: $0) > 30 }
    let inside = counted.count { pose in
      pose.coordinate.distance(to: fixes[Int((rig.seconds(of: pose) * 10).rounded())]) <= pose.horizontalAccuracy
    }
    let share = Double(inside) / Double(counted.count)
    #expect((0.93...0.995).contains(share))
  }

  @Test func `A few large errors do not widen the radius for minutes`() {
    func radius(displaced: Set<Int>) -> Double {
      let ride = TrueRide(speed: 12).on(170)
      var error = WanderingError(sigma: 0.5, correlation: 0, seed: 4)
      var rig = MotionRig(rate: 1)
      for second in 0...170 {
        let place = error.next(around: ride.position(at: Double(second)))
        rig.fix(
          at: Double(second), displaced.contains(second) ? place.offset(north: 25, east: 0) : place, speed: 12,
          course: 30)
      }
      let late = rig.poses.filter { rig.seconds(of: $0) > 160 }
      return late.map(\.horizontalAccuracy).reduce(0, +) / Double(late.count)
    }
    #expect(radius(displaced: [100, 102, 104]) < 1.3 * radius(displaced: []))
  }

  @Test func `The radius grows with the age of the fix`() {
    var rig = MotionRig()
    rig.ride(TrueRide(speed: 10).on(20), sigma: 0.5)
    rig.poses = []
    rig.draw(until: 23)
    let late = rig.poses.filter { $0.seq == 21 && $0.age.inSeconds > 0.7 }
    #expect(zip(late, late.dropFirst()).allSatisfy { $0.horizontalAccuracy <= $1.horizontalAccuracy })
    #expect((late.last?.horizontalAccuracy ?? 0) > 3 * (late.first?.horizontalAccuracy ?? 0))
  }

  @Test func `A pose depends only on fixes received before it`() {
    let ride = TrueRide(speed: 10).on(10).on(6, turning: 20).on(10, accelerating: -0.5)
    var whole = MotionRig()
    whole.ride(ride, sigma: 0.5)
    for end in [3.0, 12, 17] {
      var part = MotionRig()
      part.ride(ride, to: end, sigma: 0.5)
      #expect(part.poses.count > 100 && part.poses == Array(whole.poses.prefix(part.poses.count)))
    }
  }

  @Test func `Jitter of the arrival within 10 ms changes no pose; a late fix neither jumps nor turns back`() {
    let ride = TrueRide(speed: 14).on(8).on(8, turning: 15).on(8)
    var steady = MotionRig()
    steady.ride(ride)
    var jittery = MotionRig()
    jittery.ride(ride, delay: { 0.1 + [0, 0.004, 0.009, 0.001][$0 % 4] })
    let poses = jittery.poses
    #expect(poses.count > 1000 && Set(poses).subtracting(steady.poses).count <= poses.count / 20)
    var late = MotionRig()
    late.ride(ride, delay: { $0 % 5 == 4 ? 0.45 : 0.1 })
    #expect(late.backward.isEmpty && late.stalled.isEmpty && late.poses.allSatisfy { !$0.isJump })
  }

  @Test func `Without speed and course, both come from the positions`() {
    let ride = TrueRide(speed: 10).on(20)
    var rig = MotionRig()
    for second in 0...20 { rig.fix(at: Double(second), ride.position(at: Double(second)), speed: nil, course: nil) }
    #expect(rig.poses.suffix(300).allSatisfy { rig.error(of: $0, on: ride) < 1 && abs($0.speed - 10) < 0.5 })
    #expect(rig.backward.isEmpty)
  }

  @Test func `Poles, the antimeridian and absurd values are harmless`() throws {
    for (latitude, longitude) in [(89.999_99, 0), (-90.0, 0), (0, 179.999_9), (0, -180)] {
      var rig = MotionRig()
      let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
      for second in 0...8 {
        rig.fix(at: Double(second), place.offset(north: 0, east: 10 * Double(second)), speed: 10, course: 90)
      }
      #expect(rig.poses.count > 400 && rig.poses.allSatisfy { $0.horizontalAccuracy.isFinite && $0.speed < 20 })
    }
    var rig = MotionRig()
    for (second, speed) in [1e300, 0, 149, -5, 1e-300].enumerated() {
      rig.fix(at: Double(second), MotionRig.origin, speed: speed, course: 359.999_999)
    }
    rig.ride(TrueRide(speed: 5).on(20), from: 5, to: 20)
    #expect(rig.poses.allSatisfy { $0.horizontalAccuracy.isFinite && $0.speed.isFinite })
  }
}
