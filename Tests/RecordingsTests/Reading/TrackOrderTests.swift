import LocationCore
import Testing

@testable import Recordings

struct TrackOrderTests {
  private static func ordered(_ places: [(second: Int64, metres: Double)]) throws -> (seconds: [Int64], repeated: Int) {
    var order = TrackOrder(.gpx)
    for place in places {
      let time = UTCInstant(nanosecondsSince1970: place.second * 1_000_000_000)
      var point = TrackPoint(position: try #require(Coordinate(latitude: place.metres / 111_194, longitude: 11)))
      point.time = time
      let isFull = order.add(point, at: time)
      #expect(!isFull)
    }
    let (points, repeated) = order.take()
    #expect(order.isEmpty)
    return (points.compactMap { $0.time.map { $0.nanosecondsSince1970 / 1_000_000_000 } }, repeated)
  }

  @Test func `Points in order stay as they are`() throws {
    #expect(try Self.ordered([(1, 1), (2, 2), (2, 3), (5, 4)]) == ([1, 2, 2, 5], 0))
  }

  @Test func `Pieces and points are exchanged by their times`() throws {
    #expect(try Self.ordered([(100, 1), (101, 2), (1, 3), (2, 4), (50, 5)]) == ([1, 2, 50, 100, 101], 0))
    #expect(try Self.ordered((0..<20).reversed().map { (Int64($0), Double($0)) }) == (Array(0..<20), 0))
  }

  @Test func `Repeated points are left out`() throws {
    let (a, b, c) = ([(Int64(1), 1.0), (2, 2)], [(Int64(3), 3.0), (4, 4)], [(Int64(5), 5.0)])
    #expect(try Self.ordered(a + a + b + a + b + c) == ([1, 2, 3, 4, 5], 6))
  }

  @Test func `Pieces that overlap stay for the judge`() throws {
    #expect(try Self.ordered([(10, 1), (11, 2), (12, 3), (11, 4), (12, 5), (13, 6)]) == ([10, 11, 12, 11, 12, 13], 0))
    // One wrong date does not move the others.
    #expect(try Self.ordered([(1, 1), (4_000_000, 2), (2, 3), (3, 4)]).seconds == [1, 4_000_000, 2, 3])
  }

  @Test func `Memory is bounded`() throws {
    var order = TrackOrder(.gpx)
    let point = TrackPoint(position: try #require(Coordinate(latitude: 48, longitude: 11)))
    for second in 0..<TrackOrder.limit {
      let isFull = order.add(point, at: UTCInstant(nanosecondsSince1970: Int64(second)))
      #expect(isFull == (second == TrackOrder.limit - 1))
    }
    #expect(order.isOver)
    let points = order.take().points
    #expect(points.count == TrackOrder.limit && order.isEmpty)
  }
}
