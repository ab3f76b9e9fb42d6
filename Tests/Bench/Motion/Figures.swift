import CAllocations
import Glibc
import LocationCore

/// Errors of three predictions of the same held-back fixes.
struct PredictionErrors {
  struct Pair {
    var along = 0.0
    var across = 0.0
  }

  private struct Sample {
    var horizon: Double
    var held: Pair
    var linear: Pair
    var pose: Pair
    /// Of a rider who follows a course.
    var followed: Pair
  }

  private var samples: [Sample] = []

  init(_ fixes: HeldBackFixes) {
    var motion = MotionEstimator()
    var followed = MotionEstimator()
    var progress = fixes.course.map { CourseProgress($0) }
    for (use, index) in fixes.used.enumerated() {
      let instant = fixes.arrival(of: index)
      var published = fixes.published(index)
      motion.receive(published, at: instant)
      published.bend = progress?.published(published, at: instant).bend
      followed.receive(published, at: instant)
      let end = use + 1 < fixes.used.count ? fixes.time(of: fixes.used[use + 1]) : .max
      let fix = fixes.all[index]
      var later = index + 1
      while later < fixes.all.count, fixes.time(of: later) <= end {
        let age = Double(fixes.time(of: later) - fixes.time(of: index)) * 1e-9
        let truth = fixes.all[later]
        later += 1
        guard let course = truth.course, let speed = truth.speed, speed > 1, age <= 2.01 else { continue }
        // The clock of the fix's arrival is 0.1 s behind that of its measurement.
        let moment = instant + .nanoseconds(Int64((age - 0.1) * 1e9))
        guard let pose = motion.pose(at: moment), let other = followed.pose(at: moment) else { continue }
        let way = (fix.speed ?? 0) * age
        samples.append(
          Sample(
            horizon: age, held: Self.error(of: fix.position, moved: 0, fix.course, truth.position, course),
            linear: Self.error(of: fix.position, moved: way, fix.course, truth.position, course),
            pose: Self.error(of: pose.coordinate, moved: 0, nil, truth.position, course),
            followed: Self.error(of: other.coordinate, moved: 0, nil, truth.position, course)))
      }
    }
  }

  /// The errors at 95 % over a horizon, seconds, and the median of the poses; `nil` without fixes there.
  func figures(at horizon: Double) -> (held: Pair, linear: Pair, poses: Pair, followed: Pair, median: Pair)? {
    let chosen = samples.filter { abs($0.horizon - horizon) < 0.006 }
    guard chosen.count > 20 else { return nil }
    func quantile(_ share: Double, _ pair: (Sample) -> Pair) -> Pair {
      let along = chosen.map { pair($0).along }.sorted()
      let across = chosen.map { pair($0).across }.sorted()
      let index = Int(share * Double(chosen.count - 1))
      return Pair(along: along[index], across: across[index])
    }
    return (
      quantile(0.95) { $0.held }, quantile(0.95) { $0.linear }, quantile(0.95) { $0.pose },
      quantile(0.95) { $0.followed }, quantile(0.5) { $0.pose }
    )
  }

  private static func error(
    of start: Coordinate, moved metres: Double, _ bearing: Double?, _ truth: Coordinate, _ course: Double
  ) -> Pair {
    let position = Geodesic.direct(from: start, bearing: bearing ?? 0, distance: metres) ?? start
    let distance = position.distance(to: truth)
    let angle = ((position.bearing(to: truth) ?? 0) - course) * .pi / 180
    return Pair(along: abs(distance * cos(angle)), across: abs(distance * sin(angle)))
  }
}

/// A ride drawn at 60 Hz, as the daemon's poses.
struct Frames {
  /// Share of the poses within their stated radius of the held-back fixes.
  private(set) var inside = 0.0
  /// Share of the poses within that radius and the fix's of the simulator's truth.
  private(set) var insideTruth = 0.0
  /// Frames behind the one before, along their track.
  private(set) var back = 0
  /// Frames above 2 m/s that did not move.
  private(set) var stalled = 0
  private(set) var jumps = 0
  /// CPU per pose and per fix, µs.
  private(set) var perPose = 0.0
  private(set) var perFix = 0.0
  /// Heap allocations of all poses and fixes after the first one, which allocates the stores.
  private(set) var allocations: UInt64 = 0

  /// Draws it for a rider who follows a course, if there is one.
  init(_ fixes: HeldBackFixes, on course: Course? = nil) {
    let poses = draw(fixes, course.map { CourseProgress($0) })
    var index = 0
    var counted = (inside: 0, all: 0)
    var compared = (inside: 0, all: 0)
    var last: Pose?
    for pose in poses {
      defer { last = pose }
      if let time = pose.time, let truth = fixes.position(at: time.nanosecondsSince1970, from: &index) {
        counted.all += 1
        if pose.coordinate.distance(to: truth) <= pose.horizontalAccuracy { counted.inside += 1 }
      }
      if let time = pose.time, let truth = fixes.truth(at: time.nanosecondsSince1970) {
        let radius = hypot(pose.horizontalAccuracy, fixes.all[Int(pose.seq) - 1].horizontalAccuracy ?? 0)
        compared.all += 1
        if pose.coordinate.distance(to: truth) <= radius { compared.inside += 1 }
      }
      if pose.isJump { jumps += 1 }
      guard let last, !pose.isJump, let track = pose.course else { continue }
      let distance = last.coordinate.distance(to: pose.coordinate)
      let angle = ((last.coordinate.bearing(to: pose.coordinate) ?? track) - track) * .pi / 180
      let advance = distance * cos(angle)
      if advance < -1e-4 { back += 1 }
      if pose.speed > 2, pose.basis != .held, advance < 1e-3 { stalled += 1 }
    }
    inside = Double(counted.inside) / Double(max(counted.all, 1))
    insideTruth = Double(compared.inside) / Double(max(compared.all, 1))
  }

  private mutating func draw(_ fixes: HeldBackFixes, _ progress: CourseProgress?) -> [Pose] {
    var progress = progress
    var motion = MotionEstimator()
    var grid = PoseGrid(rate: 60, from: .zero)
    var poses: [Pose] = []
    poses.reserveCapacity(fixes.used.count * 180)
    var time = (poses: 0.0, fixes: 0.0)
    for index in fixes.used {
      let instant = fixes.arrival(of: index)
      let before = CAllocations.allocations()
      let begin = Self.cpuTime
      while let due = grid.next(of: motion), due < instant {
        if let pose = grid.take(from: motion, at: due) { poses.append(pose) }
      }
      let end = Self.cpuTime
      time.poses += end - begin
      var published = fixes.published(index)
      published.bend = progress?.published(published, at: instant).bend
      motion.receive(published, at: instant)
      time.fixes += Self.cpuTime - end
      if index != fixes.used.first { allocations += CAllocations.allocations() - before }
    }
    perPose = time.poses / Double(max(poses.count, 1)) * 1e6
    perFix = time.fixes / Double(max(fixes.used.count, 1)) * 1e6
    return poses
  }

  private static var cpuTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
