import LocationCore
import Recordings

/// The options of a simulated ride: the flags of `handlebarctl simulate`, and the parameters of a `simulate:` source, which
/// have the same names.
package struct SimulationOptions: Hashable, Sendable {
  /// The road of a ride.
  package enum Road: Hashable, Sendable {
    /// A bundled ride, with its own start, receiver and events.
    case bundled(BundledRide)
    /// A road drawn from the seed.
    case tour
    /// The points of a GPX or GeoJSON file.
    case file(String)
  }

  /// The road.
  package var road: Road
  /// Seed; `nil` for that of the bundled ride, or 1.
  package internal(set) var seed: UInt64?
  /// Receiver; `nil` for that of the bundled ride, or a u-blox at 1 Hz.
  package internal(set) var receiver: ReceiverModel?
  /// UTC of the first epoch; `nil` for that of the bundled ride, or 2026-05-14T10:00:00Z.
  package internal(set) var start: UTCInstant?
  /// Start of a tour.
  package internal(set) var from: Coordinate?
  /// Length of a tour, metres.
  package internal(set) var length: Double?
  /// Highest speed, m/s.
  package internal(set) var speed: Double?
  /// Sideways acceleration in bends, m/s².
  package internal(set) var lateral: Double?
  /// m/s².
  package internal(set) var acceleration: Double?
  /// m/s².
  package internal(set) var braking: Double?
  /// Average distance of traffic lights, metres.
  package internal(set) var lights: Double?
  /// Stretches between high buildings, metres from the start.
  package internal(set) var canyons: [ClosedRange<Double>] = []
  /// Stretches without sky, metres from the start.
  package internal(set) var tunnels: [ClosedRange<Double>] = []
  /// Seconds until the first fix.
  package internal(set) var coldStart: Double?
  /// Unusual conditions.
  package internal(set) var conditions = RideConditions()
  /// The options set, in that order.
  private(set) var settings: [Setting] = []

  /// An option as written.
  struct Setting: Hashable, Sendable {
    let key: SimulationKey
    let text: String
  }

  /// A ride on that road with default options.
  package init(_ road: Road) {
    self.road = road
  }

  /// A ride of that name: a bundled ride or `tour`.
  package init(named name: String) throws(SimulationError) {
    if name == "tour" {
      self.init(.tour)
    } else if let ride = BundledRide(rawValue: name) {
      self.init(.bundled(ride))
    } else {
      throw SimulationError("there is no ride \"\(name)\"; use one of \(Self.rideNames.joined(separator: ", "))")
    }
  }

  /// The names of rides.
  package static let rideNames = BundledRide.allCases.map(\.rawValue) + ["tour"]

  /// Sets an option; throws if its text is invalid or it does not go with the road.
  package mutating func set(_ key: SimulationKey, to text: String) throws(SimulationError) {
    if case .bundled(let ride) = road, key.isOfOwnRoads {
      throw SimulationError(
        "\(key.rawValue) does not go with the ride \(ride.rawValue), whose road is fixed; use it with a route or the ride tour"
      )
    }
    if case .file = road, key == .from || key == .length {
      throw SimulationError("\(key.rawValue) does not go with a route from a file; use it with the ride tour")
    }
    try take(key, SimulationText(key, text))
    settings.append(Setting(key: key, text: text))
    if conditions.corrupted + conditions.truncated > 1 {
      throw SimulationError("the sum of corrupt and truncate is more than 1; reduce one of them")
    }
  }

  /// The command that reproduces the recording.
  package var command: String {
    var command = "handlebarctl simulate"
    switch road {
    case .bundled(let ride): command += " --ride \(ride.rawValue)"
    case .tour: command += " --ride tour"
    case .file(let path): command += " --route \(path)"
    }
    if seed == nil, case .bundled(let ride) = road { command += " --seed \(ride.defaultSeed)" }
    for setting in settings {
      command += " --\(setting.key.rawValue)" + (setting.key.isFlag ? "" : " \(setting.text)")
    }
    return command
  }
}

extension SimulationOptions {
  private static let stopAtStart = 3.0
  private static let stopAtEnd = 5.0
  private static let defaultSpeed = 20.0
  private static let defaultLength = 20_000.0

  /// The ride; reads the route's file if there is one, and throws if that fails.
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

  /// The road's name for people.
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
      else { throw SimulationError("a tour cannot start near a pole; start between 85° south and 85° north") }
      return onOwnRoad(route, seed: seed)
    case .file(let path):
      let vertices = try RouteFile.vertices(of: path)
      guard let route = Route(along: vertices, speedLimit: speed, lateralAcceleration: lateral) else {
        throw SimulationError(
          "\(path) is not a usable route; use a file with two different points, none within 1° of a pole")
      }
      guard route.length <= RouteFile.longestRoute else {
        throw SimulationError("\(path) is longer than 20,000 km; divide it")
      }
      return onOwnRoad(route, seed: seed)
    }
  }

  private func onOwnRoad(_ route: Route, seed: UInt64) -> SimulatedRide {
    var route = route
    route.stand(atStart: Self.stopAtStart, atEnd: Self.stopAtEnd)
    // 2026-05-14T10:00:00Z: the same every day.
    let start = UTCInstant(nanosecondsSince1970: 1_778_752_800_000_000_000)
    return SimulatedRide(along: route, receiver: (receiver ?? .ublox1Hz).profile, start: start, seed: seed)
  }
}

/// An invalid description of a simulated ride.
package struct SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line: the cause and the remedy.
  package let description: String

  /// An error with that text.
  package init(_ description: String) {
    self.description = description
  }
}
