import GPSDProtocol
import LocationCore

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
