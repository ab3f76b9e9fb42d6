/// The motion of a rider along a route, as fast as limits, bends and brakes allow.
package struct Motion: Sendable {
  package struct State: Hashable, Sendable {
    package var place: Route.Point
    package var speed: Double
  }

  let points: [Route.Point]
  let speeds: [Double]
  /// Departure from each point, seconds from the start.
  let departures: [Double]
  private var index = 0

  /// A ride from standstill to standstill with at most that acceleration and braking, m/s².
  package init(along route: Route, acceleration: Double = 2, braking: Double = 2.5) {
    points = route.points
    var speeds = points.map { $0.stop > 0 ? 0 : max($0.speedLimit, 0.5) }
    speeds[0] = 0
    speeds[speeds.count - 1] = 0
    func limit(_ index: Int, from other: Int, by rate: Double) {
      let way = abs(route.points[index].station - route.points[other].station)
      speeds[index] = min(speeds[index], (speeds[other] * speeds[other] + 2 * rate * way).squareRoot())
    }
    for index in 1..<speeds.count { limit(index, from: index - 1, by: acceleration) }
    for index in (0..<(speeds.count - 1)).reversed() { limit(index, from: index + 1, by: braking) }
    var departures = [points[0].stop]
    for index in 1..<points.count {
      let way = points[index].station - points[index - 1].station
      // The rider creeps between two neighbouring stops.
      let meanSpeed = max((speeds[index - 1] + speeds[index]) / 2, 0.25)
      departures.append(departures[index - 1] + way / meanSpeed + points[index].stop)
    }
    self.speeds = speeds
    self.departures = departures
  }

  /// Duration of the ride including the stop at its end, seconds.
  package var duration: Double { departures[departures.count - 1] }

  /// The state so many seconds after the start. Ascending times are fast.
  package mutating func state(at seconds: Double) -> State {
    if index > 0 && departures[index - 1] > seconds { index = 0 }
    while index < points.count - 1 && departures[index] <= seconds { index += 1 }
    // The rider is between `index` - 1 and `index`, or stopped at `index`.
    guard index > 0 else { return State(place: points[0], speed: 0) }
    let (from, to) = (points[index - 1], points[index])
    let travel = departures[index] - to.stop - departures[index - 1]
    let elapsed = seconds - departures[index - 1]
    guard elapsed < travel else { return State(place: to, speed: to.stop > 0 ? 0 : speeds[index]) }
    let way = to.station - from.station
    let start = speeds[index - 1]
    let gain = (speeds[index] - start) / travel
    let ridden = start + speeds[index] > 0 ? (start * elapsed + gain * elapsed * elapsed / 2) / way : elapsed / travel
    let fraction = min(max(ridden, 0), 1)
    return State(place: from.moved(towards: to, by: fraction), speed: start + gain * elapsed)
  }
}

/// The true figures of a simulated ride: seconds from its start, metres, m/s.
package struct RideTruth: Hashable, Sendable {
  package struct Stop: Hashable, Sendable {
    package let begin: Double
    package let end: Double
    package let station: Double
  }

  /// From start to end including stops, seconds.
  package let duration: Double
  package let distance: Double
  package internal(set) var movingTime = 0.0
  /// All stops in order, including those at the start and the end.
  package internal(set) var stops: [Stop] = []
  package internal(set) var ascent = 0.0
  /// Sum of all descents, metres, not negative.
  package internal(set) var descent = 0.0
  package internal(set) var topSpeed = 0.0
}

extension Motion {
  package var truth: RideTruth {
    var truth = RideTruth(duration: duration, distance: points[points.count - 1].station)
    for index in points.indices {
      if index > 0 {
        let climb = points[index].altitude - points[index - 1].altitude
        if climb > 0 { truth.ascent += climb } else { truth.descent -= climb }
        truth.topSpeed = max(truth.topSpeed, speeds[index])
        truth.movingTime += departures[index] - points[index].stop - departures[index - 1]
      }
      guard points[index].stop > 0 else { continue }
      truth.stops.append(
        RideTruth.Stop(
          begin: departures[index] - points[index].stop, end: departures[index], station: points[index].station))
    }
    return truth
  }
}
