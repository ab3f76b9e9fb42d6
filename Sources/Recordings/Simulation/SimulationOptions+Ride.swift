import LocationCore

extension SimulationOptions {
  private static let standingAtStart = 3.0
  private static let standingAtEnd = 5.0
  private static let defaultSpeed = 20.0
  private static let defaultLength = 20_000.0

  /// The ride; reads the route's file if there is one. Throws what is wrong with that.
  package func ride() throws(SimulationError) -> SimulatedRide {
    var ride = try plainRide()
    if let acceleration { ride.acceleration = acceleration }
    if let braking { ride.braking = braking }
    if let receiver { ride.receiver = receiver.profile }
    if let coldStart { ride.receiver.coldStart = coldStart }
    if let start { ride.start = start }
    ride.conditions = conditions
    for stretch in canyons { ride.route.surround(stretch, with: .canyon) }
    for stretch in tunnels { ride.route.surround(stretch, with: .tunnel) }
    if let lights { ride.route.putLights(every: lights, seed: ride.seed) }
    ride.header = RecordingHeader(fields: [
      .init("device", "simulated \(roadName) ride"), .init("seed", String(ride.seed)), .init("command", command),
    ])
    return ride
  }

  /// Of the road, for people.
  package var roadName: String {
    switch road {
    case .bundled(let ride): ride.rawValue
    case .tour: "tour"
    case .file(let path): path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? path
    }
  }

  private func plainRide() throws(SimulationError) -> SimulatedRide {
    let seed = seed ?? 1
    let speed = speed ?? (road == .tour ? 100 : Self.defaultSpeed)
    let lateral = lateral ?? RouteBuilder.lateralAcceleration
    switch road {
    case .bundled(let bundled):
      guard let ride = bundled.ride(seed: self.seed ?? bundled.defaultSeed) else {
        throw SimulationError("the ride \(bundled.rawValue) has no road; choose another")
      }
      return ride
    case .tour:
      guard let from = from ?? Coordinate(latitude: 47.2654, longitude: 11.3928),
        let route = Route(
          touring: length ?? Self.defaultLength, from: from, seed: seed, speedLimit: speed,
          lateralAcceleration: lateral)
      else { throw SimulationError("there is no road that near to a pole; begin between 85° south and 85° north") }
      return onOwnRoad(route, seed: seed)
    case .file(let path):
      let vertices = try RouteFile.vertices(of: path)
      guard let route = Route(along: vertices, speedLimit: speed, lateralAcceleration: lateral) else {
        throw SimulationError(
          "\(path) is no route that can be ridden; name a file with two different points, none within 1° of a pole")
      }
      guard route.length <= RouteFile.longestRoute else {
        throw SimulationError("\(path) is longer than 20,000 km; cut it into parts")
      }
      return onOwnRoad(route, seed: seed)
    }
  }

  private func onOwnRoad(_ route: Route, seed: UInt64) -> SimulatedRide {
    var route = route
    route.stand(atStart: Self.standingAtStart, atEnd: Self.standingAtEnd)
    // 2026-05-14T10:00:00Z: a ride without a start of its own is the same every day.
    let start = UTCInstant(nanosecondsSince1970: 1_778_752_800_000_000_000)
    return SimulatedRide(along: route, receiver: (receiver ?? .ublox1Hz).profile, start: start, seed: seed)
  }
}
