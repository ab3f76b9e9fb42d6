import LocationCore
import Testing

@testable import RideTools

/// The longest possible text is complete.
struct LongestTextTests {
  private static func longest() throws -> Fix {
    let position = try #require(Coordinate(latitude: -89.123_456_789, longitude: -179.123_456_789))
    let measured = UTCInstant(nanosecondsSince1970: 1_773_923_719_123_000_000)
    var fix = Fix(position: position, mode: .threeD, status: .gnssDeadReckoning, measured: measured, received: .zero)
    let number = -899_999_999.123_456_789
    fix.altitudeMSL = number
    fix.geoidSeparation = number
    fix.speed = number
    fix.course = -0.126
    fix.magneticVariation = -0.126
    fix.horizontalAccuracy = number
    fix.verticalAccuracy = number
    fix.hdop = number
    fix.vdop = number
    fix.pdop = number
    fix.satellitesUsed = 899_999_999
    fix.dgpsAge = number
    fix.dgpsStation = 1023
    return fix
  }

  @Test func `A row has all its columns`() throws {
    var writer = CSVWriter(ExportOptions(format: .csv, title: ""), RideSurvey())
    writer.bytes = []
    writer.add(TestTrack.trackFix(try Self.longest()))
    let row = String(decoding: writer.bytes, as: UTF8.self)
    #expect(row.split(separator: ",", omittingEmptySubsequences: false).count == 16)
    #expect(row.hasPrefix("2026-03-19T12:35:19.123Z,-89.123456789,-179.123456789,-899999999.123,"))
    #expect(row.contains(",899999999,"))
  }

  @Test func `A point has all its elements`() throws {
    var writer = GPXWriter(ExportOptions(format: .gpx, title: ""), RideSurvey())
    writer.point(.route, try Self.longest())
    let point = String(decoding: writer.bytes, as: UTF8.self)
    #expect(point.hasPrefix("<rtept lat=\"-89.123456789\" lon=\"-179.123456789\"><ele>-899999999.123</ele><time>"))
    #expect(point.contains("<magvar>359.87</magvar>"))
    #expect(point.contains("<sat>899999999</sat>"))
    #expect(point.hasSuffix("</extensions></rtept>\n"))
  }
}
