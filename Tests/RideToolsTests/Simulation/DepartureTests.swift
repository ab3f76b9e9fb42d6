import LocationCore
import Testing

@testable import RideTools

/// Rides of a plan with departures from it, and their truth.
struct DepartureTests {
  /// 2 km to the east, 1 km to the north, and the same way back.
  private static let plan: [SIMD2<Double>] = [[0, 0], [2000, 0], [2000, 1000], [2000, 0], [0, 0]]
  private static let scale = LocalScale(latitude: 47)

  private static func vertices(_ plan: [SIMD2<Double>]) throws -> [RouteVertex] {
    try plan.map { point in
      let latitude = 47 + point.y / scale.metresPerDegreeNorth
      let east = LocalScale(latitude: latitude).metresPerDegreeEast
      return RouteVertex(try #require(Coordinate(latitude: latitude, longitude: 11 + point.x / east)))
    }
  }

  private static func route(_ text: String, _ plan: [SIMD2<Double>] = plan) throws -> Route {
    let departures = text.isEmpty ? [] : try SimulationText(key: .depart, text: text).departures()
    return try #require(try Route(along: vertices(plan), departures, speedLimit: 10))
  }

  /// Metres east and north of the start.
  private static func place(_ point: Route.Point) -> SIMD2<Double> {
    let east = LocalScale(latitude: point.latitude).metresPerDegreeEast
    return [(point.longitude - 11) * east, (point.latitude - 47) * scale.metresPerDegreeNorth]
  }

  /// The points off the line, as one part.
  private static func away(_ route: Route) throws -> [Route.Point] {
    let first = try #require(route.points.firstIndex { $0.planned == nil })
    let last = try #require(route.points.lastIndex { $0.planned == nil })
    #expect(route.points[first...last].allSatisfy { $0.planned == nil })
    return Array(route.points[first...last])
  }

  @Test func `A ride without departures is everywhere on the plan`() throws {
    let route = try Self.route("")
    let alongs = try route.points.map { try #require($0.planned?.along) }
    #expect(alongs == alongs.sorted() && alongs[0] == 0 && abs(alongs[alongs.count - 1] - 6000) < 0.1)
    for point in route.points {
      let planned = try #require(point.planned)
      #expect(!planned.isReverse && planned.leg == [2000, 3000, 4000].count { $0 + 0.1 < planned.along })
      let (place, along) = (Self.place(point), planned.along)
      let ideal: SIMD2<Double> =
        along < 2000
        ? [along, 0] : along < 3000 ? [2000, along - 2000] : along < 4000 ? [2000, 4000 - along] : [6000 - along, 0]
      let (east, north) = (place.x - ideal.x, place.y - ideal.y)
      #expect((east * east + north * north).squareRoot() < RouteLine.cornerMiss + 0.1)
    }
    #expect(Set(route.points.compactMap { $0.planned?.leg }) == [0, 1, 2, 3])
  }

  @Test func `A wrong turn leads to the right and back by a U-turn`() throws {
    let route = try Self.route("wrong-turn:500:120")
    let away = try Self.away(route)
    let farthest = try #require(away.min { Self.place($0).y < Self.place($1).y })
    #expect(abs(Self.place(farthest).x - 500) < 0.1 && abs(Self.place(farthest).y + 120) < 0.1)
    #expect(farthest.speedLimit == 0)
    #expect(abs(away[away.count - 1].station - away[0].station - 240) < 20)
    #expect(abs(route.length - (try Self.route("").length) - 240) < 20)
    #expect(
      Self.place(
        try #require(
          Self.away(Self.route("wrong-turn:500:-120")).min { $0.planned == nil && Self.place($0).y > Self.place($1).y })
      ).y > 119)
  }

  @Test(arguments: [80.0, -80])
  func `A detour is beside the line`(aside: Double) throws {
    let away = try Self.away(Self.route("detour:500-1300:\(aside)")).map(Self.place)
    let side = away.map { $0.y * (aside < 0 ? 1 : -1) }
    #expect(abs((side.max() ?? 0) - 80) < 0.1 && (side.min() ?? -1) > -0.1)
    let beside = away.filter { (520...1280).contains($0.x) }
    #expect(beside.count > 350 && beside.allSatisfy { abs(abs($0.y) - 80) < 4.2 })
  }

  @Test func `A shortcut leaves out a part of the line`() throws {
    let route = try Self.route("shortcut:1500-2500")
    let away = try Self.away(route)
    #expect(abs(route.length - 5000 - 500 * 2.0.squareRoot()) < 25)
    let first = try #require(route.points.last { ($0.planned?.along ?? 9999) <= 1500 })
    let next = try #require(route.points.first { ($0.planned?.along ?? 0) >= 2500 })
    #expect(next.station - first.station > 690 && next.station - first.station < 720)
    #expect(away.count > 340)
    // Round a loop of no length nothing is left of it.
    let laps = try Self.route("shortcut:0-2000", [[0, 0], [1000, 0], [0, 0], [0, 1000]])
    #expect(abs(laps.length - 1000) < 5)
    #expect(laps.points.dropFirst().allSatisfy { ($0.planned?.along ?? 0) >= 2000 })
  }

  @Test func `A U-turn goes back along the line and forward again`() throws {
    let route = try Self.route("u-turn:2300:700")
    #expect(abs(route.length - (try Self.route("").length) - 1400) < 20)
    #expect(route.points.allSatisfy { $0.planned != nil })
    let back = route.points.filter { $0.planned?.isReverse == true }
    let alongs = back.compactMap { $0.planned?.along }
    #expect(alongs == alongs.sorted(by: >))
    #expect(abs((alongs.first ?? 0) - 2300) < 3 && abs((alongs.last ?? 0) - 1600) < 3)
    #expect(Set(back.compactMap { $0.planned?.leg }) == [0, 1])
  }

  @Test func `A stop lasts as long as it should`() throws {
    let route = try Self.route("stop:700:45")
    var motion = Motion(along: route)
    var standing: [Double] = []
    for step in 0..<Int(motion.duration * 10) {
      let state = motion.state(at: Double(step) / 10)
      if state.speed == 0, let along = state.place.planned?.along, along > 1 { standing.append(along) }
    }
    // The turning point is another one.
    #expect(standing.count { abs($0 - 700) < 2.1 } == 450 || standing.count { abs($0 - 700) < 2.1 } == 451)
  }

  @Test func `Places are those of the course, whose line leaves out careless points`() throws {
    // A road drawn with a zigzag of 1.5 m, which the course leaves out.
    let careless: [SIMD2<Double>] = (0...400).map { [5 * Double($0), $0 % 2 == 0 ? 0 : 1.5] }
    let route = try Self.route("", careless)
    #expect(route.points.count > 1000)
    let last = try #require(route.points.last?.planned)
    #expect(abs(last.along - 2000) < 3 && last.leg == 399)
    for point in route.points { #expect(abs((point.planned?.along ?? 0) - Self.place(point).x) < 4) }
  }

  static let bad: [(String, String)] = [
    ("u-turn:100:50,stop:90:5", "no room"), ("detour:5000-6001:10", "no room for the departure at 5000 m"),
    ("stop:-1:5", "no room"), ("stop:1", "not a list"), ("turn:1:2", "not a list"), ("shortcut:5-1", "not a list"),
    ("shortcut:1-5:3", "not a list"), ("stop:1:0", "not a list"), ("detour:1-5", "not a list"), ("", "not a list"),
    ("wrong-turn:1:0.5", "not a list"), ("stop:1:2,", "not a list"), ("stop:nan:2", "not a list"),
  ]

  @Test(arguments: bad)
  func `Departures without room or sense are refused`(text: String, words: String) throws {
    let error = #expect(throws: SimulationError.self) {
      let departures = try SimulationText(key: .depart, text: text).departures()
      _ = try Route(along: Self.vertices(Self.plan), departures, speedLimit: 10)
    }
    #expect(error?.description.contains(words) == true && error?.description.contains("\n") == false)
  }

  @Test func `Only the ride of a file departs from its line`() throws {
    for name in ["tour", "city"] {
      var options = try SimulationOptions(named: name)
      let error = #expect(throws: SimulationError.self) { try options.set(.depart, to: "stop:1:2") }
      #expect(error?.description.contains("use it with a route") == true)
    }
  }

  @Test func `The truth names leg and place on the line, and the seed changes only errors`() throws {
    let text = #"{"type":"LineString","coordinates":[[11,47],[11.01,47],[11.01,47.005]]}"#
    func truth(_ seed: String) throws -> (lines: [Substring], bytes: [UInt8]) {
      try withFile(text) { path in
        var options = SimulationOptions(.file(path))
        try options.set(.depart, to: "wrong-turn:300:60,u-turn:1000:200")
        try options.set(.seed, to: seed)
        let ride = try options.ride()
        var lines: [UInt8] = []
        for epoch in ride.epochs { TruthLines.write(epoch, into: &lines) }
        return (String(decoding: lines, as: UTF8.self).split(separator: "\n"), ride.recording)
      }
    }
    let (lines, bytes) = try truth("1")
    #expect(lines[0].hasSuffix(#","distance":0.000,"mode":3,"leg":0,"along":0.000}"#))
    #expect(lines.contains { $0.hasSuffix(#","mode":3}"#) })
    #expect(lines.contains { $0.contains(#","leg":1,"along":9"#) && $0.hasSuffix(#","reverse":true}"#) })
    let other = try truth("2")
    #expect(other.lines == lines && other.bytes != bytes)
  }
}
