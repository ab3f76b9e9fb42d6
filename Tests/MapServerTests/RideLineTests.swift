import Foundation
import GPSDProtocol
import LocationCore
import NIOCore
import Testing

@testable import MapServer

@Suite("The way of a ride for the map page")
struct RideLineTests {
  /// A fix so many metres north and east of a place.
  private func fix(_ second: Int, north: Double, east: Double, height: Double? = nil) throws -> Fix {
    let place = try #require(Coordinate(latitude: 48 + north / 111_200, longitude: 11 + east / 74_500))
    let measured = UTCInstant(nanosecondsSince1970: (1_773_923_700 + Int64(second)) * 1_000_000_000)
    var fix = Fix(position: place, mode: .threeD, measured: measured, received: .zero)
    fix.altitudeMSL = height
    return fix
  }

  @Test func `Five hours of turns are 3072 points at most, and no fix is 10 m off their line`() throws {
    var line = RideLine()
    var fixes: [Fix] = []
    var (north, east) = (0.0, 0.0)
    for second in 0..<18_000 {
      let course = 1.5 * sin(Double(second) / 40) + sin(Double(second) / 700)
      (north, east) = (north + 8 * cos(course), east + 8 * sin(course))
      fixes.append(try fix(second, north: north, east: east))
      line.add(fixes[second], isApart: second == 0)
    }
    let points = line.parts.flatMap(\.self).map(\.position)
    #expect(line.parts.count == 1 && points.count <= 3072 && points.count > 1500)
    #expect(line.time == fixes.last?.measured && points.first == fixes[0].position)
    var index = 0
    var farthest = 0.0
    for fix in fixes where index + 1 < points.count {
      farthest = max(farthest, fix.position.distance(toSegmentFrom: points[index], to: points[index + 1]))
      if fix.position == points[index + 1] { index += 1 }
    }
    #expect(index == points.count - 1)
    #expect(farthest < 10)
  }

  @Test func `A straight road keeps its hills`() throws {
    var line = RideLine()
    for second in 0..<20_000 {
      let height = 500 + abs(Double(second % 400) - 200)
      let fix = try fix(second, north: 5 * Double(second), east: 0, height: second % 4 == 0 ? height : nil)
      line.add(fix, isApart: false)
    }
    let heights = line.parts.flatMap(\.self).compactMap(\.elevation)
    #expect(heights.min() ?? 0 < 501 && heights.max() ?? 0 > 699)
    #expect(heights.count { $0 > 690 } > 40)
  }

  @Test func `What is apart stays apart, and a single point is no part`() throws {
    var line = RideLine()
    for second in 0..<30 {
      // The way to 10 is unknown, but that has no date; then 11 is alone.
      var fix = try fix(second, north: 10 * Double(second), east: 0)
      if second == 10 { fix.measured = nil }
      line.add(fix, isApart: [0, 10, 12].contains(second))
    }
    #expect(line.parts.map(\.count) == [10, 18])
    let json = try #require(line.json)
    #expect(String(buffer: json).hasPrefix(#"{"time":"2026-03-19T12:35:29.000Z","parts":[{"polyline":""#))
  }

  @Test func `A ride that is nothing but gaps stays small`() throws {
    var line = RideLine()
    for second in 0..<20_000 {
      let fix = try fix(second, north: 1e3 * sin(Double(second)), east: 1e3 * cos(Double(second)))
      line.add(fix, isApart: second % 2 == 0)
      #expect(line.parts.reduce(0) { $0 + $1.count } <= 3072)
    }
    #expect(line.parts.count > 100)
    #expect(RideLine().json == nil)
  }
}
