import LocationCore

extension BundledRide {
  /// The roads of the ride, drawn anew from the seed.
  func route(seed: UInt64) -> Route? {
    var random = SeededRandom(seed: seed, stream: 3)
    return switch self {
    case .city: Self.city(&random)
    case .motorway: Self.motorway(&random)
    case .mountain: Self.mountain(&random)
    case .tunnel: Self.tunnel(&random)
    }
  }

  private static func city(_ random: inout SeededRandom) -> Route? {
    guard let start = Coordinate(latitude: 48.1372, longitude: 11.5755) else { return nil }
    var road = RouteBuilder(start: start, altitude: 519, course: 21, speedLimit: 13.9)
    road.stop(8)
    for block in 0..<17 {
      road.surroundings = (4...8).contains(block) || (12...14).contains(block) ? .canyon : .open
      road.speedLimit = random.uniform() < 0.3 ? 8.3 : 13.9
      road.gradient = random.uniform(-0.01...0.01)
      road.straight(random.uniform(70...190))
      if random.uniform() < 0.45 { road.stop(random.uniform(6...24).rounded()) }
      road.straight(10)
      let turn = random.uniform()
      if turn < 0.28 { road.bend(90, radius: 7) }
      if turn > 0.72 { road.bend(-90, radius: 7) }
    }
    road.straight(60)
    road.stop(15)
    return road.route
  }

  private static func motorway(_ random: inout SeededRandom) -> Route? {
    guard let start = Coordinate(latitude: 51.3201, longitude: 12.1174) else { return nil }
    var road = RouteBuilder(start: start, altitude: 112, course: 285, speedLimit: 130 / 3.6)
    road.stop(2)
    road.straight(600)
    for _ in 0..<9 {
      road.gradient = random.uniform(-0.02...0.02)
      road.straight(random.uniform(500...1400))
      road.bend(random.uniform(-24...24), radius: random.uniform(1800...4200))
    }
    road.straight(800)
    return road.route
  }

  private static func mountain(_ random: inout SeededRandom) -> Route? {
    guard let start = Coordinate(latitude: 46.5284, longitude: 10.4533) else { return nil }
    var road = RouteBuilder(start: start, altitude: 1874, course: 200, speedLimit: 16.7)
    road.gradient = 0.08
    road.straight(40)
    var side = 1.0
    for _ in 0..<13 {
      let wiggle = random.uniform(8...25)
      road.straight(random.uniform(30...80))
      road.bend(wiggle, radius: random.uniform(30...60))
      road.straight(random.uniform(20...60))
      road.bend(-wiggle, radius: random.uniform(30...60))
      road.straight(random.uniform(20...50))
      road.bend(side * random.uniform(168...188), radius: random.uniform(7...11))
      side = -side
    }
    road.straight(120)
    return road.route
  }

  private static func tunnel(_ random: inout SeededRandom) -> Route? {
    guard let start = Coordinate(latitude: 47.2654, longitude: 11.3928) else { return nil }
    var road = RouteBuilder(start: start, altitude: 574, course: 95, speedLimit: 19.4)
    road.straight(700)
    road.bend(random.uniform(20...40), radius: 150)
    road.surroundings = .tunnel
    road.straight(500)
    road.bend(random.uniform(-60 ... -40), radius: 400)
    road.surroundings = .open
    road.straight(800)
    road.surroundings = .tunnel
    road.straight(45)
    road.surroundings = .open
    road.straight(600)
    return road.route
  }
}
