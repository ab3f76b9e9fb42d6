import Libc

extension CourseProgress {
  /// Lowest speed with a bend, m/s.
  private static let leastBending = 2.0
  /// Shortest way over which a bend is taken, metres: the points of a plan are only so right.
  private static let leastWay = 15.0

  func status(of fix: PublishedFix, _ plane: CoursePlane, at instant: MonotonicInstant) -> CourseStatus {
    let line = course.line
    let isReverse = place?.isReverse ?? false
    let along = place?.along
    let remaining = place.map { self.remaining(of: $0) } ?? line.length
    var status = CourseStatus(name: course.name, state: state, seq: fix.seq, remaining: remaining)
    (status.time, status.along, status.isReverse) = (fix.fix.measured, along, isReverse)
    switch state {
    case .finished, .kept, .ended: break
    case .before where place == nil: point(to: line.coordinate(at: 0), from: fix, in: &status)
    case .before, .off:
      let nearest = line.nearest(to: plane)
      point(to: line.coordinate(of: nearest), from: fix, in: &status)
    case .on:
      status.beside = place?.beside
      status.bend = bend(ahead: fix.fix, plane)
      status.eta = path.movingSpeed(at: instant).flatMap { Duration(finiteSeconds: remaining / $0) }
    }
    guard state != .finished else { return status }
    status.ascent = course.profile?.ascentLeft(from: along ?? 0, of: line, isReverse: isReverse)
    guard state == .on, let along else { return status }
    if let profile = course.profile {
      let slope = profile.slope(at: along, of: line)
      status.grade = 100 * (isReverse ? -slope : slope)
      if let climb = profile.climb(at: along, isReverse: isReverse) {
        status.climb = climb.end - (isReverse ? -along : along)
        status.climbAscent = max(0, climb.summit - profile.elevation(at: along, of: line))
      }
    }
    if !isReverse, let cue = course.cue(from: along) {
      status.cue = cue
      status.cueDistance = cue.along - along
    }
    return status
  }

  /// Curvature of the arc on which the rider comes to the line's direction by the next fix, 1/km.
  private func bend(ahead fix: Fix, _ plane: CoursePlane) -> Double? {
    guard let place, let course = fix.course, let speed = fix.speed, speed >= Self.leastBending else { return nil }
    let way = max(1.3 * speed * min(max(motion.seconds, 0.5), 2), Self.leastWay) * (place.isReverse ? -1 : 1)
    let line = self.course.line
    guard 0...line.length ~= place.along + way, 0...line.length ~= place.along - way else { return nil }
    func point(_ along: Double) -> SIMD2<Double> { plane.point(line.place(at: along, from: place.passage.segment)) }
    let here = point(place.along)
    let (behind, ahead) = (here - point(place.along - way), point(place.along + way) - here)
    guard ahead.length > abs(way) / 2 else { return nil }
    let direction = atan2(ahead.x, ahead.y)
    // The line is beside the rider, not quite in his direction: mostly he comes to that, partly he turns as it.
    let turned =
      0.7 * Angle.wrapped(direction - course / Degrees.perRadian)
      + 0.3 * Angle.wrapped(direction - atan2(behind.x, behind.y)) / 2
    return (2 * sin(turned) / ahead.length * 1e5).rounded() / 1e2
  }

  private func point(to goal: Coordinate?, from fix: PublishedFix, in status: inout CourseStatus) {
    guard let goal else { return }
    status.distance = fix.fix.position.distance(to: goal)
    status.bearing = fix.fix.position.bearing(to: goal)
  }
}

extension CourseLine {
  func coordinate(of passage: CoursePassage) -> Coordinate? {
    let (start, end) = (vertices[passage.segment].place, vertices[passage.segment + 1].place)
    return start.moved(passage.part, towards: end).coordinate
  }
}
