import LocationCore

package struct RouteBuilder {
  /// Speed limit of the next sections, m/s; lower in tight bends.
  package var speedLimit: Double
  /// Gradient of the next sections, metres per metre.
  package var gradient = 0.0
  package var surroundings = Route.Surroundings.open

  /// Default sideways acceleration in bends, m/s².
  package static let lateralAcceleration = 3.0
  private static let spacing = 2.0

  private let lateralAcceleration: Double
  private(set) var here: Route.Point
  private var points: [Route.Point]

  /// Begins at a point away from the poles, in a direction (degrees from true north).
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

  package mutating func straight(_ metres: Double) { draw(metres, turning: 0, limit: speedLimit) }

  /// Adds a bend to the right (positive) or to the left; the radius is metres.
  package mutating func bend(_ degrees: Double, radius: Double) {
    let limit = min(speedLimit, (lateralAcceleration * radius).squareRoot())
    draw(abs(degrees) * ExactMath.pi / 180 * radius, turning: degrees, limit: limit)
  }

  package mutating func stop(_ seconds: Double) { points[points.count - 1].stop = seconds }
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
      here.course = ExactMath.fullTurn(here.course + turn)
      here.speedLimit = limit
      here.surroundings = surroundings
      here.stop = 0
      points.append(here)
    }
  }
}

extension Route {
  /// A road of that length (metres) through town, hills and country, drawn from the seed. `nil` near a pole.
  package init?(
    touring length: Double, from start: Coordinate, seed: UInt64, speedLimit: Double, lateralAcceleration: Double
  ) {
    guard abs(start.latitude) <= 85 else { return nil }
    var tour = Tour(
      RouteBuilder(
        start: start, altitude: 400, course: 90, speedLimit: speedLimit, lateralAcceleration: lateralAcceleration),
      seed: seed, speedLimit: speedLimit)
    while tour.road.here.station < length && abs(tour.road.here.latitude) < 86 { tour.addSection() }
    guard var route = tour.road.route else { return nil }
    // Whole sections are drawn; the last one ends where the road is long enough.
    route.cut(to: length)
    self = route
  }
}

private struct Tour {
  var road: RouteBuilder
  private var random: SeededRandom
  private let speedLimit: Double

  init(_ road: RouteBuilder, seed: UInt64, speedLimit: Double) {
    self.road = road
    self.speedLimit = speedLimit
    random = SeededRandom(seed: seed, stream: 7)
    self.road.stop(3)
  }

  mutating func addSection() {
    // Upwards in the valley, downwards from the pass.
    let altitude = road.here.altitude
    let side = altitude < 600 ? 1.0 : altitude > 1500 ? -1 : random.uniform() < 0.5 ? -1 : 1
    switch random.uniform() {
    case ..<0.3: town()
    case ..<0.5: hairpins(climbing: side)
    case ..<0.8: country(climbing: side)
    default: motorway()
    }
    road.surroundings = .open
  }

  private mutating func town() {
    road.gradient = 0
    for _ in 0..<8 {
      road.speedLimit = min(speedLimit, 13.9)
      road.surroundings = random.uniform() < 0.25 ? .canyon : .open
      road.straight(random.uniform(60...200))
      if random.uniform() < 0.4 { road.stop(random.uniform(5...30).rounded()) }
      road.straight(12)
      let turn = random.uniform()
      if turn < 0.25 { road.bend(90, radius: 7) }
      if turn > 0.75 { road.bend(-90, radius: 7) }
    }
  }

  private mutating func hairpins(climbing side: Double) {
    road.speedLimit = min(speedLimit, 16.7)
    road.gradient = side * random.uniform(0.04...0.09)
    var turn = 1.0
    for _ in 0..<6 {
      road.straight(random.uniform(60...200))
      road.bend(turn * random.uniform(160...185), radius: random.uniform(5...11))
      turn = -turn
    }
  }

  private mutating func country(climbing side: Double) {
    road.speedLimit = min(speedLimit, 25)
    road.gradient = side * random.uniform(0...0.03)
    for _ in 0..<6 {
      road.straight(random.uniform(100...500))
      road.bend(random.uniform(-60...60), radius: random.uniform(40...300))
    }
    if random.uniform() < 0.3 {
      road.surroundings = .tunnel
      road.straight(random.uniform(80...700))
      road.surroundings = .open
      road.straight(200)
    }
  }

  private mutating func motorway() {
    road.speedLimit = min(speedLimit, 36.1)
    road.gradient = 0
    for _ in 0..<4 {
      road.straight(random.uniform(500...1500))
      road.bend(random.uniform(-20...20), radius: random.uniform(1000...4000))
    }
  }
}
