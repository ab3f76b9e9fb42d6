/// State machine of the rider's progress on a course: fixes in, places on the line out. The rider is on it after two
/// seconds within the narrow one of ``limits(_:)`` and in its direction, and off it after three seconds and ten metres
/// beyond the wide one, or six seconds and 30 m on one side beyond the narrow one. The passage follows from
/// ``CourseHypotheses``; the reported one changes only if another is clearly more likely.
package struct CourseProgress: Sendable {
  /// Radius of a fix without one, and the largest that counts, metres.
  private static let radii = (assumed: 15.0, least: 1.0, most: 100.0)
  /// Seconds on the line after which the rider is on it.
  private static let entering = 2.0
  /// Metres from the end within which the course is finished, besides a radius of at most 30 m: together at most a quarter
  /// of the line.
  private static let finish = 10.0
  /// Share of the line without which its end is no finish for good: home may be on a loop, beside its end.
  private static let share = 0.5

  package internal(set) var course: Course
  package private(set) var state = CourseState.before
  private(set) var motion = CourseMotion()
  private var hypotheses = CourseHypotheses()
  /// Storage of the passages near a fix.
  private var passages: [CoursePassage] = []
  private(set) var path = RecentPath()
  /// Beyond the wide limit, and on one side beyond the narrow one.
  private var outside = Excursion(lasting: 3, 10)
  private var aside = (left: Excursion(lasting: 6, 30), right: Excursion(lasting: 6, 30))
  /// Metres of the line that the rider has ridden.
  private var covered = 0.0
  /// Where the rider is or was on the line; moving on does not go back, changing to another passage may. `nil` before.
  private(set) var place: CourseHypothesis?

  package init(_ course: Course, from kept: KeptProgress? = nil) {
    self.course = course
    passages.reserveCapacity(CoursePassage.limit)
    guard let kept, kept.isOf(course.line) else { return }
    covered = kept.covered
    hypotheses.resume(on: course.line, at: kept.along, isReverse: kept.isReverse)
    place = hypotheses.reported
  }

  /// What another run goes on from; `nil` before the rider was on the line, and at its end.
  package var kept: KeptProgress? {
    guard let place, state != .finished else { return nil }
    return KeptProgress(
      name: course.name, length: course.line.length, along: place.along, isReverse: place.isReverse, covered: covered)
  }

  mutating func append(_ points: [CoursePoint]) throws(CourseError) {
    try course.append(points)
    if state == .finished { state = .on }
  }

  /// The distances beside the line up to which a rider is on it, by the 95 % radius of the fix; metres. The narrow
  /// limit is for errors of seconds: those of a large radius are reflections, which last. 10 m are for the plan.
  static func limits(_ radius: Double) -> (narrow: Double, wide: Double) {
    (10 + min(radius / 20, 1.25) * radius, 10 + 1.25 * radius)
  }

  package mutating func published(_ fix: PublishedFix, at instant: MonotonicInstant) -> CourseStatus {
    course.updateProfile()
    let plane = CoursePlane(at: fix.fix.position)
    let radius = min(max(fix.fix.horizontalAccuracy ?? Self.radii.assumed, Self.radii.least), Self.radii.most)
    let limits = Self.limits(radius)
    motion.advance(to: fix.fix, in: plane, radius: radius)
    if !fix.changes.isDisjoint(with: [.source, .suspect]) { path.reset() }
    path.append(fix.fix.position, speed: fix.fix.speed, at: instant)

    var found = exchange(&passages, with: [])
    course.line.findPassages(near: plane, within: 2 * limits.wide + 20, focus: place?.along ?? 0, into: &found)
    let likelihood = CourseLikelihood(motion, radius: radius, isOn: state == .on)
    hypotheses.advance(found, likelihood, limit: limits.narrow, isEntering: place == nil || isWaiting)
    passages = found

    let before = state
    if state == .on { follow(limits, radius: radius) } else { enter() }
    var status = status(of: fix, plane, at: instant)
    status.isTransition = state != before
    return status
  }

  private var isWaiting: Bool { state == .finished && covered < Self.share * course.line.length }

  private mutating func enter() {
    guard state != .finished || isWaiting, let best = hypotheses.best(fitFor: Self.entering) else { return }
    if isWaiting, remaining(of: best) < 100 { return }
    state = .on
    change(to: best)
  }

  private mutating func follow(_ limits: (narrow: Double, wide: Double), radius: Double) {
    if let better = hypotheses.clearlyBetter() { change(to: better) }
    let here = hypotheses.reported
    let beside = here.flatMap { $0.isNear ? $0.passage.beside : nil }
    outside.take(motion, abs(beside ?? .infinity) > limits.wide)
    aside.left.take(motion, beside ?? -.infinity < -limits.narrow)
    aside.right.take(motion, beside ?? .infinity > limits.narrow)
    if outside.isOver || aside.left.isOver || aside.right.isOver {
      guard let other = hypotheses.best(fitFor: Self.entering) else { return state = .off }
      change(to: other)
    } else if let here, here.isNear {
      move(to: here)
      let zone = min(Self.finish + min(radius, 30), course.line.length / 4)
      if remaining(of: here) <= zone { state = .finished }
    }
  }

  private mutating func change(to chosen: CourseHypothesis) {
    hypotheses.report(chosen)
    place = chosen
    outside.end()
    aside.left.end()
    aside.right.end()
  }

  /// Moves on along the line, never back.
  private mutating func move(to here: CourseHypothesis) {
    guard let old = place else { return }
    var new = here
    let gain = here.direction * (here.along - old.along)
    if gain < 0 { new.passage.along = old.along }
    covered += max(0, gain)
    place = new
  }

  func remaining(of one: CourseHypothesis) -> Double {
    one.direction > 0 ? course.line.length - one.along : one.along
  }
}

/// The time for which a rider has been beyond a limit, and the way.
private struct Excursion: Sendable {
  private let limit: (seconds: Double, way: Double)
  private var seconds = 0.0
  private var way = 0.0

  init(lasting seconds: Double, _ way: Double) { limit = (seconds, way) }
  /// Whether it is longer than an error.
  var isOver: Bool { seconds >= limit.seconds && way >= limit.way }

  mutating func take(_ motion: CourseMotion, _ isBeyond: Bool) {
    guard isBeyond else { return end() }
    (seconds, way) = (seconds + motion.seconds, way + motion.way)
  }

  mutating func end() { (seconds, way) = (0, 0) }
}

package struct KeptProgress: Hashable, Sendable {
  package private(set) var name = ""
  /// Of the whole line, metres.
  fileprivate private(set) var length = 0.0
  fileprivate private(set) var along = 0.0
  fileprivate private(set) var isReverse = false
  fileprivate private(set) var covered = 0.0
}

extension KeptProgress {
  /// Reads a line of a state file; `nil` if it is damaged.
  package init?(line: Substring) {
    var words = StateWords(line)
    code(&words)
    guard words.isComplete, length > 0, 0...length ~= along, covered >= 0 else { return nil }
  }

  package var line: String { StateWords.line(of: self) { $0.code(&$1) } }

  private mutating func code(_ words: inout StateWords) {
    words.code(&name)
    words.code(&length)
    words.code(&along)
    words.code(&isReverse)
    words.code(&covered)
  }

  fileprivate func isOf(_ line: CourseLine) -> Bool { abs(line.length - length) < 1 && along <= line.length }
}
