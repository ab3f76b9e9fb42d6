import LocationCore
import Testing

@testable import RideTools

struct GPXWriterTests {
  private static let options = ExportOptions(format: .gpx, title: "a ride")

  @Test func `A point has its known values in the schema's order`() {
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

  @Test func `What sensors measured is in Garmin's extension, and power beside it`() {
    var fix = TestTrack.trackFix(TestTrack.fix(1, 2), begins: true)
    (fix.sensed.rider.heartRate, fix.sensed.rider.cadence) = (142, 83)
    (fix.sensed.rider.power, fix.sensed.rider.temperature) = (204, 21.55)
    fix.fix.speed = 5
    #expect(
      TestTrack.export(moments: [.fix(fix)], Self.options).contains(
        """
        <extensions><power>204</power><gpxtpx:TrackPointExtension><gpxtpx:atemp>21.6</gpxtpx:atemp>\
        <gpxtpx:hr>142</gpxtpx:hr><gpxtpx:cad>83</gpxtpx:cad><gpxtpx:speed>5</gpxtpx:speed>\
        </gpxtpx:TrackPointExtension></extensions></trkpt>
        """))
  }

  @Test func `Unknown values are left out`() {
    var fix = TestTrack.fix(1, 2)
    fix.measured = nil
    fix.mode = .twoD
    #expect(TestTrack.export([[fix]], Self.options).contains("<trkpt lat=\"1\" lon=\"2\"><fix>2d</fix></trkpt>"))
  }

  @Test func `A value that the schema does not allow is left out`() {
    var fix = TestTrack.fix(1, 2)
    fix.dgpsStation = 4000
    fix.hdop = .nan
    fix.altitudeMSL = .infinity
    fix.magneticVariation = 359.999
    let text = TestTrack.export([[fix]], Self.options)
    #expect(text.contains("Z</time><magvar>0</magvar><fix>3d</fix></trkpt>"))
  }

  @Test func `Longitudes are below 180`() {
    for longitude in [180, 179.999_999_999_9, -180] {
      #expect(TestTrack.export([[TestTrack.fix(0, longitude)]], Self.options).contains("lon=\"-180\""))
    }
    #expect(TestTrack.export([[TestTrack.fix(0, 179.999_999)]], Self.options).contains("lon=\"179.999999\""))
  }

  @Test(
    arguments: [
      (.dgps, "dgps"), (.rtkFixed, "dgps"), (.rtkFloat, "dgps"), (.pps, "pps"), (.normal, "3d"), (.simulated, "3d"),
    ] as [(FixStatus, String)]
  )
  func `The type of fix is one of the schema's`(status: FixStatus, kind: String) {
    var fix = TestTrack.fix(0, 0)
    fix.status = status
    #expect(TestTrack.export([[fix]], Self.options).contains("<fix>\(kind)</fix>"))
  }

  @Test func `A loss makes a new segment`() {
    let text = TestTrack.export([TestTrack.eastwards(2), TestTrack.eastwards(3), TestTrack.eastwards(1)], Self.options)
    let counts = text.split(separator: "<trkseg>").dropFirst().map { $0.split(separator: "<trkpt").count - 1 }
    #expect(counts == [2, 3, 1])
    #expect(text.split(separator: "</trkseg>").count == 4)
    #expect(text.hasSuffix("</trkseg>\n</trk>\n</gpx>\n"))
  }

  @Test func `A ride without a fix is a track without a segment`() {
    let text = TestTrack.export([], Self.options)
    #expect(text.contains("<trk><name>a ride</name>\n</trk>\n</gpx>"))
    #expect(!text.contains("trkseg"))
  }

  @Test func `A name cannot break the file`() {
    let text = TestTrack.export([], ExportOptions(format: .gpx, title: "a<b>&\"\u{1B}\u{0}\n\u{FFFF}ü"))
    #expect(text.contains("<name>a&lt;b&gt;&amp;&quot;?? ?ü</name>"))
  }

  @Test func `Bounds and route precede the track`() throws {
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

  @Test func `Bounds across the antimeridian are from west to east`() {
    let options = ExportOptions(format: .gpx, title: "a ride", hasBounds: true)
    let text = TestTrack.export([[TestTrack.fix(10, 179.9), TestTrack.fix(11, -179.9)]], options)
    #expect(text.contains("<bounds minlat=\"9.9\" minlon=\"179.88\" maxlat=\"11.1\" maxlon=\"-179.88\"/>"))
  }
}
