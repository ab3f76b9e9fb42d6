import LocationCore
import Testing

@testable import RideTools

/// Courses as planners write them, and files that are no courses.
struct CourseDialectTests {
  private static func course(_ text: String) throws -> CourseFile { try withFile(text) { try CourseFile(path: $0) } }

  private static func cues(_ file: CourseFile) -> [String] {
    file.course.cues.map { "\(Int($0.along)) \($0.kind ?? "-") \($0.text)" }
  }

  private static func track(_ points: [(Double, Double)]) -> String {
    points.map { #"<trkpt lat="\#($0.0)" lon="\#($0.1)"><ele>500</ele></trkpt>"# }.joined()
  }

  @Test func `RideWithGPS describes turns whose names are their kinds`() throws {
    let file = try Self.course(
      #"<?xml version="1.0" encoding="UTF-8"?><gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="http://ridewithgps.com/">"#
        + "<metadata><name>Loop</name><link href=\"https://ridewithgps.com/routes/1\"><text>Loop</text></link></metadata>"
        + "<rte><name>Loop</name><rtept lat='48' lon='11'><name>Start</name><cmt>Start of route</cmt></rtept>"
        + "<rtept lat='48.01' lon='11'><name>Right</name><cmt>Turn right onto Main St</cmt><desc>Turn right onto Main St</desc>"
        + "<type>Right</type></rtept><rtept lat='48.01' lon='11.01'/></rte></gpx>")
    #expect(Self.cues(file) == ["0 - Start", "1111 Right Turn right onto Main St"])
  }

  @Test func `Segments of a track and further tracks are one line, as Komoot and Garmin Connect write days and laps`()
    throws
  {
    let body =
      "<trk><name>Tag 1</name><type>cycling</type><trkseg>" + Self.track([(48, 11), (48.01, 11)]) + "</trkseg><trkseg>"
      + Self.track([(48.02, 11), (48.03, 11)]) + "</trkseg></trk><trk><name>Tag 2</name><trkseg>"
      + Self.track([(48.03, 11), (48.03, 11.01)]) + "</trkseg></trk>"
    let file = try Self.course(
      #"<gpx version="1.1" creator="https://www.komoot.de"><metadata><name>T</name><author><link href="x"/></author></metadata>\#(body)</gpx>"#
    )
    #expect(file.points.count == 3)
    #expect(abs(file.course.line.length - 3335.8 - 745.9) < 1)
    #expect(file.course.cues.isEmpty && file.course.profile != nil)
  }

  @Test func `BRouter's hints for OsmAnd are cues of the track beside them`() throws {
    let hint = "<extensions><time>12</time><turn>TR</turn><turn-angle>87</turn-angle><offset>1</offset></extensions>"
    let file = try Self.course(
      "<!-- track-length = 1858 --><gpx creator='BRouter-1.7' version='1.1'><rte><rtept lat='48' lon='11'><desc>start</desc>"
        + "<extensions><offset>0</offset></extensions></rtept><rtept lat='48.01' lon='11'><desc>right</desc>\(hint)</rtept>"
        + "<rtept lat='48.01' lon='11.01'><desc>destination</desc></rtept></rte><trk><name>b</name><trkseg>"
        + "<trkpt lon='11' lat='48'/><trkpt lon='11' lat='48.01'><ele>-8192</ele></trkpt><trkpt lon='11.01' lat='48.01'/>"
        + "</trkseg></trk></gpx>")
    #expect(Self.cues(file) == ["0 - start", "1111 - right", "1858 - destination"])
    #expect(file.course.profile == nil)
  }

  @Test func `OsmAnd's waypoints keep the names that extensions repeat`() throws {
    let file = try Self.course(
      "<gpx version='1.1' creator='OsmAnd Maps 4.7'><trk><trkseg>" + Self.track([(48, 11), (48.01, 11)])
        + "<extensions><route><segment id='1' length='2' turnType='TL'/></route></extensions></trkseg></trk>"
        + "<wpt lat='48.005' lon='11'><name>Brunnen</name><type>Water</type><extensions><osmand:icon>water</osmand:icon>"
        + "<osmand:address><name>Dorf</name></osmand:address></extensions></wpt></gpx>")
    #expect(Self.cues(file) == ["555 Water Brunnen"])
  }

  @Test func `BaseCamp's points between those of a route are part of its line`() throws {
    let between =
      "<extensions><gpxx:RoutePointExtension><gpxx:Subclass>0000</gpxx:Subclass><gpxx:rpt lat='48.01' lon='11'/>"
      + "<gpxx:rpt lat='48.01' lon='11.01'><gpxx:Subclass>0000</gpxx:Subclass></gpxx:rpt></gpxx:RoutePointExtension></extensions>"
    let file = try Self.course(
      "<gpx creator='Garmin Desktop App'><rte><rtept lat='48' lon='11'><name>A</name><sym>Flag, Blue</sym>\(between)</rtept>"
        + "<rtept lat='48' lon='11.01'><name>B</name></rtept></rte></gpx>")
    #expect(file.points.count == 4)
    #expect(Self.cues(file) == ["0 Flag, Blue A", "2969 - B"])
  }

  @Test func `Character data may be CDATA`() throws {
    let file = try Self.course(
      "<gpx creator='plotaroute.com'><trk><name><![CDATA[a > b]]></name><trkseg>" + Self.track([(48, 11), (48.01, 11)])
        + "</trkseg></trk><wpt lat='48' lon='11'><name><![CDATA[Pub <3]]></name><sym></sym></wpt></gpx>")
    #expect(Self.cues(file) == ["0 - Pub <3"])
  }

  private static func tcx(_ body: String) -> String {
    "<?xml version='1.0'?><TrainingCenterDatabase xmlns='http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2'>"
      + "<Folders/><Courses><Course><Name>T</Name><Lap><BeginPosition><LatitudeDegrees>1</LatitudeDegrees></BeginPosition></Lap>"
      + "\(body)</Course></Courses></TrainingCenterDatabase>"
  }

  private static func position(_ latitude: String, _ longitude: String) -> String {
    "<Position><LatitudeDegrees>\(latitude)</LatitudeDegrees><LongitudeDegrees> \(longitude)\n</LongitudeDegrees></Position>"
  }

  @Test func `A course of TCX has its course points with their notes as cues`() throws {
    let points = [("48", "11"), ("48.01", "11"), ("48.01", "11.01")].map { latitude, longitude in
      "<Trackpoint><Time>2026-01-01T00:00:00Z</Time>\(Self.position(latitude, longitude))<AltitudeMeters>512.5</AltitudeMeters>"
        + "<DistanceMeters>1</DistanceMeters></Trackpoint>"
    }
    let cues =
      "<CoursePoint><Name>Right</Name><Time>2026-01-01T00:00:00Z</Time>\(Self.position("48.01", "11"))<PointType>Right</PointType>"
      + "<Notes>Right onto A &amp; B St</Notes></CoursePoint><CoursePoint><Name>Summit</Name>\(Self.position("48.01", "11.005"))"
      + "<PointType>Summit</PointType></CoursePoint>"
    let pause = "<Trackpoint><Time>2026-01-01T00:00:00Z</Time></Trackpoint>"
    let file = try Self.course(Self.tcx("<Track>\(points.joined())\(pause)</Track>\(cues)"))
    #expect(file.points.count == 3 && file.points[0].elevation == 512.5)
    #expect(Self.cues(file) == ["1111 Right Right onto A & B St", "1484 Summit Summit"])
  }

  @Test func `The zigzag of a planner stays as it is drawn`() throws {
    let points = (0...100).map { step -> (Double, Double) in
      let east = step % 2 == 0 ? 11.0 : 11.000_27
      return (48 + Double(step) * 1.8e-4, east)
    }
    let file = try Self.course("<gpx><trk><trkseg>\(Self.track(points))</trkseg></trk></gpx>")
    #expect(file.points.count == 101)
    #expect(file.course.line.length > 2800 && file.course.line.length < 2860)
  }

  @Test func `Two points make a course, and so does a point that is repeated 10,000 times before another`() throws {
    let pair = try Self.course("<gpx>" + Self.track([(48, 11), (48.001, 11)]) + "</gpx>")
    #expect(pair.points.count == 2 && Int(pair.course.line.length) == 111)
    let start = Array(repeating: (48.0, 11.0), count: 10_000)
    let late = try Self.course("<gpx>" + Self.track(start + [(48.001, 11)] + start) + "</gpx>")
    #expect(abs(late.course.line.length - 222.4) < 0.1)
  }

  @Test func `Jumps of 500 km, the antimeridian and a pole are legs like others`() throws {
    let jumps = try Self.course("<gpx>" + Self.track([(48, 11), (52.5, 11), (48, 11)]) + "</gpx>")
    #expect(abs(jumps.course.line.length - 2 * 500_500) < 1000)
    let date = try Self.course("<gpx>" + Self.track([(10, 179.99), (10, -179.99)]) + "</gpx>")
    #expect(abs(date.course.line.length - 2193) < 2)
    let pole = try Self.course("<gpx>" + Self.track([(89.99, 0), (90, 0), (89.99, 180)]) + "</gpx>")
    #expect(abs(pole.course.line.length - 2234) < 2)
  }

  @Test func `Elevations that are none leave a course without or with those of its other points`() throws {
    func course(_ heights: [String]) throws -> CourseFile {
      let points = heights.enumerated().map { #"<trkpt lat="48.\#($0)" lon="11"><ele>\#($1)</ele></trkpt>"# }
      return try Self.course("<gpx>" + points.joined() + "</gpx>")
    }
    #expect(try course(["-32768", "-32768"]).course.profile == nil)
    #expect(try course(["", "NaN", "1e300", "high"]).course.profile == nil)
    let one = try course(["-32768", "250", "-32768"])
    #expect(one.points.map(\.elevation) == [nil, 250, nil])
    #expect(one.course.profile?.elevation(at: 0, of: one.course.line) == 250)
  }

  private static let laughs = (1..<20).map { number in
    let text = String(repeating: "&a\(number - 1);", count: 10)
    return "<!ENTITY a\(number) '\(text)'>"
  }.joined()

  /// The billion laughs, and a file of the machine.
  static let bombs = ["<!ENTITY a0 'lol'>\(laughs)", "<!ENTITY a19 SYSTEM 'file:///etc/passwd'>"]

  @Test(arguments: bombs)
  func `Entities of a document are never expanded`(entities: String) throws {
    let line = Self.track([(48, 11), (48.01, 11)])
    let file = try Self.course(
      "<!DOCTYPE gpx [\(entities)]><gpx><wpt lat='48' lon='11'><name>&a19;</name></wpt>\(line)</gpx>")
    #expect(file.course.cues.count == 1 && file.course.cues[0].text.utf8.count < 6)
  }

  @Test func `Elements nested a hundred thousand deep are read in their time`() throws {
    let (open, close) = (String(repeating: "<a>", count: 100_000), String(repeating: "</a>", count: 100_000))
    #expect(try Self.course("<gpx>\(open)\(close)" + Self.track([(48, 11), (48.01, 11)]) + "</gpx>").points.count == 2)
  }

  static let bad: [(String, String)] = [
    ("<gpx><trk><trkseg>" + track([(48, 11), (48.01, 11)]), "its end is missing"),
    ("<gpx>" + track([(48, 11), (48.01, 11)]) + "<trkpt lat='48' lon='11'><ele>5", "damaged"),
    (#"{"type":"LineString","coordinates":[[11,48],[11.1,48.1],[11"#, "not valid JSON"),
    (tcx(""), "at least two points"),
    (
      tcx("<Trackpoint>\(position("48", "11"))</Trackpoint><Trackpoint>\(position("91", "11"))</Trackpoint>"), "invalid"
    ),
    (tcx("<Trackpoint>\(position("48", "x"))</Trackpoint>"), "invalid coordinates"),
    ("<TrainingCenterDatabase><Trackpoint>\(position("48", "11"))</Trackpoint>", "its end is missing"),
    ("<TrainingCenterDatabase><Trackpoint><Position><LatitudeDegrees>4", "damaged"),
    ("<gpx><trk><trkseg>" + track([(-95, 11), (48, 11)]) + "</trkseg></trk></gpx>", "invalid coordinates"),
    ("<html><body>Log in</body></html>", "neither GPX, TCX, FIT nor GeoJSON"),
  ]

  @Test(arguments: bad)
  func `A damaged or foreign file is refused with its reason`(text: String, reason: String) throws {
    let error = #expect(throws: CourseFileError.self) { try Self.course(text) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }
}
