import Libc

/// A way that was ridden before, on from where the fix is lost. Where that ride had no fix either, as in a tunnel, the
/// wheel has measured its length, and the fixes around it two places and two directions: the way is the curve that goes
/// smoothly from one to the other, and its bends are unknown as far as the length leaves them open.
package struct RiddenWay: Sendable {
  /// Distance beside the way besides the fix's radius, and cosine of the angle to it, at which it is the rider's way.
  private static let beside = (metres: 20.0, cosine: 0.87)
  /// Way ahead without which it is of no use, metres.
  private static let shortest = 100.0

  private var line = CourseLine()
  /// In order of the line.
  private var gaps: [Gap] = []
  private var start = (along: 0.0, direction: 1.0, segment: 0)

  /// A fix of the ride; `gap` is the way by the wheel from the one before, if there was no fix in between.
  typealias Point = (position: Coordinate, course: Double?, gap: Double?)

  /// The way of a ride through the place of a fix in its direction, or back; `nil` if it does not pass it.
  init?(_ points: [Point], from fix: Fix) {
    do throws(CourseError) {
      var measured: [CoursePoint] = []
      for (index, point) in points.enumerated() {
        if let length = point.gap, index > 0 {
          try line.append(exchange(&measured, with: []))
          try bridge(points[index - 1], point, length)
        } else {
          measured.append(CoursePoint(point.position))
        }
      }
      try line.append(measured)
    } catch {
      return nil
    }
    guard line.vertices.count > 1, let heading = fix.course.map({ SIMD2(course: $0) }) else { return nil }
    var (passages, nearest) = ([CoursePassage](), Double.infinity)
    line.findPassages(
      near: CoursePlane(at: fix.position),
      within: Self.beside.metres + (fix.horizontalAccuracy ?? OutageEstimate.radius.assumed), focus: line.length,
      into: &passages)
    for passage in passages where passage.distance < nearest {
      for direction in [1.0, -1] where passage.agreement(with: heading, direction) >= Self.beside.cosine {
        guard (direction > 0 ? line.length - passage.along : passage.along) >= Self.shortest else { continue }
        (nearest, start) = (passage.distance, (passage.along, direction, passage.segment))
      }
    }
    guard nearest < .infinity else { return nil }
  }

  /// Adds the curve between two fixes: the mean of the ways that begin and end in their directions.
  private mutating func bridge(_ first: Point, _ last: Point, _ length: Double) throws(CourseError) {
    let plane = CoursePlane(at: first.position)
    let way = plane.point(EarthCentered(last.position))
    let ahead = way / max(way.length, 1)
    func direction(_ point: Point) -> SIMD2<Double> { point.course.map { SIMD2(course: $0) } ?? ahead }
    let (out, into) = (length * direction(first), length * direction(last))
    let steps = min(max(Int(length / 20), 2), 500)
    var (points, bulge) = ([CoursePoint](), 0.0)
    for step in 1..<steps {
      let part = Double(step) / Double(steps)
      let rest = 1 - part
      let turned = part * rest * (rest * out - part * into)
      let place = part * part * (3 - 2 * part) * way + turned
      bulge = max(bulge, abs(ahead.x * place.y - ahead.y * place.x))
      let bearing = atan2(place.x, place.y) * Degrees.perRadian
      guard let position = first.position.moved(by: place.length, bearing: bearing) else { continue }
      points.append(CoursePoint(position))
    }
    let begin = line.length
    try line.append(points + [CoursePoint(last.position)])
    gaps.append(Gap(begin: begin, end: line.length, length: length, chord: way.length, bulge: bulge))
  }

  /// The place that many metres behind the start; `nil` beyond the end of the ride.
  func place(after way: Double) -> OutageEstimate.Place? {
    let along = along(after: way)
    guard let place = line.place(along, start.direction, from: start.segment) else { return nil }
    let gap = gaps.first { $0.begin...$0.end ~= along }
    return (place.position, place.course, gap.map { $0.beside(at: along) } ?? 0)
  }

  /// Metres along the line after a way by the wheel, whose metres in a gap are not those of the curve.
  private func along(after way: Double) -> Double {
    var (along, left) = (start.along, way)
    for gap in start.direction > 0 ? gaps : gaps.reversed() {
      let (near, far) = start.direction > 0 ? (gap.begin, gap.end) : (gap.end, gap.begin)
      guard start.direction * (far - along) > 0 else { continue }
      let before = max(0, start.direction * (near - along))
      guard left > before else { break }
      if before > 0 { along = near }
      let scale = max(gap.end - gap.begin, 1) / gap.length
      let within = min((left - before) * scale, abs(far - along))
      along += start.direction * within
      left -= before + within / scale
    }
    return along + start.direction * left
  }

  /// A stretch without a fix. Metres.
  private struct Gap: Sendable {
    /// Error of the distance between the fixes around it, metres.
    private static let ends = 6.0

    /// On the line.
    let begin: Double
    let end: Double
    /// Of the way by the wheel, of the straight line, and the largest distance of the curve from that.
    let length: Double
    let chord: Double
    let bulge: Double

    /// The largest error beside the curve: a road of that length comes no farther from the straight line, and where it
    /// is much longer, no farther from the nearer end.
    func beside(at along: Double) -> Double {
      let before = length * (along - begin) / max(end - begin, 1)
      let after = length - before
      let part = OutageEstimate.wheel.part * length
      let slack = (Self.ends * Self.ends + part * part).squareRoot() / 2
      let (near, far) = (before + slack, after + slack)
      let middle = (near * near - far * far + chord * chord) / (2 * max(chord, 1))
      guard 0...chord ~= middle else { return min(near, far) + bulge }
      return max(0, near * near - middle * middle).squareRoot() + bulge
    }
  }
}

package struct RiddenWaySearch: Sendable {
  /// Metres between the points of a ride, and the largest number of points that are looked at together.
  private static let (spacing, most) = (10.0, 10_000)
  /// Slower fixes than that are noise, m/s.
  private static let slowest = 1.0
  /// Seconds without a fix that are a gap, and after which fixes are right again.
  private static let (longestStep, settling) = (3.0, 3.0)
  /// Metres between the fixes around a gap that are a way, and how much longer than the wheel's it may seem.
  private static let (leastGap, slack) = (30.0, 20.0)

  /// Of the rides that have ended, the newest way.
  package private(set) var found: RiddenWay?
  private let last: Fix
  private var points: [RiddenWay.Point] = []
  private var newest: MonotonicInstant?
  /// The way by the wheel since the last point, if it is known, and when there was a fix again after a gap since.
  private var way: Double? = 0
  private var resumed: MonotonicInstant?

  /// Searches from the last fix on.
  package init(from last: Fix) { self.last = last }

  package mutating func add(_ fix: Fix, _ fused: FusedMotion) {
    way = way.flatMap { way in fused.wheelWay.map { way + Double($0) } }
    guard !fix.isExtrapolated else { return }
    if let newest, fix.received.seconds(since: newest) > Self.longestStep { resumed = fix.received }
    defer { newest = fix.received }
    guard let last = points.last else { return append(fix) }
    // The first fixes behind a tunnel are often wrong.
    if let resumed, fix.received.seconds(since: resumed) < Self.settling { return }
    let distance = last.position.distance(to: fix.position)
    guard resumed != nil, distance >= Self.leastGap else {
      if distance >= Self.spacing, fix.speed ?? Self.slowest >= Self.slowest { append(fix) }
      return
    }
    if let way, way >= distance - Self.slack { return append(fix, gap: way) }
    // The way in between is unknown: the fix begins another one.
    end()
    append(fix)
  }

  private mutating func append(_ fix: Fix, gap: Double? = nil) {
    if points.count == Self.most { end() }
    points.append((fix.position, fix.course, gap))
    (way, resumed) = (0, nil)
  }

  package mutating func end() {
    if let way = RiddenWay(points, from: last) { found = way }
    points.removeAll(keepingCapacity: true)
    (newest, way, resumed) = (nil, 0, nil)
  }
}
