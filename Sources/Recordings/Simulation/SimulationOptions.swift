import LocationCore

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
