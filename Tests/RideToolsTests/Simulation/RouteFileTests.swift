import LocationCore
import Testing

@testable import RideTools

/// Routes from files.
struct RouteFileTests {
  private static func vertices(_ text: String) throws -> [RouteVertex] {
    try withFile(text) { try RouteFile(path: $0).vertices }
  }

  private static func vertex(_ latitude: Double, _ longitude: Double, _ altitude: Double? = nil) throws -> RouteVertex {
    RouteVertex(try #require(Coordinate(latitude: latitude, longitude: longitude)), altitude: altitude)
  }

  static let lines = [
    #"{"type":"LineString","coordinates":[[11.5,47.25,600.5],[11.75,47.5]]}"#,
    #" { "coordinates" : [ [ 11.5 , 47.25 , 600.5 ] , [ 11.75 , 47.5 ] ] , "type" : "LineString" }"#,
    #"{"type":"MultiLineString","coordinates":[[[11.5,47.25,600.5]],[[11.75,47.5]]]}"#,
    #"{"type":"Feature","properties":{"name":"a\"b","type":"LineString"},"geometry":{"type":"LineString","coordinates":[[11.5,47.25,600.5],[1.175e1,47.5]]}}"#,
    #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":null},{"type":"Feature","geometry":{"type":"LineString","coordinates":[[11.5,47.25,600.5],[11.75,47.5]]}}]}"#,
    #"{"type":"GeometryCollection","geometries":[{"type":"LineString","coordinates":[[11.5,47.25,600.5],[11.75,47.5]]}]}"#,
    #"<?xml version="1.0"?><gpx><trk><trkseg><trkpt lat="47.25" lon="11.5"><ele>600.5</ele></trkpt><trkpt lat="47.5" lon="11.75"/></trkseg></trk></gpx>"#,
    #"<gpx><wpt lat="1" lon="2"/><rte><rtept lon="11.5" lat="47.25"><ele>600.5</ele></rtept><rtept lat="47.5" lon="11.75"></rtept></rte></gpx>"#,
  ]

  @Test(arguments: lines)
  func `Lines are found`(text: String) throws {
    #expect(try Self.vertices(text) == [Self.vertex(47.25, 11.5, 600.5), Self.vertex(47.5, 11.75)])
  }

  @Test func `An implausible altitude is left out`() throws {
    let text = #"{"type":"LineString","coordinates":[[11.5,47.25,1e308],[11.75,47.5,-1e308]]}"#
    #expect(try Self.vertices(text) == [Self.vertex(47.25, 11.5), Self.vertex(47.5, 11.75)])
  }

  static let bad: [(String, String)] = [
    ("", "neither GPX, TCX, FIT nor GeoJSON"), ("hello", "neither GPX, TCX, FIT nor GeoJSON"),
    ("$GPGGA", "neither GPX, TCX, FIT nor GeoJSON"),
    ("{}", "has no line"), (#"{"type":"Point","coordinates":[1,2]}"#, "has no line"),
    (#"{"type":"LineString","coordinates":[[1,2]]}"#, "has no line"),
    (#"{"type":"LineString"}"#, "without coordinates"),
    (#"{"type":"LineString","coordinates":[[1,2],[3,"#, "not valid JSON"),
    (#"{"type":"LineString","coordinates":[[1,2],[3,91]]}"#, "invalid coordinates"),
    (#"{"type":"LineString","coordinates":[[1,2],[181,9]]}"#, "invalid coordinates"),
    (#"{"type":"LineString","coordinates":[[1],[2]]}"#, "invalid coordinates"),
    (#"{"type":"LineString","coordinates":[["1","2"],[3,4]]}"#, "not valid JSON"),
    (#"{"type":"LineString","coordinates":[1,2]}"#, "not valid JSON"),
    (#"{"type":"LineString","coordinates":[[1,nan],[3,4]]}"#, "not valid JSON"),
    ("<gpx></gpx>", "has no line"), (#"<gpx><wpt lat="1" lon="2"/><wpt lat="1" lon="3"/></gpx>"#, "has no line"),
    (#"<gpx><trk><trkseg><trkpt lat="1" lon="2"/><trkpt lat="91" lon="2"/></trkseg></trk></gpx>"#, "damaged"),
    (#"<gpx><trk><trkseg><trkpt lat="1" lon="2"/><trkpt lat="1" lon="#, "damaged"),
    (String(repeating: #"{"geometry":"#, count: 40) + "{}" + String(repeating: "}", count: 40), "nested too deeply"),
  ]

  @Test(arguments: bad)
  func `A file without a line is refused with an error that names it`(text: String, words: String)
    throws
  {
    let error = #expect(throws: CourseFileError.self) { try Self.vertices(text) }
    let message = error?.description ?? ""
    #expect(message.contains(words) && message.contains("-route") && !message.contains("\n"), "\(message)")
  }

  @Test func `A missing file and a directory are refused`() throws {
    for path in ["/tmp/handlebar-test-none.gpx", "/tmp"] {
      let error = #expect(throws: CourseFileError.self) { try RouteFile(path: path) }
      #expect(error?.description.contains(path) == true)
    }
  }

  @Test func `A gentle bend of a track is not a corner`() throws {
    // A circle of 200 m radius, a point every 10 m: with the speed limit of 200 m, not of a corner.
    let vertices = try (0...60).map { step in
      let (sine, cosine) = ExactMath.sineCosine(degrees: Double(step) * 2.865)
      let scale = LocalScale(latitude: 47)
      return try Self.vertex(
        47 + 200 * cosine / scale.metresPerDegreeNorth, 11 + 200 * sine / scale.metresPerDegreeEast)
    }
    let route = try #require(try Route(along: vertices, speedLimit: 30))
    let slowest = route.points.map(\.speedLimit).min() ?? 0
    #expect(slowest > 23 && slowest < 26, "\(slowest) m/s, not √(3·200)")
    #expect(abs(route.length - 600) < 1)
  }

  @Test func `A rider stops to turn about`() throws {
    let corners = try [Self.vertex(47, 11), Self.vertex(47, 11.004), Self.vertex(47, 11)]
    let ride = try #require(try Route(along: corners, speedLimit: 15))
    var motion = Motion(along: ride)
    let half = ride.length / 2
    #expect(abs(ride.length - 2 * corners[0].position.distance(to: corners[1].position)) < 0.01)
    var atTurn = 99.0
    for step in 0..<Int(motion.duration * 20) {
      let state = motion.state(at: Double(step) / 20)
      if abs(state.place.station - half) < 1 { atTurn = min(atTurn, state.speed) }
    }
    #expect(atTurn < 1)
  }

  @Test func `Long legs end at their corners, also across the antimeridian`() throws {
    let corners = try [Self.vertex(60, 170), Self.vertex(61, -175), Self.vertex(55, -170, 100)]
    let route = try #require(try Route(along: corners, speedLimit: 50))
    for corner in [corners[0], corners[2]] {
      let nearest = route.points.map {
        abs($0.latitude - corner.position.latitude) + abs($0.longitude - corner.position.longitude)
      }.min()
      #expect((nearest ?? 9) < 1e-9)
    }
    #expect(route.points.allSatisfy { abs($0.longitude) <= 180 })
    #expect(route.points.count < 130_000)
    var way = 0.0
    for (from, to) in zip(route.points, route.points.dropFirst()) {
      guard let from = Coordinate(latitude: from.latitude, longitude: from.longitude),
        let to = Coordinate(latitude: to.latitude, longitude: to.longitude)
      else { continue }
      way += from.chord(to: to)
    }
    #expect(abs(way / route.length - 1) < 1e-6)
    #expect(try Route(along: [Self.vertex(89.5, 0), Self.vertex(89.6, 0)], speedLimit: 20) == nil)
  }
}
