import Testing

@testable import LocationCore
@testable import Recordings
@testable import RideTools

/// The figures of files.
func figures(of files: [String]) throws -> RideFigures {
  var reader = try RideReader(files: files)
  var sums = RideAccumulator()
  while try reader.advance() { for moment in reader.moments { sums.add(moment) } }
  return sums.figures
}

/// The true figures of a ride along a route.
struct RideTruth {
  var distance = 0.0
  var movingTime = 0.0
  var ascent = 0.0
  var maximumSpeed = 0.0

  /// Sampled a hundred times a second, from one time to another.
  init(of route: Route, from start: Double = 0, to end: Double = .infinity) {
    var motion = Motion(along: route)
    let last = min(end, motion.duration)
    distance = -motion.state(at: start).place.station
    var altitude = motion.state(at: start).place.altitude
    for step in 0...Int((last - start) * 100) {
      let state = motion.state(at: start + Double(step) / 100)
      if state.speed > 0 { movingTime += 0.01 }
      ascent += max(0, state.place.altitude - altitude)
      altitude = state.place.altitude
      maximumSpeed = max(maximumSpeed, state.speed)
    }
    distance += motion.state(at: last).place.station
  }
}

struct RideFiguresTests {
  enum Road: String, CaseIterable {
    case hairpins, town, stopAndGo, country, motorway

    /// Without noise: true values with the decimals of a receiver.
    var route: Route? {
      guard let start = Coordinate(latitude: 48.1, longitude: 11.5) else { return nil }
      var builder = RouteBuilder(start: start, altitude: 500, course: 20, speedLimit: 14)
      switch self {
      case .hairpins:
        builder.gradient = 0.08
        for index in 0..<30 {
          builder.straight(60)
          builder.bend(index % 2 == 0 ? 180 : -180, radius: 5)
        }
      case .town:
        for index in 0..<14 {
          builder.straight(180 + Double(index) * 13)
          builder.stop(5 + Double(index * 7 % 40))
          builder.straight(40)
          builder.bend(index % 3 == 0 ? -90 : 90, radius: 8)
        }
      case .stopAndGo:
        for index in 0..<25 {
          builder.speedLimit = 2 + Double(index * 7 % 13) / 2
          builder.straight(8 + Double(index * 17 % 50))
          builder.stop(3 + Double(index * 5 % 17))
        }
      case .country:
        builder.speedLimit = 25
        builder.gradient = 0.03
        for index in 0..<20 {
          builder.straight(300)
          builder.bend(index % 2 == 0 ? 70 : -65, radius: 40 + Double(index))
          if index == 10 { builder.gradient = -0.02 }
        }
      case .motorway:
        builder.speedLimit = 36
        for index in 0..<10 {
          builder.straight(1500)
          builder.bend(index % 2 == 0 ? 20 : -25, radius: 900)
        }
      }
      return builder.route
    }
  }

  @Test(arguments: Road.allCases, [1, 5, 10])
  func `Distance, moving time and ascent are those of the ride`(
    road: Road, rate: Int
  ) throws {
    let route = try #require(road.route)
    var motion = Motion(along: route)
    var sums = RideAccumulator()
    for index in 0...Int(motion.duration * Double(rate)) {
      let seconds = Double(index) / Double(rate)
      let state = motion.state(at: seconds)
      sums.add(try Self.fix(state, at: seconds))
    }
    let figures = sums.figures
    let truth = RideTruth(of: route)
    #expect(abs(figures.distance / truth.distance - 1) < 0.005, "\(figures.distance) of \(truth.distance)")
    #expect(abs(figures.movingTime - truth.movingTime) < 2, "\(figures.movingTime) of \(truth.movingTime)")
    #expect(abs((figures.ascent ?? 0) - truth.ascent) < 5, "\(figures.ascent ?? 0) of \(truth.ascent)")
    #expect(abs((figures.maximumSpeed ?? 0) - truth.maximumSpeed) < 1)
    #expect(abs(figures.duration - motion.duration) <= 1)
    #expect(figures.gaps == 0)
  }

  @Test(arguments: BundledRide.allCases)
  func `With noise and in canyons, distance is within 1 %, time within 2 s, ascent within 10 m`(
    ride: BundledRide
  ) throws {
    let recording = try #require(ride.ride(seed: ride.defaultSeed)).recording
    let route = try #require(ride.route(seed: ride.defaultSeed))
    let directory = TemporaryDirectory()
    directory.write(recording.bytes, to: "ride.nmea")
    let figures = try figures(of: [directory.path + "/ride.nmea"])
    let fixes = recording.epochs.indices.filter { recording.epochs[$0].hasFix }
    let rate = Double(ride.receiver.rate)
    let truth = RideTruth(of: route, from: Double(fixes.first ?? 0) / rate, to: Double(fixes.last ?? 0) / rate)
    #expect(abs(figures.distance / truth.distance - 1) < 0.01, "\(figures.distance) of \(truth.distance)")
    #expect(abs(figures.movingTime - truth.movingTime) < 2, "\(figures.movingTime) of \(truth.movingTime)")
    #expect(abs((figures.ascent ?? 0) - truth.ascent) < 10, "\(figures.ascent ?? 0) of \(truth.ascent)")
  }

  @Test func `Without speeds, distance is the sum of the chords`() throws {
    let route = try #require(Road.motorway.route)
    var motion = Motion(along: route)
    var sums = RideAccumulator()
    for second in 0...Int(motion.duration) {
      var fix = try Self.fix(motion.state(at: Double(second)), at: Double(second))
      fix.speed = nil
      sums.add(fix)
    }
    let figures = sums.figures
    #expect(abs(figures.distance / route.length - 1) < 0.005, "\(figures.distance) of \(route.length)")
    #expect(figures.maximumSpeed == nil)
  }

  @Test func `A receiver with speed 0 only is measured by its positions`() throws {
    let route = try #require(Road.country.route)
    var motion = Motion(along: route)
    var sums = RideAccumulator()
    for second in 0...Int(motion.duration) {
      var fix = try Self.fix(motion.state(at: Double(second)), at: Double(second))
      fix.speed = 0
      sums.add(fix)
    }
    #expect(abs(sums.figures.distance / route.length - 1) < 0.05)
  }

  @Test func `An hour of noise at a stop is neither distance nor climb`() throws {
    var random = SeededRandom(seed: 1, stream: 1)
    var sums = RideAccumulator()
    let place = try #require(Coordinate(latitude: 48.1, longitude: 11.5))
    var drift = (north: 0.0, east: 0.0, up: 0.0)
    for second in 0..<3600 {
      drift.north = 0.98 * drift.north + 1.5 * random.normal()
      drift.east = 0.98 * drift.east + 1.5 * random.normal()
      drift.up = 0.98 * drift.up + 2.5 * random.normal()
      var fix = Fix(
        position: try #require(
          Coordinate(latitude: place.latitude + drift.north / 111_200, longitude: 11.5 + drift.east / 74_000)),
        mode: .threeD, received: .milliseconds(Int64(second) * 1000))
      fix.speed = abs(0.2 * random.normal())
      fix.altitudeMSL = 500 + drift.up
      fix.horizontalAccuracy = 12
      sums.add(fix)
    }
    #expect(sums.figures.distance == 0)
    #expect(sums.figures.movingTime == 0)
    #expect(sums.figures.ascent == 0)
    #expect(sums.figures.duration == 3599)
  }

  /// Two hours of a stop: the standard deviations of the drift and of the speeds, and the stated accuracy.
  @Test(arguments: [(12.0, 1.0, 12.0), (38, 0, 12), (38, 0.3, 12), (38, nil, 20)], 1...2)
  func `A parked receiver with heavy drift and noisy speeds goes nowhere and climbs nothing`(
    noise: (drift: Double, speed: Double?, accuracy: Double), seed: Int
  ) throws {
    var random = SeededRandom(seed: UInt64(seed), stream: 1)
    var sums = RideAccumulator()
    var drift = SIMD3(repeating: 0.0)
    for second in 0..<7200 {
      drift = 0.98 * drift + 0.2 * noise.drift * SIMD3(random.normal(), random.normal(), 1.5 * random.normal())
      var fix = Fix(
        position: try #require(
          Coordinate(latitude: 48.1 + drift.x / 111_200, longitude: 11.5 + drift.y / 74_000)),
        mode: .threeD, received: .milliseconds(Int64(second) * 1000))
      fix.speed = noise.speed.map { abs($0 * random.normal()) }
      fix.altitudeMSL = 500 + drift.z
      (fix.horizontalAccuracy, fix.verticalAccuracy) = (noise.accuracy, 1.5 * noise.accuracy)
      sums.add(fix)
    }
    #expect(sums.figures.distance < 100, "\(sums.figures.distance)")
    #expect(sums.figures.movingTime < 60)
    #expect(sums.figures.ascent == 0 && sums.figures.descent == 0)
  }

  @Test func `Slow serpentines with breaks count`() throws {
    var random = SeededRandom(seed: 1, stream: 1)
    var sums = RideAccumulator()
    for second in 0..<2400 {
      // Five minutes of climbing at 1.5 m/s, in turns of 40 m that lead 10 m, then 100 s of a break.
      let way = 1.5 * Double(second / 400 * 300 + min(second % 400, 300))
      let leg = (way / 50).rounded(.down)
      let along = min(way - 50 * leg, 40)
      let speed = second % 400 < 300 ? 1.5 : 0
      var fix = try Self.fix(at: second, north: way / 5, speed: abs(speed + 0.1 * random.normal()))
      let east = Int(leg) % 2 == 0 ? along : 40 - along
      fix.position = try #require(Coordinate(latitude: fix.position.latitude, longitude: 11.5 + east / 74_300))
      fix.horizontalAccuracy = 8
      sums.add(fix)
    }
    #expect(abs(sums.figures.distance - 2700) < 30, "\(sums.figures.distance)")
    #expect(abs(sums.figures.movingTime - 1800) < 20, "\(sums.figures.movingTime)")
  }

  /// Two hours of a stop: the standard deviations of the drift and of the speeds, which are alike for six seconds, in one
  /// direction or in two.
  @Test(arguments: [(5.0, 1.0, 1), (12, 1, 1), (5, 0.7, 2), (12, 0.5, 1)], 1...3)
  func `A parked receiver whose speeds seem steady goes nowhere`(
    noise: (drift: Double, speed: Double, directions: Int), seed: Int
  ) throws {
    var random = SeededRandom(seed: UInt64(seed), stream: 1)
    var sums = RideAccumulator()
    var (drift, velocity) = (SIMD2(0.0, 0), SIMD2(0.0, 0))
    for second in 0..<7200 {
      drift = 0.98 * drift + 0.2 * noise.drift * SIMD2(random.normal(), random.normal())
      velocity = 0.846 * velocity + 0.533 * noise.speed * SIMD2(random.normal(), random.normal())
      let speed = noise.directions == 1 ? abs(velocity.x) : (velocity * velocity).sum().squareRoot()
      var fix = try Self.fix(at: second, north: drift.y, speed: speed)
      fix.position = try #require(Coordinate(latitude: fix.position.latitude, longitude: 11 + drift.x / 74_400))
      fix.horizontalAccuracy = noise.drift == 5 ? 8 : 12
      sums.add(fix)
    }
    #expect(sums.figures.distance < 200, "\(sums.figures.distance)")
  }

  @Test(arguments: [1.0, 1.2, 1.5, 1.9], [5, 10, 20])
  func `Slow serpentines with a stop every 30 s count`(speed: Double, stop: Int) throws {
    var random = SeededRandom(seed: 1, stream: 1)
    var sums = RideAccumulator()
    var (way, time, drift) = (0.0, 0.0, SIMD2(0.0, 0))
    for second in 0..<3600 {
      let isMoving = second % (30 + stop) < 30
      if isMoving { (way, time) = (way + speed, time + 1) }
      // Turns of 40 m that lead 10 m.
      let leg = (way / 50).rounded(.down)
      let (along, side) = (min(way - 50 * leg, 40), max(0, way - 50 * leg - 40))
      drift = 0.98 * drift + 0.6 * SIMD2(random.normal(), random.normal())
      let east = (Int(leg) % 2 == 0 ? along : 40 - along) + drift.x
      var fix = try Self.fix(
        at: second, north: 10 * leg + side + drift.y, speed: abs((isMoving ? speed : 0) + 0.1 * random.normal()))
      fix.position = try #require(Coordinate(latitude: fix.position.latitude, longitude: 11 + east / 74_400))
      fix.horizontalAccuracy = 8
      sums.add(fix)
    }
    #expect(abs(sums.figures.distance / way - 1) < 0.1, "\(sums.figures.distance) of \(way)")
    #expect(abs(sums.figures.movingTime / time - 1) < 0.1, "\(sums.figures.movingTime) of \(time)")
  }

  @Test(arguments: 1...4) func `Walking with stops counts despite noise`(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed), stream: 1)
    var sums = RideAccumulator()
    var (north, drift) = (0.0, 0.0)
    for second in 0..<1200 {
      // Forty seconds of walking, then twenty at a stop.
      let speed = second % 60 < 40 ? 1.2 : 0
      north += speed
      drift = 0.98 * drift + 0.6 * random.normal()
      var fix = try Self.fix(at: second, north: north + drift, speed: abs(speed + 0.1 * random.normal()))
      fix.horizontalAccuracy = 8
      sums.add(fix)
    }
    #expect(abs(sums.figures.distance / north - 1) < 0.05, "\(sums.figures.distance) of \(north)")
    #expect(abs(sums.figures.movingTime - 800) < 40, "\(sums.figures.movingTime)")
  }

  @Test(arguments: 1...4) func `A parked receiver without speeds goes nowhere and climbs nothing`(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed), stream: 1)
    var sums = RideAccumulator()
    var drift = SIMD3(0.0, 0, 0)
    for second in 0..<7200 {
      drift = 0.98 * drift + SIMD3(1.5, 1.5, 2.5) * SIMD3(random.normal(), random.normal(), random.normal())
      var fix = Fix(
        position: try #require(
          Coordinate(latitude: 48.1 + drift.x / 111_200, longitude: 11.5 + drift.y / 74_000)),
        mode: .threeD, received: .milliseconds(Int64(second) * 1000))
      fix.altitudeMSL = 500 + drift.z
      sums.add(fix)
    }
    #expect(sums.figures.distance < 100)
    #expect(sums.figures.movingTime < 60)
    #expect(sums.figures.ascent == 0 && sums.figures.descent == 0)
  }

  /// Rides to stand, to find no fix, to be switched off, to jump.
  @Test func `A gap, an interruption and a jump count by the rules`() throws {
    var sums = RideAccumulator()
    func ride(from start: Int, to end: Int, speed: Double, north: Double) throws {
      for second in start...end {
        sums.add(try Self.fix(at: second, north: north + speed * Double(second - start), speed: speed))
      }
    }
    try ride(from: 0, to: 100, speed: 20, north: 0)
    #expect(sums.figures.distance == 2000)
    // A tunnel at the same speed.
    try ride(from: 160, to: 200, speed: 20, north: 3200)
    #expect(sums.figures.gaps == 1)
    #expect(sums.figures.gapTime == 60)
    #expect(abs(sums.figures.distance - 4000) < 1)
    #expect(sums.figures.movingTime == 200)
    // Switched off for ten minutes at a petrol station, 30 m on.
    sums.interrupt()
    try ride(from: 800, to: 900, speed: 20, north: 4030)
    #expect(sums.figures.gaps == 2)
    #expect(abs(sums.figures.distance - 6030) < 2)
    #expect(abs(sums.figures.movingTime - 301.5) < 0.1)
    #expect(sums.figures.duration == 900)
    // A jump of 30 km.
    sums.add(try Self.fix(at: 901, north: 36_000, speed: 20), isSuspect: true)
    #expect(abs(sums.figures.distance - 6030) < 2)
  }

  /// Into a tunnel at 25 m/s and out at 5 m/s: fast for most of the 25 s, around a bend, with a stop in between, and
  /// farther than at 25 m/s, within the accuracy.
  @Test(arguments: [(520.0, 520.0), (310.0, 375.0), (200.0, 200.0), (900.0, 880.0)])
  func `A gap between two speeds counts by its chord`(chord: Double, way: Double) throws {
    var sums = RideAccumulator()
    for second in 0...100 { sums.add(try Self.fix(at: second, north: 25 * Double(second), speed: 25)) }
    for second in 125...130 {
      sums.add(try Self.fix(at: second, north: 2500 + chord + 5 * Double(second - 125), speed: 5))
    }
    #expect(abs(sums.figures.distance - (2500 + way + 25)) < 1, "\(sums.figures.distance)")
    #expect(abs(sums.figures.movingTime - (chord == 200 ? 113 : 130)) < 0.1)
  }

  @Test func `A stop of 20 minutes separates two rides, a shorter one does not`() throws {
    var sums = RideAccumulator(splitStop: 1200)
    #expect(!sums.beginsNextRide(with: try Self.fix(at: 0, north: 0, speed: 5)))
    for second in 0...100 { sums.add(try Self.fix(at: second, north: 5 * Double(second), speed: 5)) }
    for second in 101...1290 { sums.add(try Self.fix(at: second, north: 500, speed: 0)) }
    #expect(!sums.beginsNextRide(with: try Self.fix(at: 1291, north: 500, speed: 5)))
    #expect(sums.standing > 1180)
    #expect(sums.figures.duration == 1290)
    for second in 1291...1310 { sums.add(try Self.fix(at: second, north: 500, speed: 0)) }
    #expect(!sums.beginsNextRide(with: try Self.fix(at: 1311, north: 500, speed: 0.6)))
    #expect(sums.beginsNextRide(with: try Self.fix(at: 1311, north: 500, speed: 0.8)))
    #expect(abs(sums.figures.duration - 101) < 2)
    // Before the first movement there is nothing to separate.
    var parked = RideAccumulator(splitStop: 1200)
    for second in 0...2000 { parked.add(try Self.fix(at: second, north: 0, speed: 0)) }
    let start = try Self.fix(at: 2001, north: 0, speed: 2)
    #expect(!parked.beginsNextRide(with: start))
    for second in 2001...2101 { parked.add(try Self.fix(at: second, north: 2 * Double(second), speed: 2)) }
    #expect(abs(parked.figures.duration - 101) < 2)
    #expect(abs((try #require(parked.figures.start) - Self.begin).inSeconds - 2000) < 2)
  }

  private static let begin = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)

  private static func fix(_ state: Motion.State, at seconds: Double) throws -> Fix {
    func rounded(_ value: Double, _ unit: Double) -> Double { (value / unit).rounded() * unit }
    let place = Coordinate(
      latitude: rounded(state.place.latitude, 1e-5 / 60), longitude: rounded(state.place.longitude, 1e-5 / 60))
    let received = MonotonicInstant(nanoseconds: Int64(seconds * 1e9) + 80_000_000)
    var fix = Fix(position: try #require(place), mode: .threeD, received: received)
    fix.measured = begin + .milliseconds(Int64((seconds * 1000).rounded()))
    fix.speed = rounded(state.speed, 0.01 * 1852 / 3600)
    fix.altitudeMSL = rounded(state.place.altitude, 0.1)
    return fix
  }

  private static func fix(at second: Int, north: Double, speed: Double) throws -> Fix {
    let place = try #require(Coordinate(latitude: 48 + north / 111_200, longitude: 11))
    var fix = Fix(position: place, mode: .threeD, received: .milliseconds(Int64(second) * 1000))
    fix.measured = begin + .seconds(second)
    fix.speed = speed
    return fix
  }
}
