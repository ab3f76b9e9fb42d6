import LocationCore
import Testing

@testable import RideTools

struct RouteTests {
  private static func coordinate(_ point: Route.Point) throws -> Coordinate {
    try #require(Coordinate(latitude: point.latitude, longitude: point.longitude))
  }

  private static func builder(_ latitude: Double = 47, _ longitude: Double = 11) throws -> RouteBuilder {
    RouteBuilder(
      start: try #require(Coordinate(latitude: latitude, longitude: longitude)), altitude: 500, course: 90,
      speedLimit: 20)
  }

  @Test(arguments: [(0, 0), (47, 11), (-33, 151), (60, 179.999), (-80, -179.999)] as [(Double, Double)])
  func `A straight is as long on the ellipsoid as it was drawn`(latitude: Double, longitude: Double) throws {
    var builder = try Self.builder(latitude, longitude)
    builder.straight(1000)
    let route = try #require(builder.route)
    #expect(abs(route.length - 1000) < 1e-6)
    var way = 0.0
    for (from, to) in zip(route.points, route.points.dropFirst()) {
      way += try Self.coordinate(from).distance(to: Self.coordinate(to))
    }
    #expect(abs(way - 1000) < 1e-3)
  }

  @Test(arguments: [100, 500, 2000, 5000, 5001.234, 20_000], [1, 2, 3])
  func `A tour is as long as requested`(length: Double, seed: UInt64) throws {
    let options = try SimulationOptions.described("tour", [.length: "\(length)", .seed: "\(seed)"])
    let route = try options.ride().route
    #expect(abs(route.length - length) < 1e-9)
    #expect(zip(route.points, route.points.dropFirst()).allSatisfy { $1.station - $0.station >= 0.000_999 })
  }

  @Test func `Four right bends lead back to the start`() throws {
    var builder = try Self.builder()
    for _ in 0..<4 {
      builder.straight(100)
      builder.bend(90, radius: 20)
    }
    let route = try #require(builder.route)
    let end = route.points[route.points.count - 1]
    #expect(try Self.coordinate(route.points[0]).distance(to: Self.coordinate(end)) < 0.01)
    #expect(abs(end.course - 90) < 1e-9)
    #expect(abs(route.length - (400 + 2 * .pi * 20)) < 1e-6)
  }

  @Test func `Bends are ridden at their limit after braking`() throws {
    var builder = try Self.builder()
    builder.straight(300)
    builder.bend(90, radius: 12)
    builder.straight(300)
    let route = try #require(builder.route)
    var motion = Motion(along: route)
    var previous = motion.state(at: 0)
    var slowest = 99.0
    var fastest = 0.0
    for step in 1...Int(motion.duration * 20) {
      let state = motion.state(at: Double(step) / 20)
      #expect(state.place.station >= previous.place.station)
      let gain = (state.speed - previous.speed) * 20
      #expect(gain < 2.1 && gain > -2.6)
      if (301...315).contains(state.place.station) { slowest = min(slowest, state.speed) }
      fastest = max(fastest, state.speed)
      previous = state
    }
    #expect(abs(slowest - 6) < 0.01)
    #expect(abs(fastest - 20) < 0.01)
    #expect(abs(previous.place.station - route.length) < 0.2)
  }

  @Test func `Speed is the derivative of distance`() throws {
    var builder = try Self.builder()
    builder.straight(400)
    var motion = Motion(along: try #require(builder.route))
    for second in 1..<20 {
      let before = motion.state(at: Double(second) - 0.01)
      let after = motion.state(at: Double(second) + 0.01)
      let now = motion.state(at: Double(second))
      #expect(abs((after.place.station - before.place.station) / 0.02 - now.speed) < 0.03)
    }
  }

  @Test func `A stop has its duration`() throws {
    var builder = try Self.builder()
    builder.straight(100)
    builder.stop(12)
    builder.straight(100)
    var motion = Motion(along: try #require(builder.route))
    let standing = (0..<Int(motion.duration * 10)).filter { motion.state(at: Double($0) / 10).speed < 0.01 }.count
    #expect(abs(Double(standing) / 10 - 12) < 0.5)
    #expect(abs(motion.state(at: motion.duration).place.station - 200) < 1e-6)
  }

  @Test func `A polyline is ridden from end to end through rounded corners`() throws {
    let corners = try [(47.0, 11.0), (47.0, 11.004), (47.003, 11.004), (47.003, 11.004), (47.003, 11.008)].map {
      try #require(Coordinate(latitude: $0.0, longitude: $0.1))
    }
    let route = try #require(try Route(along: corners.map { RouteVertex($0) }, speedLimit: 15))
    let last = route.points[route.points.count - 1]
    #expect(try Self.coordinate(last).distance(to: corners[4]) < 0.001)
    for corner in corners[1...3] {
      let nearest = try route.points.map { try Self.coordinate($0).distance(to: corner) }.min() ?? 99
      // A corner of 90° rounded with 10 m is missed by 4.1 m.
      #expect(nearest < 4.6 && nearest > 3)
    }
    #expect(try Route(along: [RouteVertex(corners[0])], speedLimit: 15) == nil)
    #expect(try Route(along: [RouteVertex(corners[0]), RouteVertex(corners[0])], speedLimit: 15) == nil)
  }
}
