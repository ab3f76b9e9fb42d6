/// What can be said about a simulated ride besides its road: the name of a flag, and of a URI's parameter.
package enum SimulationKey: String, CaseIterable, Hashable, Sendable {
  case seed, receiver, start, from, length, speed, lateral, acceleration, braking, lights, canyon, tunnel
  case coldStart = "cold-start"
  case noise, corrupt, truncate
  case leapSecond = "leap-second"
  case rollover

  /// Whether it is there or not, without a value.
  package var isFlag: Bool { self == .leapSecond || self == .rollover }

  /// Whether it says how roads are drawn or ridden, which those of the bundled rides are already.
  var isOfOwnRoads: Bool {
    switch self {
    case .from, .length, .speed, .lateral: true
    default: false
    }
  }

  /// What it does, in a few words with its unit.
  package var help: String {
    switch self {
    case .seed: "Draws roads, errors, sky, lights and damage: a whole number."
    case .receiver: "The receiver: \(ReceiverModel.allCases.map(\.rawValue).joined(separator: ", "))."
    case .start: "The first epoch, for example 2026-12-31T23:59:00Z."
    case .from: "Where a tour begins: LATITUDE,LONGITUDE in degrees."
    case .length: "The length of a tour, 100 to 2000000 metres."
    case .speed: "The fastest that is ridden, 1 to 100 m/s."
    case .lateral: "Sideways acceleration in bends, 0.5 to 15 m/s²: less makes them slower."
    case .acceleration: "How fast speed is gained, 0.2 to 15 m/s²."
    case .braking: "How fast speed is lost, 0.2 to 15 m/s²."
    case .lights: "About so far apart are traffic lights, 50 to 100000 metres; three in five are red."
    case .canyon: "High houses: FROM-TO in metres from the start, several separated by commas."
    case .tunnel: "No sky: FROM-TO in metres from the start, several separated by commas."
    case .coldStart: "From switching on to the first fix, 0 to 3600 seconds."
    case .noise: "The receiver's errors, as a multiple of the ordinary ones: 0 to 20."
    case .corrupt: "The part of all sentences with a wrong bit, 0 to 1."
    case .truncate: "The part of all sentences that lose their end, 0 to 1."
    case .leapSecond: "Puts a leap second before the first midnight (UTC)."
    case .rollover: "Lets the receiver's dates lie 1024 weeks back."
    }
  }

  /// What stands for its value in a synopsis.
  package var valueName: String {
    switch self {
    case .seed: "N"
    case .receiver: "NAME"
    case .start: "TIME"
    case .from: "LAT,LON"
    case .length, .lights: "METRES"
    case .speed: "M/S"
    case .lateral, .acceleration, .braking: "M/S²"
    case .canyon, .tunnel: "FROM-TO"
    case .coldStart: "SECONDS"
    case .noise: "FACTOR"
    case .corrupt, .truncate: "PART"
    case .leapSecond, .rollover: ""
    }
  }
}
