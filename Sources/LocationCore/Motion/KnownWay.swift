import Libc

/// The way ridden so far, to forecast laps and ways back: the newest 1024 states, at least `spacing` apart (15 min).
struct KnownWay: Sendable {
  struct Forecast: Sendable {
    /// m/s².
    var acceleration: Double
    /// rad/s at the speed of today.
    var turnRate: Double
  }

  private static let capacity = 1024
  /// Seconds.
  private static let spacing = 0.75
  /// Longest time between neighbours, seconds.
  private static let longestStep = 2.2
  /// Seconds after which a way counts as an earlier pass.
  private static let youngest = 15.0
  /// Metres beside the way, and radians of course, that are another way.
  private static let widest = 10.0
  private static let mostTurned = 0.5
  /// How quickly a rider who is faster or slower than before comes to the same speed, 1/s.
  private static let returning = 0.2

  private var states: [MotionState] = []
  private var next = 0

  mutating func append(_ state: MotionState) {
    if states.isEmpty { states.reserveCapacity(Self.capacity) }
    if let last = states.isEmpty ? nil : states[(next + states.count - 1) % states.count] {
      let seconds = state.seconds(since: last)
      guard seconds >= Self.spacing || seconds <= 0 else { return }
    }
    if states.count < Self.capacity { states.append(state) } else { states[next] = state }
    next = (next + 1) % Self.capacity
  }

  /// What the best earlier pass did in the `horizon` seconds after this state's place.
  func forecast(from state: MotionState, over horizon: Double) -> Forecast? {
    guard state.speed > 3 * MotionState.learnsAbove, states.count > 8 else { return nil }
    let plane = LocalPlane(at: state.position)
    let reach = 60.0
    var best: (index: Int, seconds: Double, badness: Double)?
    let (latitudes, longitudes) = (reach / plane.north, reach / plane.east)
    for index in states.indices {
      let start = states[index]
      guard abs(start.position.latitude - state.position.latitude) < latitudes,
        abs(start.position.longitude - state.position.longitude) < longitudes,
        state.seconds(since: start) > Self.youngest, start.speed > MotionState.learnsAbove
      else { continue }
      let end = states[(index + 1) % states.count]
      let step = end.seconds(since: start)
      guard step > 0, step < Self.longestStep else { continue }
      let (from, to) = (plane.point(of: start.position), plane.point(of: end.position))
      let way = to - from
      let square = way.x * way.x + way.y * way.y
      guard square > 1 else { continue }
      let share = -(from.x * way.x + from.y * way.y) / square
      guard share >= 0, share < 1 else { continue }
      // The part of the way to the part of the time, at constant acceleration.
      let change = (end.speed - start.speed) / max(end.speed + start.speed, 0.1)
      let part = abs(change) < 1e-3 ? share : ((1 - change) * (1 - change) + 4 * change * share).squareRoot()
      let seconds = step * (abs(change) < 1e-3 ? share : (part - (1 - change)) / (2 * change))
      let passed = Passed(start, end, plane: plane).state(after: seconds)
      let beside = passed.east * cos(state.course) - passed.north * sin(state.course)
      let turned = Angle.wrapped(passed.course - state.course)
      guard abs(beside) < Self.widest, abs(turned) < Self.mostTurned else { continue }
      let faster = (passed.speed - state.speed) / (1 + 0.15 * state.speed)
      let badness = beside * beside / 9 + turned * turned * 25 + faster * faster
      if best.map({ badness < $0.badness }) ?? true { best = (index, seconds, badness) }
    }
    guard let best, best.badness < 12 else { return nil }
    let first = passed(best.index, best.seconds, plane)
    guard let first, let later = passed(best.index, best.seconds + horizon, plane) else { return nil }
    let (east, north) = (later.east - first.east, later.north - first.north)
    let distance = hypot(east, north)
    guard distance > 1 else { return nil }
    let deviation = Angle.wrapped(atan2(east, north) - first.course)
    return Forecast(
      acceleration: 2 * (distance - first.speed * horizon) / (horizon * horizon)
        + Self.returning * (first.speed - state.speed),
      turnRate: 2 * deviation / distance * state.speed)
  }

  private func passed(_ index: Int, _ seconds: Double, _ plane: LocalPlane) -> Passed.State? {
    var (index, left) = (index, seconds)
    for _ in 0..<12 {
      let (start, end) = (states[index], states[(index + 1) % states.count])
      let step = end.seconds(since: start)
      guard step > 0, step < Self.longestStep else { return nil }
      if left <= step { return Passed(start, end, plane: plane).state(after: left) }
      left -= step
      index = (index + 1) % states.count
    }
    return nil
  }
}

/// The cubic way between two states.
private struct Passed {
  struct State {
    var east, north, speed, course: Double
  }

  private let start, end: MotionState
  private let step: Double
  private let from, to: SIMD2<Double>

  init(_ start: MotionState, _ end: MotionState, plane: LocalPlane) {
    (self.start, self.end) = (start, end)
    step = end.seconds(since: start)
    (from, to) = (plane.point(of: start.position), plane.point(of: end.position))
  }

  func state(after seconds: Double) -> State {
    let part = seconds / step
    func value(_ from: Double, _ fromRate: Double, _ to: Double, _ toRate: Double) -> (Double, Double) {
      let (first, last) = (fromRate * step, toRate * step)
      let square = 3 * (to - from) - 2 * first - last
      let cube = 2 * (from - to) + first + last
      return (
        from + part * (first + part * (square + part * cube)), (first + part * (2 * square + 3 * part * cube)) / step
      )
    }
    let east = value(from.x, start.speed * sin(start.course), to.x, end.speed * sin(end.course))
    let north = value(from.y, start.speed * cos(start.course), to.y, end.speed * cos(end.course))
    return State(east: east.0, north: north.0, speed: hypot(east.1, north.1), course: atan2(east.1, north.1))
  }
}
