import LocationCore

/// The rides of the simulator, by name. Those in `recordings/` are made from the default seeds.
package enum BundledRide: String, CaseIterable, Sendable {
  /// Through a city at 1 Hz over a slow line: traffic lights, canyons between houses, a cold start.
  case city
  /// 130 km/h at 1 Hz over midnight UTC; the map is dragged away, turned, zoomed and brought back.
  case motorway
  /// Hairpins at 10 Hz; the receiver's plug comes loose once.
  case mountain
  /// A long and a short tunnel at 5 Hz.
  case tunnel

  /// The seed of the ride in `recordings/`.
  package var defaultSeed: UInt64 {
    switch self {
    case .city: 7
    case .motorway: 11
    case .mountain: 3
    case .tunnel: 5
    }
  }

  /// The ride. The header of its recording names what makes the same file again.
  package func ride(seed: UInt64) -> SimulatedRide? {
    guard let route = route(seed: seed), let start else { return nil }
    var ride = SimulatedRide(along: route, receiver: receiver, start: start, seed: seed)
    ride.script = script
    ride.header = RecordingHeader(fields: [
      .init("device", "simulated \(rawValue) ride"), .init("seed", String(seed)),
      .init("command", "handlebarctl simulate --ride \(rawValue) --seed \(seed)"),
    ])
    return ride
  }

  /// Its recording.
  package func recording(seed: UInt64) -> SimulatedRecording? { ride(seed: seed)?.recording }

  /// The receiver that is on the ride.
  package var receiver: ReceiverProfile {
    var receiver: ReceiverProfile
    switch self {
    case .city:
      receiver = ReceiverProfile(
        rate: 1, sentences: [.rmc, .vtg, .gga, .gsa, .gsv, .gll, .gst], constellations: [.gps, .glonass])
      receiver.lineSpeed = 38_400
      receiver.readSize = 320
      receiver.coldStart = 5
    case .motorway:
      receiver = ReceiverProfile(
        rate: 1, sentences: [.gga, .gsa, .gsv, .rmc, .vtg], constellations: [.gps, .beidou])
      receiver.skyEvery = 5
      receiver.minuteDecimals = 4
      receiver.secondDecimals = 3
      receiver.hasSystemIdentifiers = false
      receiver.latency = 130
    case .mountain:
      receiver = ReceiverProfile(
        rate: 10, sentences: [.rmc, .gga, .gsa, .gsv, .gst], constellations: [.gps, .galileo])
      receiver.skyEvery = 10
      receiver.latency = 35
    case .tunnel:
      receiver = ReceiverProfile(
        rate: 5, sentences: [.zda, .rmc, .gns, .vtg, .gsa, .gsv], constellations: [.gps, .glonass, .galileo])
      receiver.skyEvery = 5
      receiver.minuteDecimals = 7
    }
    return receiver
  }

  /// When it starts: all in 2026, the motorway five minutes before a new day.
  var start: UTCInstant? {
    let (month, day, hour, minute) =
      switch self {
      case .city: (3, 19, 12, 35)
      case .motorway: (6, 30, 23, 55)
      case .mountain: (8, 2, 9, 10)
      case .tunnel: (10, 11, 15, 4)
      }
    guard let date = CalendarDate(year: 2026, month: month, day: day),
      let time = TimeOfDay(hour: hour, minute: minute, second: 0)
    else { return nil }
    return UTCInstant(date: date, time: time)
  }
}
