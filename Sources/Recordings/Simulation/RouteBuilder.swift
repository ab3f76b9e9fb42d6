import LocationCore

/// Draws a route as one drives it: straight on, a bend, straight on …
package struct RouteBuilder {
  /// The speed limit of what is drawn next, m/s. Bends are ridden slower where they demand it.
  package var speedLimit: Double
  /// The climb of what is drawn next, metres per metre.
  package var gradient = 0.0
  /// The surroundings of what is drawn next.
  package var surroundings = Route.Surroundings.open

  /// The sideways acceleration that a rider takes in a bend, m/s².
  package static let lateralAcceleration = 3.0
  private static let spacing = 2.0

  private let lateralAcceleration: Double
  private var here: Route.Point
  private var points: [Route.Point]

  /// Begins at a point that is not near a pole, looking in a direction (degrees from true north).
  package init(
    start: Coordinate, altitude: Double, course: Double, speedLimit: Double,
    lateralAcceleration: Double = lateralAcceleration
  ) {
    self.speedLimit = speedLimit
    self.lateralAcceleration = lateralAcceleration
    here = Route.Point(
      latitude: start.latitude, longitude: start.longitude, altitude: altitude, station: 0, course: course,
      speedLimit: speedLimit, stop: 0, surroundings: .open)
    points = [here]
  }

  /// Goes straight on.
  package mutating func straight(_ metres: Double) {
    draw(metres, turning: 0, limit: speedLimit)
  }

  /// Bends to the right (positive) or to the left, by so many degrees.
  package mutating func bend(_ degrees: Double, radius: Double) {
    let limit = min(speedLimit, (lateralAcceleration * radius).squareRoot())
    draw(abs(degrees) * ExactMath.pi / 180 * radius, turning: degrees, limit: limit)
  }

  /// Lets the rider stand here for so many seconds.
  package mutating func stop(_ seconds: Double) {
    points[points.count - 1].stop = seconds
  }

  /// The way so far, metres.
  var length: Double { here.station }
  /// Where it has come to, degrees.
  var latitude: Double { here.latitude }
  /// How high, metres.
  var altitude: Double { here.altitude }

  /// What has been drawn; `nil` when nothing has.
  package var route: Route? { Route(points: points) }

  private mutating func draw(_ metres: Double, turning degrees: Double, limit: Double) {
    let steps = max(1, (metres / Self.spacing).rounded(.up))
    let step = metres / steps
    guard step >= 0.001 else { return }
    points[points.count - 1].speedLimit = min(points[points.count - 1].speedLimit, limit)
    for _ in 0..<Int(min(steps, 1e6)) {
      let turn = degrees / steps
      let (sine, cosine) = ExactMath.sineCosine(degrees: here.course + turn / 2)
      let scale = LocalScale(latitude: here.latitude)
      here.latitude += cosine * step / scale.metresPerDegreeNorth
      here.longitude += sine * step / scale.metresPerDegreeEast
      if here.longitude > 180 { here.longitude -= 360 }
      if here.longitude < -180 { here.longitude += 360 }
      here.altitude += gradient * step
      here.station += step
      here.course += turn
      here.course -= (here.course / 360).rounded(.down) * 360
      here.speedLimit = limit
      here.surroundings = surroundings
      here.stop = 0
      points.append(here)
    }
  }
}
