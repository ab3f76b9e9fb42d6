import LocationCore
import Testing

@testable import RideTools

/// Courses from files.
struct CourseFileTests {
  private static func course(_ text: String) throws -> CourseFile { try withFile(text) { try CourseFile(path: $0) } }

  private static func gpx(_ body: String) -> String { #"<?xml version="1.0"?><gpx version="1.1">\#(body)</gpx>"# }

  private static let points =
    (0...200).map { #"<trkpt lat="\#(48 + Double($0) / 10_000)" lon="11.\#($0 % 2)"><ele>\#(500 + $0)</ele></trkpt>"# }

  @Test func `A track has the named waypoints as cues`() throws {
    let track = #"<trk><trkseg><trkpt lat="48" lon="11"/><trkpt lat="48.01" lon="11"/></trkseg></trk>"#
    let waypoints =
      #"<wpt lat="48.005" lon="11.0001"><name>Inn &amp; view &#x2014; left</name><sym>Food</sym></wpt>"#
      + #"<wpt lat="48.002" lon="11"><name>Turn</name><type>left</type><sym>x</sym></wpt>"#
      + #"<wpt lat="48.5" lon="11"><name>Far</name></wpt><wpt lat="48.003" lon="11"/>"#
    let file = try Self.course(Self.gpx(waypoints + track))
    #expect(file.course.cues.map(\.text) == ["Turn", "Inn & view — left"])
    #expect(file.course.cues.map(\.kind) == ["left", "Food"])
    #expect(file.course.cues.map { Int($0.along) } == [222, 555])
    #expect(file.skippedNotes == 1)
    #expect(Int(file.course.line.length) == 1111)
    #expect(file.course.profile == nil)
  }

  @Test(
    arguments: [
      (
        "<metadata><name>Tour &amp; Inn</name><author><name>Me</name></author></metadata><trk><name>b</name>",
        "Tour & Inn"
      ),
      ("<metadata><author><name>Me</name></author></metadata><trk><name> Ridge </name>", "Ridge"),
      ("<wpt lat='48' lon='11'><name>Inn</name></wpt><trk><desc>d</desc>", nil),
      ("<trk><name>\(String(repeating: "é", count: 40))</name>", String(repeating: "é", count: 32)),
    ] as [(String, String?)])
  func `A course has the name that the file gives it, else that of the file`(body: String, name: String?) throws {
    let points = "<trkseg><trkpt lat='48' lon='11'><name>p</name></trkpt><trkpt lat='48.01' lon='11'/></trkseg></trk>"
    let text = Self.gpx(body + points)
    let (path, given) = try withFile(text) { ($0, try CourseFile(path: $0).course.name) }
    #expect(given == name ?? path.split(separator: "/").last.map { String($0.prefix { $0 != "." }) })
  }

  @Test func `A file in UTF-16 is refused with that word`() throws {
    let units = Array("\u{FEFF}\(Self.gpx(Self.points.joined()))".utf16)
    for shifts in [[0, 8], [8, 0]] {
      let bytes = units.flatMap { unit in shifts.map { UInt8(truncatingIfNeeded: unit >> $0) } }
      let error = #expect(throws: CourseFileError.self) { try withFile(bytes) { try CourseFile(path: $0) } }
      #expect(error?.description.contains("UTF-16; export the route in UTF-8") == true)
    }
  }

  @Test func `The names of a GeoJSON feature and of a TCX course are theirs`() throws {
    let line = #""geometry":{"type":"LineString","coordinates":[[11,48],[11,48.01]]}"#
    let feature = #"{"type":"Feature","properties":{"id":1,"name":"Ridge"},\#(line)}"#
    #expect(try Self.course(feature).course.name == "Ridge")
    let places = ["48", "48.01"].map {
      "<Trackpoint><LatitudeDegrees>\($0)</LatitudeDegrees><LongitudeDegrees>11</LongitudeDegrees></Trackpoint>"
    }
    let course = "<Course><Name>Ridge</Name><Track>\(places.joined())</Track></Course>"
    let tcx = "<TrainingCenterDatabase><Courses>\(course)</Courses></TrainingCenterDatabase>"
    #expect(try Self.course(tcx).course.name == "Ridge")
  }

  @Test func `A route has its named points as cues`() throws {
    let route =
      #"<rte><rtept lat="48" lon="11"/><rtept lat="48.01" lon="11"><name>Right</name></rtept><rtept lat="48.01" lon="11.01"/></rte>"#
    let course = try Self.course(Self.gpx(route)).course
    #expect(course.cues.map(\.text) == ["Right"])
    #expect(course.cues.map { Int($0.along) } == [1111])
  }

  @Test func `Points that the others show are left out, in the plane and in height`() throws {
    func needed(_ height: (Int) -> Double?) throws -> [Int] {
      CourseFile.needed(
        try (0...5000).map { index in
          let place = try #require(Coordinate(latitude: 48 + Double(index) / 100_000, longitude: 11))
          return CoursePoint(place, elevation: height(index))
        })
    }
    // The ends of the windows stay.
    #expect(try needed { _ in nil } == [0, 2048, 4096, 5000])
    let hill = try needed { $0 == 1000 ? 600 : 500 }
    #expect(hill.count > 5 && hill.count < 10)
    #expect(hill.contains(1000))
  }

  @Test func `Places that no rider meant are left out, jumps are said`() throws {
    func points(_ places: [(Double, Double)]) -> String {
      places.map { "<trkpt lat='\($0.0)' lon='\($0.1)'/>" }.joined()
    }
    let line = (0..<100).map { (48 + Double($0) / 1000, 11.0) }
    func file(_ segments: [(Double, Double)]...) throws -> CourseFile {
      try Self.course(Self.gpx("<trk>" + segments.map { "<trkseg>\(points($0))</trkseg>" }.joined() + "</trk>"))
    }
    let right = try file(line)
    #expect(right.doubts(units: .metric).isEmpty && abs(right.course.line.length - 11_010) < 10)
    // At 0/0, and far off between two neighbours.
    let strays = try file(line[..<30] + [(0, 0)] + line[30..<60] + [(49.5, 11)] + line[60...])
    #expect(abs(strays.course.line.length - right.course.line.length) < 1)
    #expect(strays.plausibility.zeros == 1 && strays.plausibility.strays == 1)
    #expect(strays.doubts(units: .metric).count == 2)
    // Near 0/0 it is a place as any other.
    let near = try file((-10...10).map { (Double($0) / 1000, 0) })
    #expect(near.plausibility.zeros == 0 && near.plausibility.vertices.count == 21)
    // Pieces that do not join, and a leg without a way.
    let pieces = try file(Array(line[..<30]), Array(line[60...]), Array(line[30..<60]))
    #expect(pieces.plausibility.jumps.count == 2 && Int(pieces.plausibility.jumps.longest / 1000) == 7)
    #expect(
      pieces.doubts(units: .metric).first?.contains("the line jumps in 2 places, the widest over 7.67 km") == true)
    let joined = try file(Array(line[...30]), Array(line[31...]))
    #expect(joined.plausibility.jumps.count == 0)
    let leg = try file(line[..<50] + line[50...].map { ($0.0 + 0.5, $0.1) })
    #expect(leg.plausibility.jumps.count == 1 && leg.plausibility.strays == 0)
    // Out and back, with few points.
    let coarse = try file([(48, 11), (48.5, 11), (48, 11)])
    #expect(coarse.doubts(units: .metric).isEmpty && Int(coarse.course.line.length / 1000) == 111)
  }

  @Test func `A long careless file is thinned and read quickly`() throws {
    let track = "<trk><trkseg>" + Self.points.joined() + "</trkseg></trk>"
    let course = try Self.course(Self.gpx(track)).course
    #expect(course.line.length > 200 * 7000)
    #expect(course.profile != nil)
  }

  static let bad: [(String, String)] = [
    (gpx(#"<trk><trkseg><trkpt lat="48" lon="11"/></trkseg></trk>"#), "at least two points"),
    (gpx(String(repeating: #"<rtept lat="48" lon="11"/>"#, count: 10_000)), "two different points"),
    (gpx(String(repeating: #"<rtept lat="0" lon="0"/>"#, count: 2)), "two different points"),
    (gpx(""), "at least two points"), (gpx(#"<trkpt lat="148" lon="11"/>"#), "invalid coordinates"),
    (
      #"<!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><gpx><rte><rtept lat="&b;" lon="1"/></rte></gpx>"#,
      "invalid coordinates"
    ),
    ("FIT", "neither GPX, TCX, FIT nor GeoJSON"),
    (#"{"type":"LineString","coordinates":[[11,48],[11,48]]}"#, "two different points"),
  ]

  @Test(arguments: bad)
  func `An unusable file is refused with its reason`(text: String, reason: String) throws {
    let error = #expect(throws: CourseFileError.self) { try Self.course(text) }
    #expect("\(try #require(error))".contains(reason))
  }

  @Test func `A course over the antimeridian, to a pole, with legs of 500 km and bad heights is read`() throws {
    let line =
      #"{"type":"LineString","coordinates":[[179.9,10,-32768],[-179.9,10,100],[-175.5,10,200],[0,90],[0,85]]}"#
    let course = try Self.course(line).course
    #expect(abs(course.line.length - 9_945_000) < 100_000)
    #expect(course.profile != nil)
  }
}
