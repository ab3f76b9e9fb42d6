/// Where the rider is at what time: the route ridden as fast as limits, bends and brakes allow.
package struct Motion: Sendable {
  /// The state at an instant.
  package struct State: Hashable, Sendable {
    /// Where; `station`, `surroundings` and the rest as in the route.
    package var place: Route.Point
    /// Over ground, m/s.
    package var speed: Double
  }

  let points: [Route.Point]
  /// The speed at each point, m/s.
  let speeds: [Double]
  /// When each point is left, seconds from the start.
  let departures: [Double]
  /// Where the search for the next instant begins.
  private var index = 0

  /// A ride from standstill to standstill, by a rider who gains and loses speed by so many m/s² at most.
  package init(along route: Route, acceleration: Double = 2, braking: Double = 2.5) {
    points = route.points
    var speeds = points.map { $0.stop > 0 ? 0 : max($0.speedLimit, 0.5) }
    speeds[0] = 0
    speeds[speeds.count - 1] = 0
    for index in 1..<speeds.count {
      let way = points[index].station - points[index - 1].station
      let reachable = (speeds[index - 1] * speeds[index - 1] + 2 * acceleration * way).squareRoot()
      speeds[index] = min(speeds[index], reachable)
    }
    for index in (0..<(speeds.count - 1)).reversed() {
      let way = points[index + 1].station - points[index].station
      let reachable = (speeds[index + 1] * speeds[index + 1] + 2 * braking * way).squareRoot()
      speeds[index] = min(speeds[index], reachable)
    }
    var departures = [points[0].stop]
    for index in 1..<points.count {
      let way = points[index].station - points[index - 1].station
      // Between two neighbouring points that are both stops one creeps.
      let meanSpeed = max((speeds[index - 1] + speeds[index]) / 2, 0.25)
      departures.append(departures[index - 1] + way / meanSpeed + points[index].stop)
    }
    self.speeds = speeds
    self.departures = departures
  }

  /// How long the ride takes, seconds, the stop at its end included.
  package var duration: Double { departures[departures.count - 1] }

  /// The state so many seconds after the start. Asking in ascending order is fast.
  package mutating func state(at seconds: Double) -> State {
    if index > 0 && departures[index - 1] > seconds { index = 0 }
    while index < points.count - 1 && departures[index] <= seconds { index += 1 }
    // The rider is on the way to `index`, or stands there.
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
    var place = to
    place.latitude = from.latitude + (to.latitude - from.latitude) * fraction
    var longitude = to.longitude - from.longitude
    longitude -= (longitude / 360).rounded() * 360
    place.longitude = from.longitude + longitude * fraction
    place.longitude -= (place.longitude / 360).rounded() * 360
    place.altitude = from.altitude + (to.altitude - from.altitude) * fraction
    place.station = from.station + way * fraction
    var turn = to.course - from.course
    turn -= (turn / 360).rounded() * 360
    place.course = from.course + turn * fraction
    place.course -= (place.course / 360).rounded(.down) * 360
    return State(place: place, speed: start + gain * elapsed)
  }
}
