import LocationCore
import Testing

@testable import RideTools

/// Plots of a course that climbs 300 m in its second third, 40 m in the middle of its last, and of a course under a ride.
struct CoursePlotTests {
  private static func course(_ heights: [(Double, Double?)]) throws -> Course {
    let points = try heights.map { metres, height in
      CoursePoint(try #require(Coordinate(latitude: 0, longitude: metres / 111_319.490793)), elevation: height)
    }
    return try Course(name: "hills", points: points)
  }

  private static func hills() throws -> Course {
    try course([(0, 100), (3000, 100), (6000, 400), (8000, 300), (8800, 340), (9000, 300)])
  }

  @Test func `Climbs are those of the course's reports`() throws {
    let plot = try #require(CoursePlot(try Self.hills(), columns: 90))
    #expect(plot.climbs.count == 2)
    #expect(abs(plot.climbs[0].begin - 3000) < 60 && abs(plot.climbs[0].end - 6000) < 60)
    #expect(abs(plot.climbs[0].grade - 0.1) < 0.01 && plot.climbs[0].isSteep && !plot.climbs[1].isSteep)
    #expect(plot.heights.count == 90 && plot.range.lowerBound == 100 && plot.range.upperBound > 380)
    #expect(plot.caption.hasPrefix("9.00 km · 100–39") && plot.caption.contains(" m · ↑ 33"))
    #expect(plot.caption.hasSuffix(" m · 2 climbs"))
    #expect(plot.texts(plot.climbs[0]).first == "km 3.0" && plot.texts(plot.climbs[0]).last?.hasSuffix(" %") == true)
  }

  @Test func `Its words and axes are in the units of the reader`() throws {
    let feet = try #require(CoursePlot(try Self.hills(), columns: CoursePicture.columns, units: .imperial))
    #expect(feet.caption.hasPrefix("5.59 mi · 328–13") && feet.caption.contains(" ft · ↑ 1"))
    #expect(feet.texts(feet.climbs[0]).prefix(2) == ["mi 1.9", "1.9 mi"])
    #expect(feet.texts(feet.climbs[0])[2].hasPrefix("↑ 9"))
    let text = String(decoding: CoursePicture.svg(feet, title: ""), as: UTF8.self)
    for words in [">Elevation, ft<", ">1 mi<", ">1000<"] { #expect(text.contains(words), "\(words)") }
    #expect(!text.contains(" km<") && !text.contains(" m<"))
    let si = try #require(CoursePlot(try Self.hills(), columns: 9, units: .si))
    #expect(si.texts(si.climbs[0])[0].hasPrefix("m 30") || si.texts(si.climbs[0])[0].hasPrefix("m 29"))
    let short = try #require(CoursePlot(try Self.course([(0, 100), (300, 110)]), columns: 9, units: .imperial))
    #expect(String(decoding: CoursePicture.svg(short, title: ""), as: UTF8.self).contains(">200 ft<"))
  }

  @Test func `A course without elevations has no plot`() throws {
    #expect(CoursePlot(try Self.course([(0, nil), (1000, nil)]), columns: 10) == nil)
    #expect(CoursePlot(try Self.hills(), columns: 0) == nil)
  }

  @Test func `The profile is filled up to its heights, with the numbers of the climbs below`() throws {
    let plot = try #require(CoursePlot(try Self.course([(0, 100), (500, 100), (1000, 180)]), columns: 10))
    let profile = CharacterProfile(plot, rows: 2)
    let lines = profile.rows.map { String($0.map(\.character)) }
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("       ") && lines[0].hasSuffix("█"))
    #expect(lines[1].hasPrefix("▁▁▁▁") && lines[1].hasSuffix("██"))
    #expect(["     1────", "    1─────"].contains(lines[2]))
    #expect(profile.rows[1][9].kind == .steepClimb && profile.rows[1][0].kind == .plain)
    let ascii = CharacterProfile(plot, rows: 2, isASCII: true).rows.map { String($0.map(\.character)) }
    #expect(ascii.allSatisfy { $0.utf8.count == 10 } && ascii[1].hasPrefix("....") && ascii[1].hasSuffix("##"))
  }

  @Test func `Its cues are marked and listed`() throws {
    var course = try Self.hills()
    let place = try #require(Coordinate(latitude: 0, longitude: 3000 / 111_319.490793))
    try course.add(CueChange("Left & up", at: .near(place)))
    let plot = try #require(CoursePlot(course, columns: 90))
    #expect(plot.cues.map { plot.text($0) } == ["km 3.0"])
    let marks = try #require(CharacterProfile(plot, rows: 2, isASCII: true).rows.last).map(\.character)
    #expect(marks.firstIndex(of: "^") == 30 || marks.firstIndex(of: "^") == 29)
    let text = String(decoding: CoursePicture.svg(plot, title: ""), as: UTF8.self)
    #expect(text.contains(">Left &amp; up<") && text.contains(">From<") && text.contains(">Grade<"))
  }

  @Test func `The picture has every climb in the chart and in the list`() throws {
    let plot = try #require(CoursePlot(try Self.hills(), columns: CoursePicture.columns))
    let text = String(decoding: CoursePicture.svg(plot, title: "<hills>"), as: UTF8.self)
    #expect(
      text.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 ") && text.hasSuffix("</svg>\n"))
    #expect(text.contains("<title>&lt;hills&gt;</title>") && !text.contains("nan") && !text.contains("inf"))
    for words in [">1<", ">2<", ">2 km<", ">Elevation, m<", ">km 3.0<", "class=\"climb\"", "class=\"hill\""] {
      #expect(text.contains(words), "\(words)")
    }
    #expect(text.count < 20_000)
  }

  @Test func `A course is drawn under the ride, and in the map of characters`() throws {
    let line = try [(0, 10.0), (0, 10.02), (0.01, 10.02)].map {
      try #require(Coordinate(latitude: $0.0, longitude: $0.1))
    }
    var plot = RidePlot(course: line)
    for (index, fix) in TestTrack.eastwards(100).enumerated() { plot.add(TestTrack.moment(fix, begins: index == 0)) }
    plot.finish()
    let region = try #require(plot.bounds.region)
    #expect(region.width > 0.0199 && region.north > 0.0099)
    let text = String(decoding: try #require(RidePicture.svg(plot, title: "", subtitles: [])), as: UTF8.self)
    let course = try #require(text.range("class=\"course\""))
    let way = try #require(text.range("class=\"way\""))
    #expect(course < way && text.contains(">course<"))
    let map = try #require(CharacterMap(plot, columns: 40, rows: 20, isASCII: true))
    let kinds = map.rows.joined().map(\.kind)
    #expect(kinds.contains(.course) && kinds.contains(.track) && map.rows.joined().contains { $0.character == ":" })
    let dots = try #require(CharacterMap(plot, columns: 40, rows: 20)).rows.joined().filter { $0.kind == .course }
    #expect(dots.count > 20)
  }
}

extension String {
  /// Where a text begins.
  fileprivate func range(_ text: String) -> Int? {
    let (bytes, pattern) = (Array(utf8), Array(text.utf8))
    return bytes.indices.first { bytes[$0...].starts(with: pattern) }
  }
}
