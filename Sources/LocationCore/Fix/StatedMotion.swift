/// Check of the speed and course that a receiver states against its positions. One that jumps as no vehicle can, and
/// that the way between the positions contradicts, is removed: it is a damaged value, or of another time. What only the
/// way contradicts stays, since a receiver can hold its position, and so does what only jumps.
struct StatedMotion: Sendable {
  /// Largest plausible change of speed, m/s: at once, and in each second.
  private static let speedChange = (step: 3.0, rate: 15.0)
  /// Largest plausible change of the course, degrees, in motion of that speed, m/s.
  private static let courseChange = (angle: 100.0, speed: 5.0)
  /// Longest time between two fixes that are compared, seconds.
  private static let longestTime = 3.0
  /// Error of the way between two positions, metres: by itself, and as a share of the stated error.
  private static let error = (metres: 3.0, share: 0.2, unstated: 10.0)

  private var last: (position: Coordinate, time: Int64, speed: Double?, course: Double?)?
  private(set) var removed: UInt64 = 0

  mutating func check(_ fix: inout Fix) {
    guard let last else { return }
    let seconds = Double(Self.time(of: fix) &- last.time) / 1e9
    let change = if let before = last.speed, let speed = fix.speed { abs(speed - before) } else { 0.0 }
    let isSpeedDoubtful = change > Self.speedChange.step + Self.speedChange.rate * max(0, seconds)
    let isCourseDoubtful =
      (fix.speed ?? 0) > Self.courseChange.speed && Self.angle(last.course, fix.course) > Self.courseChange.angle
    guard isSpeedDoubtful || isCourseDoubtful, seconds > 0, seconds <= Self.longestTime else { return }
    let way = last.position.distance(to: fix.position)
    let error = Self.error.metres + Self.error.share * (fix.horizontalAccuracy ?? Self.error.unstated)
    if isSpeedDoubtful, let speed = fix.speed, abs(speed * seconds - way) > error {
      fix.speed = nil
      removed &+= 1
    }
    if isCourseDoubtful, let course = fix.course, way > error {
      let bearing = last.position.bearing(to: fix.position)
      if Self.angle(bearing, course) > Self.courseChange.angle, Self.angle(bearing, last.course) < 45 {
        fix.course = nil
        removed &+= 1
      }
    }
  }

  /// Takes an accepted fix as what the next one is compared with; what was removed from it is that of the one before.
  mutating func accepted(_ fix: borrowing Fix) {
    let time = Self.time(of: fix)
    let isContinued = last.map { Double(time &- $0.time) / 1e9 <= Self.longestTime } ?? false
    last = (
      fix.position, time, fix.speed ?? (isContinued ? last?.speed : nil),
      fix.course ?? (isContinued ? last?.course : nil)
    )
  }

  /// The angle between two directions, degrees; 0 if one is unknown.
  private static func angle(_ one: Double?, _ other: Double?) -> Double {
    guard let one, let other else { return 0 }
    let angle = abs(one - other)
    return min(angle, 360 - angle)
  }

  private static func time(of fix: borrowing Fix) -> Int64 {
    if let measured = fix.measured { return measured.nanosecondsSince1970 }
    return fix.received.nanoseconds
  }
}
