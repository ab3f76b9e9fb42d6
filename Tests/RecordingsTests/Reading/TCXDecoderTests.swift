import GPSDProtocol
import LocationCore
import Testing

@testable import Recordings

struct TCXDecoderTests {
  private static func decoded(_ text: String, piece: Int = 65_536) -> [RecordingItem] {
    items(of: text, piece: piece, by: InputDecoder())
  }

  private static func activity(_ points: String) -> String {
    "\u{FEFF}<?xml version=\"1.0\"?>\n<TrainingCenterDatabase xmlns=\"http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2\" "
      + "xmlns:ns3=\"http://www.garmin.com/xmlschemas/ActivityExtension/v2\"><Activities><Activity Sport=\"Biking\"><Id>x</Id>"
      + "<Lap StartTime=\"2026-03-19T12:35:00Z\"><TotalTimeSeconds>9</TotalTimeSeconds><Track>\(points)</Track></Lap></Activity>"
      + "</Activities></TrainingCenterDatabase>"
  }

  private static func point(_ second: Int, _ place: String?, _ more: String = "") -> String {
    let position = place.map {
      "<Position><LatitudeDegrees>\($0)</LatitudeDegrees><LongitudeDegrees>11.5</LongitudeDegrees></Position>"
    }
    return "<Trackpoint><Time>2026-03-19T12:35:0\(second).000Z</Time>\(position ?? "")\(more)</Trackpoint>\n"
  }

  @Test func `A track point has its place, time, altitude, and the speed of its extension`() throws {
    let items = Self.decoded(
      Self.activity(
        Self.point(
          7, " 48.1234567 ",
          "<AltitudeMeters>512.5</AltitudeMeters><HeartRateBpm><Value>140</Value></HeartRateBpm>"
            + "<Extensions><ns3:TPX><ns3:Speed>8.25</ns3:Speed><ns3:Watts>200</ns3:Watts></ns3:TPX></Extensions>")))
    let burst = try #require(items.bursts.first)
    let report = burst.bytes.withUnsafeBufferPointer { GPSDReport(line: $0, at: .zero) }
    guard case .position(let position) = report, let fix = position.fix else {
      Issue.record("no fix")
      return
    }
    #expect(items.count == 1)
    #expect(position.time == UTCInstant(iso8601: "2026-03-19T12:35:07Z".utf8) && burst.stamp?.utc == position.time)
    #expect(fix.position == Coordinate(latitude: 48.123_456_7, longitude: 11.5))
    #expect(fix.altitudeMSL == 512.5 && fix.speed == 8.25)
  }

  @Test func `A point without a position is a pause, one with half of it or beyond a pole is damage`() {
    let points =
      Self.point(0, "48") + Self.point(1, nil) + Self.point(2, "91") + Self.point(3, "") + Self.point(4, "48.1")
      + "<Trackpoint><Position><LatitudeDegrees>48</LatitudeDegrees></Position></Trackpoint>"
    let items = Self.decoded(Self.activity(points))
    #expect(items.bursts.count == 2 && items.damage == [.badPoint, .badPoint, .badPoint])
  }

  @Test func `A document that ends within a point keeps those before`() {
    let text = Self.activity(Self.point(0, "48") + Self.point(1, "48.1") + Self.point(2, "48.2"))
    let end = text.firstRange(of: "48.2")?.lowerBound ?? text.endIndex
    let items = Self.decoded(String(text[..<end]))
    #expect(items.bursts.count == 2 && items.damage == [.badPoint])
  }

  @Test func `Points are the same for pieces of any size`() {
    let text = Self.activity((0..<9).map { Self.point($0, "48.\($0)") }.joined())
    let whole = Self.decoded(text)
    #expect(whole.bursts.count == 9)
    for piece in [1, 2, 7, 64] { #expect(Self.decoded(text, piece: piece) == whole) }
  }
}
