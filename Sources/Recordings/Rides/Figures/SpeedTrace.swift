/// The speeds of the last seconds, to tell from them when a stop or a start was, between the fixes.
///
/// Near a stand a speed is mostly noise, so the instant is reckoned from a fix that is clearly on the move
/// (``clearSpeed``), by the acceleration about it down to speed 0. Times in seconds of the ride, speeds in m/s.
struct SpeedTrace: Hashable, Sendable {
  /// The speed at one fix.
  struct Point: Hashable, Sendable {
    var time: Double
    var speed: Double
    /// Metres since some time before, for differences.
    var path: Double
  }

  /// Where a stop or a start was.
  struct Edge: Hashable, Sendable {
    var time: Double
    /// What ``Point/path`` was at the fix beside it where it stood: what the straight lines between the fixes add at
    /// the corners of a stand they leave out where a rider reaches his speed.
    var path: Double
  }

  /// Above this the noise of a receiver is small, m/s.
  static let clearSpeed = 1.0
  /// What the acceleration is taken over, seconds; at least from one fix to the next.
  private static let window = 0.85
  /// m/s²
  private static let leastAcceleration = 0.25
  /// What a rider brakes or sets off with at most where the fixes do not show it, m/s².
  private static let strongestAcceleration = 2.5
  /// Seconds that are kept.
  private static let span = 8.05
  private static let room = 128
  /// So many are kept of a slow receiver.
  private static let least = 5

  private var points: [Point] = []

  /// The metres now.
  var path: Double { points.last?.path ?? 0 }

  mutating func removeAll() { points.removeAll(keepingCapacity: true) }

  /// Adds the speed at the next fix and the way to it.
  mutating func append(time: Double, speed: Double, way: Double) {
    points.append(Point(time: time, speed: speed, path: path + way))
    while points.count > Self.least, time - points[0].time > Self.span || points.count > Self.room {
      points.removeFirst()
    }
  }

  /// The mean of the speeds since a time.
  func meanSpeed(since time: Double) -> Double {
    var (sum, count) = (0.0, 0.0)
    for point in points.reversed() {
      guard point.time >= time else { break }
      sum += point.speed
      count += 1
    }
    return count > 0 ? sum / count : 0
  }

  /// The metres since a time.
  func path(since time: Double) -> Double {
    path - (points.first { $0.time >= time }?.path ?? path)
  }

  /// When it stood, if the first slow fix was at `slow`.
  func stop(slowAt slow: Double) -> Edge? {
    guard let slow = points.firstIndex(where: { $0.time >= slow }), slow > 0 else { return nil }
    let index = clear(from: slow - 1, -1)
    let rest = rest(at: index, fasterSide: -1)
    let latest = points[slow].time + RideAccumulator.stopSpeed / rest.acceleration
    let time = min(points[index].time + rest.seconds, latest)
    return Edge(time: time, path: points.first { $0.time >= time }?.path ?? path)
  }

  /// When it set off, if the first fast fix was at `fast`; not before `earliest`.
  func start(fastAt fast: Double, earliest: Double) -> Edge? {
    guard let fast = points.firstIndex(where: { $0.time >= fast }) else { return nil }
    let index = clear(from: fast, 1)
    let rest = rest(at: index, fasterSide: 1)
    var time = max(points[index].time - rest.seconds, earliest)
    if let slow = points[..<index].last(where: { $0.speed < RideAccumulator.stopSpeed }) {
      time = max(time, slow.time - RideAccumulator.stopSpeed / rest.acceleration)
    }
    return Edge(time: time, path: points.last { $0.time <= time }?.path ?? points[0].path)
  }

  /// The next to one side that is clear, and the one behind it too: a single one is noise, unless there is no other.
  private func clear(from index: Int, _ side: Int) -> Int {
    var single: Int?
    var next = index
    while isClear(next) != nil {
      if isClear(next) == true {
        if isClear(next + side) == true { return next }
        single = single ?? next
      }
      next += side
    }
    return single ?? index
  }

  /// `nil` beyond the fixes.
  private func isClear(_ index: Int) -> Bool? {
    points.indices.contains(index) ? points[index].speed >= Self.clearSpeed : nil
  }

  /// How long it takes from a point to speed 0, seconds; not negative.
  ///
  /// By the acceleration on the side of the faster fixes, or if it had not begun there by that on the other. Where it
  /// stood at the fix there, that is the least that it can have been: then it is the middle between that and the
  /// ``strongestAcceleration``.
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
    if slower.count == 1, points.indices.contains(next), points[next].speed < RideAccumulator.stopSpeed / 2 {
      acceleration = 2 / (1 / acceleration + 1 / max(acceleration, Self.strongestAcceleration))
    }
    return (speed / acceleration, acceleration)
  }

  /// What the speed gains away from a point, to one side, in m/s².
  private struct Gain {
    var value: Double
    /// Over how many fixes.
    var count: Int
    /// The middle of those and the point itself: seconds away, and m/s.
    var seconds: Double
    var speed: Double

    func isAtLeast(_ other: Double) -> Bool { count == 0 || value >= other }
  }

  /// By least squares through the fixes of the ``window``.
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
