import Glibc

/// The way that is drawn from one fix until the next.
///
/// The rider moves along an arc of constant curvature with constant acceleration. The difference to the way drawn before
/// is drawn in along the arc: what is ahead waits for the rider, what is behind catches up, and what is beside slides
/// in. So the drawn position never moves back.
struct MotionPath: Sendable {
  /// Time in which a difference is drawn in, seconds.
  private static let correctionTime = 0.4
  /// Share of the rider's speed at which a position that is ahead waits.
  private static let waitingShare = 0.3
  /// A difference of more than so many radii is drawn at once.
  private static let jumpRadii = 3.0
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
  private var curvature: Double
  /// Metres that the drawn position is ahead at `begin`; negative behind.
  private var ahead = 0.0
  /// Metres that it is to the right at `begin`.
  private var beside = 0.0
  /// Radians that the drawn course is to the right at `begin`.
  private var turned = 0.0
  private var wayAtBegin = 0.0

  /// A way from a state. `ending` is the time at which it comes to rest without a further fix.
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
    curvature = isStanding ? 0 : min(max(turnRate / max(state.speed, 1), -Self.sharpest), Self.sharpest)
    plane = LocalPlane(at: state.position)
    wayAtBegin = way(after: Double(min(begin, end) &- state.time) * 1e-9)
  }

  /// The rider's predicted position, metres east and north of the state's, without corrections.
  func prediction(after seconds: Double) -> (east: Double, north: Double) { point(at: way(after: seconds)) }

  /// Draws in the difference to the way drawn before.
  mutating func follow(_ earlier: MotionPath) {
    let drawn = earlier.drawn(at: begin)
    let (east, north) = plane.point(of: drawn.position)
    let start = point(at: wayAtBegin)
    let difference = hypot(east - start.east, north - start.north)
    guard difference <= Self.jumpRadii * drawn.radius else {
      isJump = true
      return
    }
    // The arc must not close around the difference.
    if abs(curvature) * (difference + wayAtBegin) > 0.7 {
      curvature = (curvature < 0 ? -0.7 : 0.7) / (difference + wayAtBegin)
    }
    let way: Double
    (way, beside) = place(east: east, north: north)
    ahead = way - wayAtBegin
    turned = hasCourse && earlier.hasCourse ? Angle.wrapped(drawn.course - course(at: way)) : 0
    // After a turn on the spot the old course no longer means anything.
    if abs(turned) > 1 { turned = isStanding ? turned : 0 }
  }

  /// The drawn position, course, speed and 95 % radius at a time.
  func drawn(at time: Int64) -> (position: Coordinate, course: Double, speed: Double, radius: Double) {
    let moment = min(max(time, state.time), end)
    let age = Double(moment &- state.time) * 1e-9
    let rest = isStanding ? 1 : 1 - Self.eased(Double(moment &- begin) * 1e-9 / Self.correctionTime)
    let predicted = way(after: age)
    var lead = ahead * rest
    if ahead > 0 {
      lead = min(ahead, max(0, ahead - (1 - Self.waitingShare) * (predicted - wayAtBegin)))
    }
    let (offset, heading) = (beside * rest, course(at: predicted + lead))
    let (sine, cosine) = (sin(heading), cos(heading))
    let (east, north) = point(at: predicted + lead)
    // At rest without fixes, the rider may have moved on.
    let unseen = Double(max(0, time &- end)) * 1e-9 * state.speed
    let radius = hypot(growth.radius(after: age), hypot(lead, offset)) + unseen
    let position = plane.coordinate(east: east + offset * cosine, north: north - offset * sine)
    return (position, heading + turned * rest, isStanding ? state.speed : speed(after: age), radius)
  }

  /// Metres that the rider travels in a time.
  private func way(after seconds: Double) -> Double {
    guard !isStanding else { return 0 }
    let time = acceleration < 0 ? min(seconds, state.speed / -acceleration) : seconds
    return time * (state.speed + acceleration * time / 2)
  }

  private func speed(after seconds: Double) -> Double { max(0, state.speed + acceleration * seconds) }

  private func course(at way: Double) -> Double { state.course + curvature * way }

  /// The point of the arc at a way from its start, which may be negative.
  private func point(at way: Double) -> (east: Double, north: Double) {
    let half = curvature * way / 2
    let chord = abs(half) < 1e-6 ? way : way * sin(half) / half
    return (chord * sin(state.course + half), chord * cos(state.course + half))
  }

  /// Way along the arc and distance to its right of a point.
  private func place(east: Double, north: Double) -> (way: Double, beside: Double) {
    let (sine, cosine) = (sin(state.course), cos(state.course))
    let (along, right) = (east * sine + north * cosine, east * cosine - north * sine)
    guard abs(curvature) > 1e-6 else { return (along, right) }
    // The centre is at (0, 1/curvature) in (along, right).
    let radius = 1 / curvature
    let inward = radius - right
    let angle = curvature > 0 ? atan2(along, inward) : atan2(along, -inward)
    return (angle * abs(radius), radius - (curvature > 0 ? 1 : -1) * hypot(along, inward))
  }

  /// 0 to 1 with a smooth start and end.
  private static func eased(_ part: Double) -> Double {
    let part = min(max(part, 0), 1)
    return part * part * (3 - 2 * part)
  }
}
