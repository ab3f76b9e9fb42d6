import LocationCore
import Recordings

/// A simulated ride as a person describes it: by the flags of `handlebarctl simulate`, or by the parameters of a
/// `simulate:` source, which have the same names.
package struct SimulationOptions: Hashable, Sendable {
  /// Where the ride leads.
  package enum Road: Hashable, Sendable {
    /// One of the bundled rides, with its own start, receiver and happenings.
    case bundled(BundledRide)
    /// A road drawn from the seed.
    case tour
    /// Along the points of a GPX or GeoJSON file.
    case file(String)
  }

  /// Where the ride leads.
  package var road: Road
  /// Draws everything that is drawn; `nil` is the bundled ride's own, or 1.
  package internal(set) var seed: UInt64?
  /// `nil` is the bundled ride's own, or a u-blox at 1 Hz.
  package internal(set) var receiver: ReceiverModel?
  /// `nil` is the bundled ride's own, or 2026-05-14T10:00:00Z.
  package internal(set) var start: UTCInstant?
  /// Where a tour begins.
  package internal(set) var from: Coordinate?
  /// Metres of a tour.
  package internal(set) var length: Double?
  /// The fastest, m/s.
  package internal(set) var speed: Double?
  /// Sideways in bends, m/s².
  package internal(set) var lateral: Double?
  /// m/s².
  package internal(set) var acceleration: Double?
  /// m/s².
  package internal(set) var braking: Double?
  /// Metres between traffic lights.
  package internal(set) var lights: Double?
  /// Between high houses, metres from the start.
  package internal(set) var canyons: [ClosedRange<Double>] = []
  /// Under ground, metres from the start.
  package internal(set) var tunnels: [ClosedRange<Double>] = []
  /// Seconds until the first fix.
  package internal(set) var coldStart: Double?
  /// What is out of the ordinary.
  package internal(set) var conditions = RideConditions()
  /// What was set, in that order.
  private(set) var settings: [Setting] = []

  /// One of them, as it was written.
  struct Setting: Hashable, Sendable {
    let key: SimulationKey
    let text: String
  }

  /// An ordinary ride on that road.
  package init(_ road: Road) {
    self.road = road
  }

  /// The road of that name: a bundled ride or `tour`.
  package init(named name: String) throws(SimulationError) {
    if name == "tour" {
      self.init(.tour)
    } else if let ride = BundledRide(rawValue: name) {
      self.init(.bundled(ride))
    } else {
      throw SimulationError("there is no ride \"\(name)\"; use \(Self.rideNames.joined(separator: ", "))")
    }
  }

  /// The roads that have a name.
  package static let rideNames = BundledRide.allCases.map(\.rawValue) + ["tour"]

  /// Sets one option; throws what is wrong with its text, or that it does not go with this road.
  package mutating func set(_ key: SimulationKey, to text: String) throws(SimulationError) {
    if case .bundled(let ride) = road, key.isOfOwnRoads {
      throw SimulationError(
        "\(key.rawValue) does not go with the ride \(ride.rawValue), whose roads are drawn; use it with a route or the ride tour"
      )
    }
    if case .file = road, key == .from || key == .length {
      throw SimulationError("\(key.rawValue) does not go with a route, which says so itself; use it with the ride tour")
    }
    try take(key, SimulationText(key, text))
    settings.append(Setting(key: key, text: text))
    if conditions.corrupted + conditions.truncated > 1 {
      throw SimulationError("corrupt and truncate together are more than all sentences; use at most 1")
    }
  }

  /// What makes the same recording again.
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

/// A simulated ride that was described wrongly, in words for the person who did.
package struct SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what would be right, on one line.
  package let description: String

  /// An error of that text.
  package init(_ description: String) {
    self.description = description
  }
}
