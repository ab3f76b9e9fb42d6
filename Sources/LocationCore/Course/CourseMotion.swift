import Libc

/// Input of progress on a course by a fix: the way since the fix before, and the direction of movement.
struct CourseMotion: Sendable {
  /// Longest time between two fixes over which speeds give the way, seconds.
  private static let longestStep = 5.0
  /// Lowest speed with a direction, m/s.
  private static let slowest = 1.0
  /// Shortest way that shows a direction without a course, metres; at least half the radius of the error.
  private static let shortestWay = 8.0
  /// Time for which that direction holds, seconds.
  private static let memory = 6.0

  /// Since the fix before; 0 at the first.
  private(set) var seconds = 0.0
  /// Metres.
  private(set) var way = 0.0
  /// Standard deviation of the way along a line, and of a place on the line besides, metres.
  private(set) var deviation = 0.0
  private(set) var noise = 0.0
  /// Unit vector of the movement, east and north; `nil` if it is not known.
  private(set) var heading: SIMD2<Double>?
  private var last: (time: FixTime, place: EarthCentered, speed: Double?)?
  private var mark: (place: EarthCentered, age: Double)?

  mutating func advance(to fix: Fix, in plane: CoursePlane, radius: Double) {
    let time = FixTime(fix)
    let before = last
    last = (time, plane.origin, fix.speed)
    guard let before else { return turn(fix, plane, radius) }
    seconds = max(0, Double(time.nanoseconds(since: before.time) ?? time.elapsed(since: before.time)) * 1e-9)
    let chord = (plane.origin - before.place).length
    let speeds = (before.speed ?? fix.speed).flatMap { first in fix.speed.map { (first + $0) / 2 } }
    // The place on the line jumps where a corner is cut.
    noise = 2 + 0.2 * radius
    if seconds <= Self.longestStep {
      way = speeds.map { $0 * seconds } ?? chord
      deviation = 0.2 * way
    } else {
      // A tunnel or a ferry.
      way = max(chord, (speeds ?? 0) * seconds)
      deviation = 0.4 * way + 10
    }
    turn(fix, plane, radius)
  }

  private mutating func turn(_ fix: Fix, _ plane: CoursePlane, _ radius: Double) {
    if let course = fix.course {
      heading = fix.speed ?? .infinity >= Self.slowest ? SIMD2(course: course) : nil
      return
    }
    let age = (mark?.age ?? 0) + seconds
    mark?.age = age
    if age > Self.memory { heading = nil }
    let back = mark.map { plane.point($0.place) } ?? .zero
    guard mark == nil || back.length >= max(Self.shortestWay, radius / 2) else { return }
    if mark != nil, fix.speed ?? .infinity >= Self.slowest { heading = -back / back.length }
    mark = (plane.origin, 0)
  }
}
