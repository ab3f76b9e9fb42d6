/// The way through an outage by a wheel, from the last fix on: along the followed course, a way ridden before, or
/// straight on, as far as the radius of the error can honestly say. Once a second.
package struct OutageEstimate: Sendable {
  /// Longest time, and largest 95 % radius in metres.
  package static let limit = (time: Duration.seconds(300), radius: 100.0)
  static let interval = Duration.seconds(1)
  /// Of a fix without one, and the least that is assumed, metres.
  static let radius = (assumed: 15.0, least: 3.0)
  /// Error of a way by the wheel: a turn of it, metres, and a part of the way.
  static let wheel = (turn: 2.1, part: 0.005)
  /// Error of a plan beside the road, or of fixes of another day, metres.
  private static let plan = 8.0
  /// Error of a course without one, degrees, and the time for which the bend that has begun goes on, seconds.
  private static let heading = (assumed: 6.0, turning: 2.0)
  /// Deviation of the course by bends, radians over √metres: the wider, the faster a rider is, by the square.
  private static let bends = (most: 0.17, fast: 8.0)
  /// Difference to a first fix beyond the radii of both that is a jump, metres, and how long fixes are held for it.
  private static let jump = (way: 20.0, fixes: 3, time: Duration.seconds(5))

  private let start: PublishedFix
  private(set) var due: MonotonicInstant
  private(set) var newest: PublishedFix?
  package var riddenWay: RiddenWay?
  private var held = (count: 0, since: MonotonicInstant.zero)
  /// Metres so far, and straight on the variances of the course and of the place across it, and their covariance.
  private var way = 0.0
  private var straight: (course: Double, both: Double, across: Double)

  /// A place and the direction there; on a known way, the 95 % error of that beside it, metres, besides that of a plan,
  /// `nil` straight on.
  typealias Place = (position: Coordinate, course: Double, beside: Double?)

  /// The course of an earlier fix shows a bend that has begun.
  init(
    after fix: PublishedFix, _ earlier: (course: Double?, received: MonotonicInstant), at instant: MonotonicInstant
  ) {
    (start, due) = (fix, instant)
    let seconds = start.fix.received.seconds(since: earlier.received)
    var turnRate = 0.0
    if let course = start.fix.course, let before = earlier.course, seconds > 0 {
      turnRate = (course - before).remainder(dividingBy: 360) / seconds
    }
    let stated = start.fix.isCourseAccuracyDerived ? nil : start.fix.courseAccuracy
    let error =
      (abs(turnRate) * Self.heading.turning + (stated ?? Self.heading.assumed) / Confidence.line) / Degrees.perRadian
    straight = (error * error, 0, 0)
  }

  /// The place straight on; `nil` without a direction.
  func straight(on way: Double) -> Place? {
    guard let course = start.fix.course else { return nil }
    return start.fix.position.moved(by: way, bearing: course).map { ($0, course, nil) }
  }

  /// Goes on to a place at the due instant; returns the estimate, or `nil` at the end.
  mutating func advance(to place: Place?, _ way: WheelWay) -> PublishedFix? {
    let instant = due
    due = instant + Self.interval
    guard let place, instant - start.fix.received <= Self.limit.time else { return nil }
    let radius = radius(after: way, beside: place.beside)
    guard radius <= Self.limit.radius else { return nil }
    var fix = Fix(
      position: place.position, mode: .twoD, status: .deadReckoning,
      measured: start.fix.measured.map { $0 + (instant - start.fix.received) }, received: instant)
    (fix.speed, fix.course, fix.horizontalAccuracy) = (way.speed, place.course, radius)
    var estimate = PublishedFix(fix: fix, seq: start.seq, source: start.source)
    estimate.sensed.fused.wheelSpeed = Float(way.speed)
    newest = estimate
    return estimate
  }

  /// The 95 % radius after a way, with what bends may do on it since the last instant, as slow as the rider is now.
  private mutating func radius(after way: WheelWay, beside: Double?) -> Double {
    let step = max(0, way.metres - self.way)
    self.way += step
    let bends = min(Self.bends.most, Self.bends.fast / max(way.speed * way.speed, 1))
    let fresh = bends * bends * step
    straight.across += (2 * straight.both + (straight.course + fresh / 3) * step) * step
    straight.both += (straight.course + fresh / 2) * step
    straight.course += fresh
    let begin = max(start.fix.horizontalAccuracy ?? Self.radius.assumed, Self.radius.least)
    let along = Self.wheel.turn + max(way.error, Self.wheel.part) * way.metres
    let across = beside.map { Self.plan * Self.plan + $0 * $0 } ?? Confidence.line * Confidence.line * straight.across
    return (begin * begin + along * along + across).squareRoot()
  }

  /// Whether a first fix is a jump from the estimate, which is held: for three fixes or five seconds.
  mutating func contradicts(_ fix: Fix, at instant: MonotonicInstant) -> Bool {
    guard let newest, instant - newest.fix.received <= .seconds(2) else { return false }
    let radii = (newest.fix.horizontalAccuracy ?? 0) + (fix.horizontalAccuracy ?? Self.radius.assumed)
    guard fix.position.distance(to: newest.fix.position) > radii + Self.jump.way else { return false }
    if held.count == 0 { held.since = instant }
    held.count += 1
    return held.count < Self.jump.fixes && instant - held.since < Self.jump.time
  }
}

/// The way that a wheel has made since the newest fix: metres, m/s, and the 95 % error as a part of it.
typealias WheelWay = (metres: Double, speed: Double, error: Double)
