import GPSDProtocol
import LocationCore

/// An option of a simulated ride besides its road: the name of a flag, and of a URI's parameter.
package enum SimulationKey: String, CaseIterable, Hashable, Sendable {
  case seed, receiver, start, from, length, depart, speed, lateral, acceleration, braking, lights, canyon, tunnel
  case coldStart = "cold-start"
  case noise, corrupt, truncate
  case leapSecond = "leap-second"
  case rollover
  case wheel
  case wheelDoubled = "wheel-doubled"
  case wheelAsleep = "wheel-asleep"
  case weather, warmth

  package var isFlag: Bool { valueName.isEmpty }
  package var help: String { definition.help }
  package var valueName: String { definition.valueName }
  /// Valid values of a decimal number; `nil` for any other value.
  var range: ClosedRange<Double>? { definition.range }

  private var definition: (valueName: String, help: String, range: ClosedRange<Double>?) {
    switch self {
    case .seed: ("N", "Seed of the roads, errors, satellites, traffic lights and damage: a whole number.", nil)
    case .receiver:
      ("NAME", "Model of the receiver: \(ReceiverModel.allCases.map(\.rawValue).joined(separator: ", ")).", nil)
    case .start: ("TIME", "UTC of the first epoch, for example 2026-12-31T23:59:00Z.", nil)
    case .from: ("LAT,LON", "Start of a tour: LATITUDE,LONGITUDE in degrees.", nil)
    case .length: ("METRES", "Length of a tour, 100 to 2000000 metres.", 100...2_000_000)
    case .depart:
      (
        "LIST",
        "Departures from the route of a file, in its order, separated by commas, at metres along it: stop:AT:SECONDS, u-turn:AT:METRES there and back, wrong-turn:AT:METRES and back, shortcut:FROM-TO, detour:FROM-TO:METRES to the right (negative: to the left).",
        nil
      )
    case .speed: ("M/S", "Maximum speed, 1 to 100 m/s.", 1...100)
    case .lateral: ("M/S²", "Maximum lateral acceleration in bends, 0.5 to 15 m/s²; lower is slower.", 0.5...15)
    case .acceleration: ("M/S²", "Acceleration, 0.2 to 15 m/s².", 0.2...15)
    case .braking: ("M/S²", "Deceleration, 0.2 to 15 m/s².", 0.2...15)
    case .lights:
      ("METRES", "Average distance between traffic lights, 50 to 100000 metres; three in five are red.", 50...100_000)
    case .canyon:
      ("FROM-TO", "Stretches between high buildings: FROM-TO in metres from the start, separated by commas.", nil)
    case .tunnel: ("FROM-TO", "Tunnels: FROM-TO in metres from the start, separated by commas.", nil)
    case .coldStart: ("SECONDS", "Time from power-on to the first fix, 0 to 3600 seconds.", 0...3600)
    case .noise: ("FACTOR", "Errors of the receiver as a multiple of the usual errors, 0 to 20.", 0...20)
    case .corrupt: ("SHARE", "Share of the sentences with a wrong bit, 0 to 1.", 0...1)
    case .truncate: ("SHARE", "Share of the sentences that are truncated, 0 to 1.", 0...1)
    case .leapSecond: ("", "Insert a leap second before the first midnight UTC.", nil)
    case .rollover: ("", "Set the receiver's dates back by 1024 weeks.", nil)
    case .wheel: ("METRES", "Count the revolutions of a wheel of that circumference, 0.5 to 3 metres.", 0.5...3)
    case .wheelDoubled: ("SHARE", "Share of the revolutions that are counted twice, 0 to 1.", 0...1)
    case .wheelAsleep:
      ("FROM-TO", "Stretches in which no revolution is counted: FROM-TO in metres, separated by commas.", nil)
    case .weather:
      ("HPA/H", "Measure the pressure of the air, which changes by that much an hour, -20 to 20 hPa.", -20...20)
    case .warmth:
      ("K", "Difference of the air's temperature from the standard atmosphere's, -60 to 60 K.", -60...60)
    }
  }
}

extension SimulationOptions {
  mutating func set(_ text: SimulationText) throws(SimulationError) {
    switch text.key {
    case .seed: seed = try text.whole()
    case .receiver:
      receiver = ReceiverModel(rawValue: text.text)
      if receiver == nil { throw text.error("is not a supported receiver") }
    case .start: start = try text.time()
    case .from: from = try text.position()
    case .depart: departures = try text.departures()
    case .canyon, .tunnel, .wheelAsleep: stretches[text.key] = try text.stretches()
    case .leapSecond, .rollover: break
    case .length, .speed, .lateral, .acceleration, .braking, .lights, .coldStart, .noise, .corrupt, .truncate, .wheel,
      .wheelDoubled, .weather, .warmth:
      numbers[text.key] = try text.number()
    }
  }
}

struct SimulationText: Hashable, Sendable {
  let key: SimulationKey
  let text: String

  func error(_ what: String) -> SimulationError {
    SimulationError("\(key.rawValue)=\(text) \(what); expected: \(key.help.dropLast())")
  }

  func whole() throws(SimulationError) -> UInt64 {
    guard let number = Int64(digits: Array(text.utf8)) else { throw error("is not a whole number") }
    return UInt64(number)
  }

  func number() throws(SimulationError) -> Double {
    guard let number = Double(number: Array(text.utf8)) else { throw error("is not a number") }
    guard key.range?.contains(number) ?? false else { throw error("is out of range") }
    return number
  }

  func time() throws(SimulationError) -> UTCInstant {
    guard let time = UTCInstant(iso8601: text.utf8) else { throw error("is not a time") }
    guard (1981...2099).contains(time.date.year), time.nanosecondsSince1970 % 1_000_000_000 == 0 else {
      throw error("is not a whole second from 1981 to 2099")
    }
    return time
  }

  func position() throws(SimulationError) -> Coordinate {
    let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard parts.count == 2, let latitude = Double(number: parts[0]), let longitude = Double(number: parts[1]),
      abs(latitude) <= 85, let position = Coordinate(latitude: latitude, longitude: longitude)
    else { throw error("is not a position between 85° south and 85° north") }
    return position
  }

  func stretches() throws(SimulationError) -> [ClosedRange<Double>] {
    let stretches = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Self.stretch)
    guard stretches.allSatisfy({ $0 != nil }) else { throw error("is not a list of stretches") }
    return stretches.compactMap { $0 }
  }

  func departures() throws(SimulationError) -> [Departure] {
    var departures: [Departure] = []
    for item in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let parts = item.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      let amount = parts.count == 3 ? Double(number: parts[2]) : nil
      let place = parts.count > 1 ? Double(number: parts[1]) : nil
      let stretch = parts.count > 1 ? Self.stretch(parts[1]) : nil
      switch (String(parts[0]), place, stretch, amount) {
      case ("stop", let at?, nil, let seconds?) where (1...86_400).contains(seconds):
        departures.append(.stop(at: at, seconds: seconds))
      case ("u-turn", let at?, nil, let metres?) where metres >= 1: departures.append(.uTurn(at: at, metres: metres))
      case ("wrong-turn", let at?, nil, let metres?) where (1...100_000).contains(abs(metres)):
        departures.append(.wrongTurn(at: at, metres: metres))
      case ("shortcut", nil, let stretch?, nil) where parts.count == 2: departures.append(.shortcut(stretch))
      case ("detour", nil, let stretch?, let metres?) where (1...100_000).contains(abs(metres)):
        departures.append(.detour(stretch, aside: metres))
      default: throw error("is not a list of departures")
      }
    }
    return departures
  }

  private static func stretch(_ text: Substring.UTF8View) -> ClosedRange<Double>? {
    let ends = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard ends.count == 2, let from = Double(number: ends[0]), let to = Double(number: ends[1]), from < to else {
      return nil
    }
    return from...to
  }
}
