import LocationCore
import Testing

@testable import RideTools

struct RouteSamplerTests {
  private static func route(_ fixes: [Fix], count: Int) throws -> [Fix] {
    var sampler = try #require(RouteSampler(count: count))
    for fix in fixes { sampler.add(fix) }
    return sampler.route
  }

  @Test(arguments: [-1, 0, 1, 21, .max])
  func `A route has 2 to 20 points`(count: Int) {
    #expect(RouteSampler(count: count) == nil)
  }

  @Test(arguments: [2, 3, 7, 13, 20], [20, 1000, 40_000])
  func `Points are evenly spaced, including first and last`(
    count: Int, fixes: Int
  ) throws {
    let way = TestTrack.eastwards(fixes)
    let route = try Self.route(way, count: count)
    #expect(route.count == count)
    #expect(route.first == way.first && route.last == way.last)
    let whole = Double(fixes - 1) * 10
    for (number, fix) in route.enumerated() {
      let distance = fix.position.distance(to: way[0].position)
      #expect(abs(distance - whole * Double(number) / Double(count - 1)) <= whole / 2000 + 5.001)
    }
  }

  @Test func `A stop does not attract points`() throws {
    let way = TestTrack.eastwards(101)
    let standing = (0..<5000).map { number -> Fix in
      var fix = way[50]
      fix.received = .milliseconds(Int64(50_000 + number))
      return fix
    }
    let route = try Self.route(Array(way[...50] + standing + way[51...]), count: 11)
    #expect(
      route.map { $0.position.longitude } == stride(from: 0, through: 100, by: 10).map { way[$0].position.longitude })
  }

  @Test func `A ride of few fixes has a short route without duplicates`() throws {
    #expect(try Self.route([], count: 5).isEmpty)
    let way = TestTrack.eastwards(3)
    #expect(try Self.route(Array(way.prefix(1)), count: 5) == [way[0]])
    #expect(try Self.route(Array(way.prefix(2)), count: 5) == [way[0], way[1]])
    #expect(try Self.route(way, count: 20) == way)
  }

  @Test func `Fixes at one position give as many points as possible`() throws {
    let near = TestTrack.eastwards(10)
    let far = TestTrack.eastwards(2, step: 100_000)[1]
    #expect(try Self.route(near + [far], count: 11) == near + [far])
  }
}
