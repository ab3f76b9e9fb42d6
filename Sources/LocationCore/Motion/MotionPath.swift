import Libc

/// The way that is drawn from one fix until the next. The rider moves along an arc of constant curvature with constant
/// acceleration. The difference to the way drawn before moves along and shrinks: what is ahead waits for the rider,
/// what is behind catches up, and what is beside slides in. So the drawn position never moves back.
struct MotionPath: Sendable {
  /// Usual and longest time in which a difference is drawn in, seconds.
  private static let correctionTime = 0.1
  private static let longestCorrection = 0.5
  /// Share of the rider's speed at which a position that is ahead waits.
  private static let waitingShare = 0.12
  /// Share of the rider's speed at which a position slides in from beside, if there is time.
  private static let slidingShare = 2.5
  /// Time between two frames at 60 Hz, nanoseconds.
  private static let frame: Int64 = 16_666_667
  /// A difference of more than so many radii is drawn at once.
  private static let jumpRadii = 3.0
  /// Largest acceleration in a bend, m/s².
  private static let strongestGrip = 20.0
  /// Largest curvature, 1/m.
  private static let sharpest = 0.3

  let state: MotionState
  let seq: UInt64
  let hasCourse: Bool
  let isStanding: Bool
  /// From this time on it replaces the way before, nanoseconds.
  let begin: Int64
  /// The rider's position comes to rest at this time at the latest, nanoseconds.
  var end: Int64
  let growth: PredictionError.Growth
  private(set) var isJump = false
  let plane: LocalPlane
  private let acceleration: Double
  private var slidingTime = correctionTime
  /// Metres by which a difference ahead shrinks per metre of way.
  private var waiting = 1 - waitingShare
  private var curvature: Double
  /// Metres that the drawn position is ahead at `begin`; negative behind.
  private var ahead = 0.0
  /// Metres that it is to the right at `begin`.
  private var beside = 0.0
  /// Radians that the drawn course is to the right at `begin`.
  private var turned = 0.0
  /// The same for the frame in which the ways meet, which may turn more.
  private var frameTurned = 0.0
  private var wayAtBegin = 0.0
  /// Until then, seconds after `begin`, the course is the one before.
  private var turningTime = 0.0

  init(
    from state: MotionState, seq: UInt64, hasCourse: Bool, isStanding: Bool, acceleration: Double, turnRate: Double,
    growth: PredictionError.Growth, begin: Int64, end: Int64
  ) {
    self.state = state
    self.seq = seq
    self.hasCourse = hasCourse
    self.isStanding = isStanding
    self.begin = begin
    self.end = end
    self.growth = growth
    self.acceleration = isStanding ? 0 : acceleration
    let grip = Self.strongestGrip / (state.speed * state.speed)
    let sharpest = min(Self.sharpest, grip)
    curvature = isStanding ? 0 : min(max(turnRate / max(state.speed, 1), -sharpest), sharpest)
    plane = LocalPlane(at: state.position)
    wayAtBegin = way(after: Double(min(begin, end) &- state.time) * 1e-9)
  }

  /// The rider's predicted position, metres east and north of the state's, without corrections.
  func prediction(after seconds: Double) -> SIMD2<Double> { point(at: way(after: seconds)) }

  /// Draws in the difference to the way drawn before, which has come to a time on its own scale.
  mutating func follow(_ earlier: MotionPath, at time: Int64) {
    let drawn = earlier.drawn(at: min(time, earlier.end))
    let meeting = plane.point(of: drawn.position)
    let difference = (meeting - point(at: wayAtBegin)).length
    guard difference <= Self.jumpRadii * drawn.radius else {
      isJump = true
      return
    }
    // Beside a sharp bend, its outside must not run backwards.
    let sharpest = 0.5 / max(difference, 1e-9)
    curvature = min(max(curvature, -sharpest), sharpest)
    let way = meeting - point(at: wayAtBegin)
    let heading = course(at: wayAtBegin)
    let (sine, cosine) = (sin(heading), cos(heading))
    ahead = way.x * sine + way.y * cosine
    beside = way.x * cosine - way.y * sine
    waiting = 1 - Self.waitingShare - max(0, curvature * beside)
    let comfort = 1.5 * abs(beside) / (Self.slidingShare * max(state.speed, 0.1))
    slidingTime = min(max(Self.correctionTime, comfort), Self.longestCorrection)
    turned = hasCourse && earlier.hasCourse ? Angle.wrapped(drawn.course - heading) : 0
    frameTurned = turned
    // After a turn on the spot the old course no longer means anything.
    if abs(turned) > 1 { turned = isStanding ? turned : 0 }
    keepForward(from: plane.point(of: earlier.drawn(at: min(time, earlier.end) &- Self.frame).position), by: meeting)
  }

  /// The frame in which the ways meet moves forward along its course on both; else its course is between the movements.
  private mutating func keepForward(from earlier: SIMD2<Double>, by meeting: SIMD2<Double>) {
    func movement(until time: Int64) -> SIMD2<Double> { plane.point(of: drawn(at: time).position) - meeting }
    let before = meeting - earlier
    let (half, whole) = (movement(until: begin &+ Self.frame / 2), movement(until: begin &+ Self.frame))
    func advance(along course: Double) -> Double {
      let direction = SIMD2(sin(course), cos(course))
      return min((before * direction).sum(), (half * direction).sum(), (whole * direction).sum())
    }
    let usual = drawn(at: begin &+ Self.frame / 2).course
    var best = advance(along: usual)
    guard best < 1e-3, whole != .zero else { return }
    let heading = course(at: way(after: Double(begin &- state.time &+ Self.frame / 2) * 1e-9))
    for after in [half, whole] {
      let sum = before / max(before.length, 1e-9) + after / max(after.length, 1e-9)
      let middle = atan2(sum.x, sum.y)
      guard advance(along: middle) > best else { continue }
      best = advance(along: middle)
      frameTurned = Angle.wrapped(middle - heading)
      turningTime = Double(Self.frame) * 1e-9
    }
  }

  /// The drawn position, course, speed and 95 % radius at a time.
  func drawn(at time: Int64) -> (position: Coordinate, course: Double, speed: Double, radius: Double) {
    let moment = min(max(time, state.time), end)
    let age = Double(moment &- state.time) * 1e-9
    let elapsed = Double(moment &- begin) * 1e-9
    let predicted = way(after: age)
    let lead =
      ahead > 0
      ? min(ahead, max(0, ahead - waiting * (predicted - wayAtBegin)))
      : ahead * remaining(elapsed / Self.correctionTime)
    let left = remaining(elapsed / slidingTime)
    let (offset, heading) = (beside * left, course(at: predicted))
    let (sine, cosine) = (sin(heading), cos(heading))
    let place = point(at: predicted)
    let east = place.x + lead * sine + offset * cosine
    let north = place.y + lead * cosine - offset * sine
    let speed = isStanding ? state.speed : max(0, state.speed + acceleration * age)
    var course = turned * left
    if elapsed < turningTime {
      course = frameTurned
    } else if !isStanding, turned != 0 {
      // Seen along the drawn course, the position moves forward even while it slides in from beside.
      let part = min(max(elapsed / slidingTime, 0), 1)
      let rest = 1 - part
      let slide = abs(beside) * 20 * part * rest * rest * rest / slidingTime + abs(curvature * lead) * speed
      let limit = atan2(Self.waitingShare * speed / 2, slide)
      course = min(max(course, -limit), limit)
    }
    // At rest without fixes, the rider may have moved on.
    let unseen = Double(max(0, time &- end)) * 1e-9 * state.speed
    let growth = growth.radius(after: age)
    let apart = hypot(lead, offset)
    // 95 % of what is spread around a point `apart` from here.
    let radius = (growth * growth + apart * apart + growth * apart).squareRoot() + unseen
    return (plane.coordinate(east: east, north: north), heading + course, speed, radius)
  }

  /// Metres that the rider travels in a time.
  private func way(after seconds: Double) -> Double {
    guard !isStanding else { return 0 }
    let time = acceleration < 0 ? min(seconds, state.speed / -acceleration) : seconds
    return time * (state.speed + acceleration * time / 2)
  }

  private func course(at way: Double) -> Double { state.course + curvature * way }

  /// The point of the arc at a way from its start, which may be negative.
  private func point(at way: Double) -> SIMD2<Double> {
    let half = curvature * way / 2
    let chord = abs(half) < 1e-6 ? way : way * sin(half) / half
    return chord * SIMD2(sin(state.course + half), cos(state.course + half))
  }

  /// The share of a difference that is left: 1 to 0, smooth at both ends, the most of it early.
  private func remaining(_ part: Double) -> Double {
    guard !isStanding else { return 1 }
    let part = min(max(part, 0), 1)
    let square = (1 - part) * (1 - part)
    return square * square * (1 + 4 * part)
  }
}
