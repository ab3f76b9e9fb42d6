import Glibc

@testable import LocationCore

/// The true motion of a rider: stretches of constant acceleration and turn rate.
struct TrueRide {
  struct State {
    var north = 0.0
    var east = 0.0
    /// m/s.
    var speed: Double
    /// Degrees.
    var course: Double
  }

  private static let step = 0.01
  private var states: [State]

  init(speed: Double, course: Double = 30) {
    states = [State(speed: speed, course: course)]
  }

  var duration: Double { Double(states.count - 1) * Self.step }

  /// Rides on for so many seconds with an acceleration, m/s², and a turn rate, degrees/s.
  func on(_ seconds: Double, accelerating: Double = 0, turning: Double = 0) -> TrueRide {
    var ride = self
    for _ in 0..<Int((seconds / Self.step).rounded()) {
      var state = ride.states[ride.states.count - 1]
      let radians = state.course * .pi / 180
      state.north += state.speed * Self.step * cos(radians)
      state.east += state.speed * Self.step * sin(radians)
      state.speed = max(0, state.speed + accelerating * Self.step)
      if state.speed > 0 { state.course += turning * Self.step }
      ride.states.append(state)
    }
    return ride
  }

  /// Turns on the spot.
  func turned(by degrees: Double) -> TrueRide {
    var ride = self
    ride.states[ride.states.count - 1].course += degrees
    return ride
  }

  func state(at seconds: Double) -> State {
    states[min(max(Int((seconds / Self.step).rounded()), 0), states.count - 1)]
  }

  func position(at seconds: Double) -> Coordinate {
    let state = state(at: seconds)
    return MotionRig.origin.offset(north: state.north, east: state.east)
  }
}

/// An estimator that receives fixes and is drawn at a steady rate.
struct MotionRig {
  static let origin = place(48.1, 11.5)
  static let start: Int64 = 1_773_923_700_000_000_000
  static let latency = 0.1

  var motion = MotionEstimator()
  var grid: PoseGrid
  var poses: [Pose] = []
  var source: SourceID = 0
  /// How many times as fast as the machine's clock time runs.
  var pace = 1.0
  /// Added to the receiver's time, seconds.
  var timeShift = 0.0
  private var seq: UInt64 = 0

  init(rate: Int = 60) {
    grid = PoseGrid(rate: rate, from: Self.instant(0))
  }

  static func instant(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: 5_000_000_000_000 + Int64((seconds * 1e9).rounded()))
  }

  /// Draws every pose before a time, seconds of the ride on the daemon's clock.
  mutating func draw(until seconds: Double) {
    let end = Self.instant(seconds)
    while let due = grid.next(of: motion, pace: pace), due < end {
      if let pose = grid.take(from: motion, at: due, pace: pace) { poses.append(pose) }
    }
  }

  /// Receives a fix measured at a time and arriving `delay` later, seconds.
  mutating func fix(
    at seconds: Double, _ position: Coordinate, speed: Double?, course: Double?, delay: Double = latency
  ) {
    draw(until: seconds + delay)
    seq += 1
    let time = Self.start + Int64(((seconds + timeShift) * 1e9).rounded())
    var fix = Fix(
      position: position, mode: .threeD, measured: UTCInstant(nanosecondsSince1970: time),
      received: Self.instant(seconds + delay))
    fix.speed = speed
    fix.course = course.map { ($0 + 720).truncatingRemainder(dividingBy: 360) }
    motion.receive(PublishedFix(fix: fix, seq: seq, source: source), at: fix.received)
  }

  /// Receives the fixes of a ride in a range of its time. Below 0.3 m/s there is no course.
  mutating func ride(
    _ ride: TrueRide, from start: Double = 0, to end: Double? = nil, every period: Double = 1, sigma: Double = 0,
    seed: UInt64 = 1, delay: (Int) -> Double = { _ in latency }
  ) {
    var error = WanderingError(sigma: sigma, correlation: 0, seed: seed)
    var index = 0
    while true {
      let time = start + Double(index) * period
      guard time <= (end ?? ride.duration) + 1e-9 else { break }
      let state = ride.state(at: time)
      let position = sigma > 0 ? error.next(around: ride.position(at: time)) : ride.position(at: time)
      fix(
        at: time, position, speed: state.speed, course: state.speed > 0.3 ? state.course : nil, delay: delay(index))
      index += 1
    }
  }

  mutating func lose(at seconds: Double) {
    draw(until: seconds)
    motion.lose(at: Self.instant(seconds))
  }

  /// Seconds of the ride at a pose.
  func seconds(of pose: Pose) -> Double {
    Double((pose.time?.nanosecondsSince1970 ?? 0) - Self.start) * 1e-9 - timeShift
  }

  /// Metres between a pose and the ride.
  func error(of pose: Pose, on ride: TrueRide) -> Double {
    pose.coordinate.distance(to: ride.position(at: seconds(of: pose)))
  }

  /// Metres from each pose to the next along its track, without jumps.
  var advances: [(pose: Pose, metres: Double)] {
    zip(poses, poses.dropFirst()).compactMap { earlier, pose in
      guard !pose.isJump, let track = pose.course else { return nil }
      let way = LocalPlane(at: earlier.coordinate).point(of: pose.coordinate)
      let radians = track * .pi / 180
      return (pose, way.x * sin(radians) + way.y * cos(radians))
    }
  }

  /// Poses that lie behind the one before.
  var backward: [Pose] { advances.filter { $0.metres < -1e-6 }.map(\.pose) }

  /// Poses faster than 2 m/s that did not move on.
  var stalled: [Pose] {
    advances.filter { $0.pose.speed > 2 && $0.pose.basis != .held && $0.metres < 1e-3 }.map(\.pose)
  }
}
