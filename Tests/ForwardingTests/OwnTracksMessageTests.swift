import GPSDProtocol
import LocationCore
import Testing

@testable import Forwarding

struct OwnTracksMessageTests {
  private static func text(_ fix: Fix, at now: UTCInstant? = nil) -> String {
    var line = JSONLine()
    OwnTracksMessage(topic: "fleet/unit42").write(QueuedFix(ride: "r", numbers: 5...7, fix: fix), at: now, into: &line)
    return String(decoding: line.bytes, as: UTF8.self)
  }

  @Test func `Units are OwnTracks': whole km/h, degrees and metres`() throws {
    var fix = Fix(
      position: try #require(Coordinate(latitude: 48.123456789, longitude: -11.5)), mode: .threeD,
      measured: UTCInstant(nanosecondsSince1970: 1_773_923_719_900_000_000), received: .zero)
    fix.altitudeMSL = -12.6
    fix.speed = 10.01
    fix.course = 359.6
    fix.horizontalAccuracy = 4.4
    fix.verticalAccuracy = 7.5
    #expect(
      Self.text(fix, at: UTCInstant(nanosecondsSince1970: 1_773_923_720_100_000_000))
        == #"{"_type":"location","topic":"fleet/unit42","tid":"42","tst":1773923719,"lat":48.123456789,"lon":-11.5,"alt":-13,"vel":36,"cog":0,"acc":4,"vac":8,"created_at":1773923720,"ride":"r","seq":7}"#
    )
  }

  @Test func `A missing value is absent; without a date there is no message`() throws {
    var fix = Fix(position: try #require(Coordinate(latitude: 0, longitude: 0)), mode: .twoD, received: .zero)
    #expect(Self.text(fix) == "")
    fix.measured = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)
    #expect(
      Self.text(fix)
        == #"{"_type":"location","topic":"fleet/unit42","tid":"42","tst":1773923719,"lat":0,"lon":0,"ride":"r","seq":7}"#
    )
  }
}
