import GPSDProtocol
import LocationCore
import Recordings

/// The named rides of the simulator. Those in `recordings/` are made from the default seeds.
package enum BundledRide: String, CaseIterable, Sendable {
  /// A city at 1 Hz over a slow line: traffic lights, urban canyons, a cold start.
  case city
  /// 130 km/h at 1 Hz over midnight UTC; the map is dragged, rotated, zoomed and centred again.
  case motorway
  /// Hairpins at 10 Hz; the receiver is unplugged once.
  case mountain
  /// A long and a short tunnel at 5 Hz.
  case tunnel

  /// Where and how a ride begins: its start is UTC, its speed limit m/s.
  private struct Definition {
    let seed: UInt64
    let start: String
    let place: (latitude: Double, longitude: Double, altitude: Double, course: Double)
    let speedLimit: Double
    let receiver: ReceiverProfile
  }

  private var definition: Definition {
    switch self {
    case .city:
      Definition(
        seed: 7, start: "2026-03-19T12:35:00Z", place: (48.1372, 11.5755, 519, 21), speedLimit: 13.9,
        receiver: ReceiverProfile(
          rate: 1, messages: [.rmc, .vtg, .gga, .gsa, .gsv, .gll, .gst], constellations: [.gps, .glonass],
          readSize: 320, lineSpeed: 38_400, coldStart: 5))
    // Five minutes before midnight.
    case .motorway:
      Definition(
        seed: 11, start: "2026-06-30T23:55:00Z", place: (51.3201, 12.1174, 112, 285), speedLimit: 130 / 3.6,
        receiver: ReceiverProfile(
          rate: 1, messages: [.gga, .gsa, .gsv, .rmc, .vtg], skyEvery: 5, constellations: [.gps, .beidou],
          minuteDecimals: 4, secondDecimals: 3, hasSystemIdentifiers: false, latency: 130))
    case .mountain:
      Definition(
        seed: 3, start: "2026-08-02T09:10:00Z", place: (46.5284, 10.4533, 1874, 200), speedLimit: 16.7,
        receiver: ReceiverProfile(
          rate: 10, messages: [.rmc, .gga, .gsa, .gsv, .gst], skyEvery: 10, constellations: [.gps, .galileo],
          latency: 35))
    case .tunnel:
      Definition(
        seed: 5, start: "2026-10-11T15:04:00Z", place: (47.2654, 11.3928, 574, 95), speedLimit: 19.4,
        receiver: ReceiverProfile(
          rate: 5, messages: [.zda, .rmc, .gns, .vtg, .gsa, .gsv], skyEvery: 5,
          constellations: [.gps, .glonass, .galileo], minuteDecimals: 7))
    }
  }

  /// Seed of the ride in `recordings/`.
  package var defaultSeed: UInt64 { definition.seed }
  package var receiver: ReceiverProfile { definition.receiver }

  /// The ride. The header of its recording has the command that reproduces the file.
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

  var start: UTCInstant? { UTCInstant(iso8601: definition.start.utf8) }

  func route(seed: UInt64) -> Route? {
    let (definition, place) = (definition, definition.place)
    guard let start = Coordinate(latitude: place.latitude, longitude: place.longitude) else { return nil }
    var road = RouteBuilder(
      start: start, altitude: place.altitude, course: place.course, speedLimit: definition.speedLimit)
    var random = SeededRandom(seed: seed, stream: 3)
    switch self {
    case .city: Self.city(&road, &random)
    case .motorway: Self.motorway(&road, &random)
    case .mountain: Self.mountain(&road, &random)
    case .tunnel: Self.tunnel(&road, &random)
    }
    return road.route
  }

  private static func city(_ road: inout RouteBuilder, _ random: inout SeededRandom) {
    road.stop(8)
    for block in 0..<17 {
      road.surroundings = (4...8).contains(block) || (12...14).contains(block) ? .canyon : .open
      road.speedLimit = random.uniform() < 0.3 ? 8.3 : 13.9
      road.gradient = random.uniform(-0.01...0.01)
      road.straight(random.uniform(70...190))
      if random.uniform() < 0.45 { road.stop(random.uniform(6...24).rounded()) }
      road.straight(10)
      let turn = random.uniform()
      if turn < 0.28 { road.bend(90, radius: 7) }
      if turn > 0.72 { road.bend(-90, radius: 7) }
    }
    road.straight(60)
    road.stop(15)
  }

  private static func motorway(_ road: inout RouteBuilder, _ random: inout SeededRandom) {
    road.stop(2)
    road.straight(600)
    for _ in 0..<9 {
      road.gradient = random.uniform(-0.02...0.02)
      road.straight(random.uniform(500...1400))
      road.bend(random.uniform(-24...24), radius: random.uniform(1800...4200))
    }
    road.straight(800)
  }

  private static func mountain(_ road: inout RouteBuilder, _ random: inout SeededRandom) {
    road.gradient = 0.08
    road.straight(40)
    var side = 1.0
    for _ in 0..<13 {
      let wiggle = random.uniform(8...25)
      road.straight(random.uniform(30...80))
      road.bend(wiggle, radius: random.uniform(30...60))
      road.straight(random.uniform(20...60))
      road.bend(-wiggle, radius: random.uniform(30...60))
      road.straight(random.uniform(20...50))
      road.bend(side * random.uniform(168...188), radius: random.uniform(7...11))
      side = -side
    }
    road.straight(120)
  }

  private static func tunnel(_ road: inout RouteBuilder, _ random: inout SeededRandom) {
    road.straight(700)
    road.bend(random.uniform(20...40), radius: 150)
    road.surroundings = .tunnel
    road.straight(500)
    road.bend(random.uniform(-60 ... -40), radius: 400)
    road.surroundings = .open
    road.straight(800)
    road.surroundings = .tunnel
    road.straight(45)
    road.surroundings = .open
    road.straight(600)
  }

  var script: RideScript {
    var script = RideScript()
    switch self {
    case .city: script.at(20, .target("office", radius: 100))
    case .motorway: Self.dragTheMap(&script)
    case .mountain:
      script.at(140, .plug(false))
      script.at(144.5, .plug(true))
    case .tunnel: break
    }
    return script
  }

  /// A renderer whose camera lags 1.5 s behind the fix, and a rider who drags the map away three times.
  private static func dragTheMap(_ script: inout RideScript) {
    // Lagging reports without and with a cause: none of them disengages.
    for step in 0..<30 { script.at(5.4 + 2 * Double(step), .view(lag: 1.5, behind: 30, aside: 0, cause: nil)) }
    for step in 0..<10 { script.at(65.4 + Double(step), .view(lag: 1.5, behind: 45, aside: 0, cause: "follow")) }
    // A small drag stays within 100 m; zooming, rotating and resizing the map are no drags.
    script.at(80.5, .view(lag: 1.5, behind: 0, aside: 60, cause: "user"))
    script.at(84.5, .view(lag: 1.5, behind: 0, aside: 900, cause: "zoom"))
    script.at(85.5, .view(lag: 1.5, behind: 0, aside: -900, cause: "rotate"))
    script.at(86.5, .view(lag: 1.5, behind: 0, aside: 900, cause: "resize"))
    // Dragged 250 m away: disengages. More dragging changes nothing.
    script.at(100.5, .view(lag: 1.5, behind: 0, aside: 250, cause: "user"))
    script.at(101.5, .view(lag: 2.5, behind: 0, aside: 400, cause: "user"))
    script.at(102.5, .view(lag: 3.5, behind: 200, aside: 600, cause: "user"))
    // Engaged again; a report of the earlier drag that arrives late does not disengage.
    script.at(130.4, .follow(true))
    script.at(130.7, .view(lag: 3.0, behind: 0, aside: 500, cause: "user"))
    for step in 0..<20 { script.at(132.4 + 2 * Double(step), .view(lag: 1.5, behind: 30, aside: 0, cause: nil)) }
    // Disengaged and engaged by request.
    script.at(200.4, .follow(false))
    script.at(206.4, .view(lag: 1.5, behind: 0, aside: 0, cause: "user"))
    script.at(215.4, .follow(true))
    for step in 0..<20 { script.at(220.4 + 4 * Double(step), .view(lag: 1.5, behind: 30, aside: 0, cause: nil)) }
    // Disengaged over midnight.
    script.at(297.5, .view(lag: 1.5, behind: 0, aside: -180, cause: "user"))
    script.at(330.4, .follow(true))
    for step in 0..<20 { script.at(335.4 + 4 * Double(step), .view(lag: 1.5, behind: 30, aside: 0, cause: nil)) }
  }
}
