/// The speeds of the last seconds, from which the time of a stop or a start between two fixes is estimated. Near a
/// standstill speeds are mostly noise, so the time is extrapolated from a fix in clear motion (``clearSpeed``) to speed
/// 0 by the acceleration around it. Times are seconds of the ride, speeds m/s.
struct SpeedTrace: Hashable, Sendable {
  struct Point: Hashable, Sendable {
    var time: Double
    var speed: Double
    /// Distance from an arbitrary origin, metres.
    var path: Double
  }

  struct Edge: Hashable, Sendable {
    var time: Double
    /// ``Point/path`` of the fix next to it at standstill: what lines of fixes add at a stop, they omit at full speed.
    var path: Double
  }

  /// Speed above which the noise of a receiver is small, m/s.
  static let clearSpeed = 1.0
  /// Interval over which acceleration is estimated, seconds; at least from one fix to the next.
  private static let window = 0.85
  /// m/s²
  private static let leastAcceleration = 0.25
  /// Assumed acceleration where fixes do not show it, m/s².
  private static let strongestAcceleration = 2.5
  /// Length of the trace, seconds.
  private static let span = 8.05
  private static let room = 128
  /// Smallest number of points, for slow receivers.
  private static let least = 5

  private var points: [Point] = []

  var path: Double { points.last?.path ?? 0 }
  mutating func removeAll() { points.removeAll(keepingCapacity: true) }

  mutating func append(time: Double, speed: Double, distance: Double) {
    points.append(Point(time: time, speed: speed, path: path + distance))
    while points.count > Self.least, time - points[0].time > Self.span || points.count > Self.room {
      points.removeFirst()
    }
  }

  mutating func code(_ words: inout StateWords) {
    words.code(&points, Point(time: 0, speed: 0, path: 0), limit: Self.room) { words, point in
      words.code(&point.time)
      words.code(&point.speed)
      words.code(&point.path)
    }
  }

  func meanSpeed(since time: Double) -> Double {
    let recent = points.reversed().prefix { $0.time >= time }
    return recent.isEmpty ? 0 : recent.reduce(0) { $0 + $1.speed } / Double(recent.count)
  }

  func path(since time: Double) -> Double { path - (points.first { $0.time >= time }?.path ?? path) }

  /// The time of the stop, if the first slow fix was at `slow`.
  func stop(slowAt slow: Double) -> Edge? {
    guard let slow = points.firstIndex(where: { $0.time >= slow }), slow > 0 else { return nil }
    let index = clear(from: slow - 1, -1)
    let rest = rest(at: index, fasterSide: -1)
    let latest = points[slow].time + Standstill.stoppedBelow / rest.acceleration
    let time = min(points[index].time + rest.seconds, latest)
    return Edge(time: time, path: points.first { $0.time >= time }?.path ?? path)
  }

  /// The time of the start, if the first fast fix was at `fast`; not before `earliest`.
  func start(fastAt fast: Double, earliest: Double) -> Edge? {
    guard let fast = points.firstIndex(where: { $0.time >= fast }) else { return nil }
    let index = clear(from: fast, 1)
    let rest = rest(at: index, fasterSide: 1)
    var time = max(points[index].time - rest.seconds, earliest)
    if let slow = points[..<index].last(where: { $0.speed < Standstill.stoppedBelow }) {
      time = max(time, slow.time - Standstill.stoppedBelow / rest.acceleration)
    }
    return Edge(time: time, path: points.last { $0.time <= time }?.path ?? points[0].path)
  }

  /// The nearest point on a side that is clear together with the one after it; a single one only without another.
  private func clear(from index: Int, _ side: Int) -> Int {
    let clear = stride(from: index, to: side > 0 ? points.count : -1, by: side)
      .filter { points[$0].speed >= Self.clearSpeed }
    return zip(clear, clear.dropFirst()).first { $1 == $0 + side }?.0 ?? clear.first ?? index
  }

  /// The time from a point to speed 0, seconds, not negative. It uses the acceleration on the side of the faster fixes
  /// or, if that had not begun there, on the other side. If the rider stood at the next fix there, that acceleration is
  /// a lower bound: then the harmonic mean with the ``strongestAcceleration`` is used.
  private func rest(at index: Int, fasterSide side: Int) -> (seconds: Double, acceleration: Double) {
    let speed = points[index].speed
    let (faster, slower) = (gain(at: index, side), gain(at: index, -side))
    var acceleration = max(faster.value, Self.leastAcceleration)
    if faster.value >= -slower.value * 2 / 3,
      faster.count != 1 || gain(at: index + side, side).isAtLeast(faster.value / 6)
    {
      return (max(0, faster.speed / acceleration - faster.seconds), acceleration)
    }
    acceleration = max(acceleration, -slower.value)
    let next = index - side
    if slower.count == 1, points.indices.contains(next), points[next].speed < Standstill.stoppedBelow / 2 {
      acceleration = 2 / (1 / acceleration + 1 / max(acceleration, Self.strongestAcceleration))
    }
    return (speed / acceleration, acceleration)
  }

  /// The acceleration on one side of a point, away from it.
  private struct Gain {
    var value: Double
    /// Number of fixes besides the point.
    var count: Int
    /// Mean distance of the fixes and the point from the point, seconds.
    var seconds: Double
    /// Mean speed of the fixes and the point, m/s.
    var speed: Double

    func isAtLeast(_ other: Double) -> Bool { count == 0 || value >= other }
  }

  /// The acceleration by least squares over the ``window``.
  private func gain(at index: Int, _ side: Int) -> Gain {
    let origin = points[index]
    var (count, times, speeds, squares, products) = (1.0, 0.0, 0.0, 0.0, 0.0)
    var next = index + side
    while points.indices.contains(next) {
      let seconds = abs(points[next].time - origin.time)
      guard count == 1 || seconds <= Self.window else { break }
      let speed = points[next].speed - origin.speed
      (count, times, speeds) = (count + 1, times + seconds, speeds + speed)
      (squares, products) = (squares + seconds * seconds, products + seconds * speed)
      next += side
    }
    let spread = squares - times * times / count
    guard spread > 1e-6 else { return Gain(value: 0, count: 0, seconds: 0, speed: origin.speed) }
    return Gain(
      value: (products - times * speeds / count) / spread, count: Int(count) - 1, seconds: times / count,
      speed: origin.speed + speeds / count)
  }
}
