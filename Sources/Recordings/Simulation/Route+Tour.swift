import LocationCore

extension Route {
  /// A road of about that length, drawn from the seed: town, hills with hairpins, country and motorway in turn, with
  /// stops and a tunnel now and then. `nil` near a pole.
  package init?(
    touring length: Double, from start: Coordinate, seed: UInt64, speedLimit: Double, lateralAcceleration: Double
  ) {
    guard abs(start.latitude) <= 85 else { return nil }
    var tour = Tour(
      RouteBuilder(
        start: start, altitude: 400, course: 90, speedLimit: speedLimit, lateralAcceleration: lateralAcceleration),
      seed: seed, speedLimit: speedLimit)
    while tour.road.length < length && abs(tour.road.latitude) < 86 { tour.goOn() }
    guard let route = tour.road.route else { return nil }
    self = route
  }
}

/// Draws a tour, section by section.
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

  mutating func goOn() {
    // Up in the valley and down from the pass.
    let side = road.altitude < 600 ? 1.0 : road.altitude > 1500 ? -1 : random.uniform() < 0.5 ? -1 : 1
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
