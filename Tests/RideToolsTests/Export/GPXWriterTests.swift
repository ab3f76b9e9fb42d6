import LocationCore
import Testing

@testable import RideTools

struct GPXWriterTests {
  private static let options = ExportOptions(format: .gpx, title: "a ride")

  @Test("A point has its known values in the schema's order")
  func pointKnownValuesSchemaOrder() {
    var fix = TestTrack.fix(48.117_3, 11.516_666_667, seconds: 0.2)
    fix.altitudeMSL = 545.4
    fix.geoidSeparation = 46.9
    fix.magneticVariation = -2.5
    fix.speed = 11.524
    fix.course = 84.4
    fix.satellitesUsed = 12
    fix.hdop = 0.84
    fix.vdop = 1.1
    fix.pdop = 1.4
    fix.dgpsAge = 2.5
    fix.dgpsStation = 7
    #expect(
      TestTrack.export([[fix]], Self.options).contains(
        """
        <trkpt lat="48.1173" lon="11.516666667"><ele>545.4</ele><time>2026-03-19T12:35:19.200Z</time>\
        <magvar>357.5</magvar><geoidheight>46.9</geoidheight><fix>3d</fix><sat>12</sat><hdop>0.84</hdop>\
        <vdop>1.1</vdop><pdop>1.4</pdop><ageofdgpsdata>2.5</ageofdgpsdata><dgpsid>7</dgpsid>\
        <extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>11.524</gpxtpx:speed>\
        <gpxtpx:course>84.4</gpxtpx:course></gpxtpx:TrackPointExtension></extensions></trkpt>\n
        """))
  }

  @Test("Unknown values are left out")
  func unknownValuesLeftOut() {
    var fix = TestTrack.fix(1, 2)
    fix.measured = nil
    fix.mode = .twoD
    #expect(TestTrack.export([[fix]], Self.options).contains("<trkpt lat=\"1\" lon=\"2\"><fix>2d</fix></trkpt>"))
  }

  @Test("A value that the schema does not allow is left out")
  func valueSchemaDoesNotAllowLeft() {
    var fix = TestTrack.fix(1, 2)
    fix.dgpsStation = 4000
    fix.hdop = .nan
    fix.altitudeMSL = .infinity
    fix.magneticVariation = 359.999
    let text = TestTrack.export([[fix]], Self.options)
    #expect(text.contains("Z</time><magvar>0</magvar><fix>3d</fix></trkpt>"))
  }

  @Test("Longitudes are below 180")
  func longitudesBelow180() {
    for longitude in [180, 179.999_999_999_9, -180] {
      #expect(TestTrack.export([[TestTrack.fix(0, longitude)]], Self.options).contains("lon=\"-180\""))
    }
    #expect(TestTrack.export([[TestTrack.fix(0, 179.999_999)]], Self.options).contains("lon=\"179.999999\""))
  }

  @Test(
    "The type of fix is one of the schema's",
    arguments: [
      (.dgps, "dgps"), (.rtkFixed, "dgps"), (.rtkFloat, "dgps"), (.pps, "pps"), (.normal, "3d"), (.simulated, "3d"),
    ] as [(FixStatus, String)])
  func typeFixOneSchema(status: FixStatus, kind: String) {
    var fix = TestTrack.fix(0, 0)
    fix.status = status
    #expect(TestTrack.export([[fix]], Self.options).contains("<fix>\(kind)</fix>"))
  }

  @Test("A loss makes a new segment")
  func lossMakesNewSegment() {
    let text = TestTrack.export([TestTrack.eastwards(2), TestTrack.eastwards(3), TestTrack.eastwards(1)], Self.options)
    let counts = text.split(separator: "<trkseg>").dropFirst().map { $0.split(separator: "<trkpt").count - 1 }
    #expect(counts == [2, 3, 1])
    #expect(text.split(separator: "</trkseg>").count == 4)
    #expect(text.hasSuffix("</trkseg>\n</trk>\n</gpx>\n"))
  }

  @Test("A ride without a fix is a track without a segment")
  func rideWithoutFixTrackWithoutSegment() {
    let text = TestTrack.export([], Self.options)
    #expect(text.contains("<trk><name>a ride</name>\n</trk>\n</gpx>"))
    #expect(!text.contains("trkseg"))
  }

  @Test("A name cannot break the file")
  func nameCannotBreakFile() {
    let text = TestTrack.export([], ExportOptions(format: .gpx, title: "a<b>&\"\u{1B}\u{0}\n\u{FFFF}ü"))
    #expect(text.contains("<name>a&lt;b&gt;&amp;&quot;?? ?ü</name>"))
  }

  @Test("Bounds and route precede the track")
  func boundsRoutePrecedeTrack() throws {
    let sampler = try #require(RouteSampler(count: 3))
    let options = ExportOptions(format: .gpx, title: "a ride", sampler: sampler, hasBounds: true)
    let text = TestTrack.export([TestTrack.eastwards(101)], options)
    let bounds = try #require(text.firstRange(of: "<bounds minlat="))
    let route = try #require(text.firstRange(of: "<rte>"))
    let track = try #require(text.firstRange(of: "<trk>"))
    #expect(bounds.lowerBound < route.lowerBound && route.lowerBound < track.lowerBound)
    #expect(text.split(separator: "<rtept").count - 1 == 3)
    #expect(text.split(separator: "<trkpt").count - 1 == 101)
  }

  @Test("Bounds across the antimeridian are from west to east")
  func boundsAcrossAntimeridianWestEast() {
    let options = ExportOptions(format: .gpx, title: "a ride", hasBounds: true)
    let text = TestTrack.export([[TestTrack.fix(10, 179.9), TestTrack.fix(11, -179.9)]], options)
    #expect(text.contains("<bounds minlat=\"9.9\" minlon=\"179.88\" maxlat=\"11.1\" maxlon=\"-179.88\"/>"))
  }
}
