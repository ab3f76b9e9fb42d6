import LocationCore
import Recordings

/// The options of a simulated ride: the flags of `handlebarctl simulate` and the parameters of a `simulate:` source.
package struct SimulationOptions: Hashable, Sendable {
  package enum Road: Hashable, Sendable {
    case bundled(BundledRide)
    case tour
    case file(String)
  }

  package var road: Road
  /// Seed; `nil` for that of the bundled ride, or 1.
  package internal(set) var seed: UInt64?
  /// Receiver; `nil` for that of the bundled ride, or a u-blox at 1 Hz.
  package internal(set) var receiver: ReceiverModel?
  /// UTC of the first epoch; `nil` for that of the bundled ride, or 2026-05-14T10:00:00Z.
  package internal(set) var start: UTCInstant?
  package internal(set) var from: Coordinate?
  package internal(set) var departures: [Departure] = []
  /// The options with a ``SimulationKey/range``; `nil` for the usual value.
  var numbers: [SimulationKey: Double] = [:]
  /// Those of stretches, metres from the start.
  var stretches: [SimulationKey: [ClosedRange<Double>]] = [:]
  private(set) var settings: [SimulationText] = []

  package init(_ road: Road) { self.road = road }

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

  package var hasLeapSecond: Bool { settings.contains { $0.key == .leapSecond } }

  package static let rideNames = BundledRide.allCases.map(\.rawValue) + ["tour"]

  /// Sets an option; throws if its text is invalid or it does not go with the road.
  package mutating func set(_ key: SimulationKey, to text: String) throws(SimulationError) {
    let isOfTours = key == .from || key == .length
    if case .bundled(let ride) = road, isOfTours || key == .speed || key == .lateral {
      throw SimulationError(
        "\(key.rawValue) does not go with the ride \(ride.rawValue), whose road is fixed; use it with a route or the ride tour"
      )
    }
    if case .file = road, isOfTours {
      throw SimulationError("\(key.rawValue) does not go with a route from a file; use it with the ride tour")
    }
    if key == .depart {
      guard case .file = road else {
        throw SimulationError(
          "depart does not go with the ride \(roadName), which follows no plan; use it with a route")
      }
    }
    let setting = SimulationText(key: key, text: text)
    try set(setting)
    settings.append(setting)
    if numbers[.corrupt, default: 0] + numbers[.truncate, default: 0] > 1 {
      throw SimulationError("the sum of corrupt and truncate is more than 1; reduce one of them")
    }
  }

  package var command: String {
    var command = "handlebarctl simulate"
    switch road {
    case .bundled(let ride): command += " --ride \(ride.rawValue)"
    case .tour: command += " --ride tour"
    case .file(let path): command += path.contains(" ") ? " --route '\(path)'" : " --route \(path)"
    }
    if seed == nil, case .bundled(let ride) = road { command += " --seed \(ride.defaultSeed)" }
    for setting in settings { command += " --\(setting.key.rawValue)" + (setting.key.isFlag ? "" : " \(setting.text)") }
    return command
  }

  private static let defaultSpeed = 20.0
  private static let defaultLength = 20_000.0

  /// The ride; reads the route's file if there is one, and throws if that fails.
  package func ride() throws(SimulationError) -> SimulatedRide {
    var ride = try plainRide()
    if let acceleration = numbers[.acceleration] { ride.acceleration = acceleration }
    if let braking = numbers[.braking] { ride.braking = braking }
    if let receiver { ride.receiver = receiver.profile }
    if let coldStart = numbers[.coldStart] { ride.receiver.coldStart = coldStart }
    if let start { ride.start = start }
    ride.conditions = RideConditions(
      noise: numbers[.noise] ?? 1, hasLeapSecond: hasLeapSecond,
      hasRolledOver: settings.contains { $0.key == .rollover }, corrupted: numbers[.corrupt] ?? 0,
      truncated: numbers[.truncate] ?? 0,
      sensors: SensorConditions(
        wheel: numbers[.wheel], doubled: numbers[.wheelDoubled] ?? 0, asleep: stretches[.wheelAsleep] ?? [],
        weather: numbers[.weather], warmth: numbers[.warmth] ?? 0))
    for (key, surroundings) in [(SimulationKey.canyon, Route.Surroundings.canyon), (.tunnel, .tunnel)] {
      for stretch in stretches[key] ?? [] { ride.route.surround(stretch, with: surroundings) }
    }
    if let lights = numbers[.lights] { ride.route.putLights(every: lights, seed: ride.seed) }
    ride.header = RecordingHeader(fields: [
      .init("device", "simulated \(roadName) ride"), .init("seed", String(ride.seed)), .init("command", command),
    ])
    return ride
  }

  package var roadName: String {
    switch road {
    case .bundled(let ride): ride.rawValue
    case .tour: "tour"
    case .file(let path): path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? path
    }
  }

  private func plainRide() throws(SimulationError) -> SimulatedRide {
    let seed = seed ?? 1
    let speed = numbers[.speed] ?? (road == .tour ? 100 : Self.defaultSpeed)
    let lateral = numbers[.lateral] ?? RouteBuilder.lateralAcceleration
    switch road {
    case .bundled(let bundled):
      guard let ride = bundled.ride(seed: self.seed ?? bundled.defaultSeed) else {
        throw SimulationError("the ride \(bundled.rawValue) has no road; choose another")
      }
      return ride
    case .tour:
      guard let from = from ?? Coordinate(latitude: 47.2654, longitude: 11.3928),
        let route = Route(
          touring: numbers[.length] ?? Self.defaultLength, from: from, seed: seed, speedLimit: speed,
          lateralAcceleration: lateral)
      else { throw SimulationError("a tour cannot start near a pole; start between 85° south and 85° north") }
      return onOwnRoad(route, seed: seed)
    case .file(let path):
      let vertices: [RouteVertex]
      do throws(CourseFileError) { vertices = try RouteFile(path: path).vertices } catch {
        throw SimulationError(error.description)
      }
      let route: Route?
      do throws(SimulationError) {
        route = try Route(along: vertices, departures, speedLimit: speed, lateralAcceleration: lateral)
      } catch {
        throw SimulationError("\(path) \(error)")
      }
      guard let route else {
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
    route.stand(atStart: 3, atEnd: 5)
    // 2026-05-14T10:00:00Z: the same every day.
    let start = UTCInstant(nanosecondsSince1970: 1_778_752_800_000_000_000)
    return SimulatedRide(along: route, receiver: (receiver ?? .ublox1Hz).profile, start: start, seed: seed)
  }
}

package struct SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
