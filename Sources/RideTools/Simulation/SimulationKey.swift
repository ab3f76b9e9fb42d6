import GPSDProtocol
import LocationCore
import Recordings

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

extension SimulationOptions {
  mutating func take(_ key: SimulationKey, _ text: SimulationText) throws(SimulationError) {
    switch key {
    case .seed: seed = try text.whole()
    case .receiver:
      receiver = ReceiverModel(rawValue: text.text)
      if receiver == nil { throw text.error("is no receiver") }
    case .start: start = try text.time()
    case .from: from = try text.place()
    case .length: length = try text.number(100...2_000_000)
    case .speed: speed = try text.number(1...100)
    case .lateral: lateral = try text.number(0.5...15)
    case .acceleration: acceleration = try text.number(0.2...15)
    case .braking: braking = try text.number(0.2...15)
    case .lights: lights = try text.number(50...100_000)
    case .canyon: canyons = try text.stretches()
    case .tunnel: tunnels = try text.stretches()
    case .coldStart: coldStart = try text.number(0...3600)
    case .noise: conditions.noise = try text.number(0...20)
    case .corrupt: conditions.corrupted = try text.number(0...1)
    case .truncate: conditions.truncated = try text.number(0...1)
    case .leapSecond: conditions.hasLeapSecond = true
    case .rollover: conditions.hasRolledOver = true
    }
  }
}

/// The value of an option as it was written.
struct SimulationText {
  let text: String
  private let key: SimulationKey

  init(_ key: SimulationKey, _ text: String) {
    self.key = key
    self.text = text
  }

  /// What is wrong with it, and what the option takes.
  func error(_ what: String) -> SimulationError {
    SimulationError("\(key.rawValue)=\(text) \(what); \(key.help)")
  }

  func whole() throws(SimulationError) -> UInt64 {
    guard let number = Int64(digits: Array(text.utf8)) else { throw error("is no whole number") }
    return UInt64(number)
  }

  func number(_ range: ClosedRange<Double>) throws(SimulationError) -> Double {
    guard let number = Double(number: Array(text.utf8)) else { throw error("is no number") }
    guard range.contains(number) else { throw error("is out of range") }
    return number
  }

  func time() throws(SimulationError) -> UTCInstant {
    guard let time = UTCInstant(iso8601: text.utf8) else { throw error("is no time") }
    guard (1981...2099).contains(time.date.year), time.nanosecondsSince1970 % 1_000_000_000 == 0 else {
      throw error("is no whole second from 1981 to 2099")
    }
    return time
  }

  func place() throws(SimulationError) -> Coordinate {
    let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard parts.count == 2, let latitude = Double(number: parts[0]), let longitude = Double(number: parts[1]),
      abs(latitude) <= 85, let place = Coordinate(latitude: latitude, longitude: longitude)
    else { throw error("is no place between 85° south and 85° north") }
    return place
  }

  func stretches() throws(SimulationError) -> [ClosedRange<Double>] {
    var stretches: [ClosedRange<Double>] = []
    for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let ends = part.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      guard ends.count == 2, let from = Double(number: ends[0]), let to = Double(number: ends[1]), from < to else {
        throw error("is no stretch")
      }
      stretches.append(from...to)
    }
    return stretches
  }
}
