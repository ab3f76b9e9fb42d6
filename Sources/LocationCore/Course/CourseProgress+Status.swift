extension CourseProgress {
  /// The status at a fix, by the state and the place after it.
  func status(of fix: PublishedFix, _ plane: CoursePlane, at instant: MonotonicInstant) -> CourseStatus {
    let line = course.line
    let isReverse = place?.isReverse ?? false
    let along = place?.along
    let remaining = isReverse ? along ?? 0 : line.length - (along ?? 0)
    var status = CourseStatus(
      name: course.name, state: state, time: fix.fix.measured, seq: fix.seq, along: along, remaining: remaining)
    status.isReverse = isReverse
    switch state {
    case .finished, .kept, .ended: break
    case .before: point(to: line.coordinate(at: 0), from: fix, in: &status)
    case .off:
      let nearest = line.nearest(to: plane, from: place?.segment ?? 0)
      point(to: line.coordinate(of: nearest), from: fix, in: &status)
    case .on:
      status.beside = place?.beside
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

  private func point(to goal: Coordinate?, from fix: PublishedFix, in status: inout CourseStatus) {
    guard let goal else { return }
    status.distance = fix.fix.position.distance(to: goal)
    status.bearing = fix.fix.position.bearing(to: goal)
  }
}

extension CourseLine {
  func coordinate(of passage: CoursePassage) -> Coordinate? {
    let (start, end) = (vertices[passage.segment].place, vertices[passage.segment + 1].place)
    return Coordinate(start.moved(passage.part, towards: end))
  }
}
