import Recordings
@testable import LocationCore
import Testing

@testable import RideTools

struct RidePictureTests {
  private static func plot(_ fixes: [Fix]) -> RidePlot {
    var plot = RidePlot()
    for (index, fix) in fixes.enumerated() { plot.add(TestTrack.moment(fix, begins: index == 0)) }
    plot.finish()
    return plot
  }

  private static func svg(_ plot: RidePlot, title: String = "a ride") throws -> String {
    let picture = RidePicture.svg(plot, title: title, subtitles: RideCaption.lines(plot))
    return String(decoding: try #require(picture), as: UTF8.self)
  }

  @Test func `An empty plot has no picture`() {
    #expect(RidePicture.svg(RidePlot(), title: "", subtitles: []) == nil)
  }

  @Test(arguments: [0.0, 85, -89.999, 90])
  func `One fix gives a picture, anywhere`(latitude: Double) throws {
    let text = try Self.svg(Self.plot([TestTrack.fix(latitude, 180)]))
    #expect(text.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 "))
    #expect(text.hasSuffix("</svg>\n"))
    #expect(!text.contains("nan") && !text.contains("inf"))
    for value in ["speed", "altitude", "accuracy"] { #expect(text.contains("no \(value) recorded")) }
  }

  @Test func `The picture loads nothing`() throws {
    let text = try Self.svg(Self.plot(TestTrack.eastwards(50)))
    for word in ["href", "url(", "@import", "<script", "<image"] { #expect(!text.contains(word)) }
  }

  @Test func `A name cannot break the picture`() throws {
    let text = try Self.svg(Self.plot(TestTrack.eastwards(2)), title: "</title><script>")
    #expect(text.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"))
    #expect(!text.contains("<script>"))
  }

  @Test func `The way of poses is drawn if it is wanted`() throws {
    var way = TestTrack.eastwards(50)
    for index in way.indices {
      way[index].speed = 10
      way[index].course = 90
    }
    var plot = RidePlot(withPoses: true)
    for (index, fix) in way.enumerated() { plot.add(TestTrack.moment(fix, begins: index == 0)) }
    plot.finish()
    let path = try #require(plot.predicted?.path.points)
    let (first, last) = (try #require(path.first), try #require(path.last))
    // From the fix's arrival, 0.1 s after its epoch, to 3 s after the last one.
    #expect(abs(way[0].position.chord(to: first) - 2) < 1.01 && abs(way[49].position.chord(to: last) - 30) < 0.01)
    #expect(path.count > 480)
    #expect(try Self.svg(plot).contains(">poses between them<"))
    #expect(try !Self.svg(Self.plot(way)).contains(">poses between them<"))
  }

  @Test func `The legend contains only what the picture shows`() throws {
    var way = TestTrack.eastwards(50)
    for index in way.indices { way[index].speed = 10 }
    var plot = Self.plot(way)
    var text = try Self.svg(plot)
    #expect(text.contains(">50 recorded positions<") && text.contains(" every 10 m<"))
    #expect(!text.contains(" loss") && !text.contains(" stop") && !text.contains("map stopped following"))
    plot.add(.lost(at: .milliseconds(52_000)))
    plot.add(FollowState(view: "main", following: false, reason: .drift), at: .milliseconds(52_000))
    plot.finish()
    text = try Self.svg(plot)
    #expect(text.contains(">1 signal loss, 0 s<") && text.contains(">map stopped following<"))
  }

  /// The texts of a picture that are not within the map, with the room that the widest of the fonts takes.
  private static func texts(_ svg: String) -> [(text: String, left: Double, right: Double, y: Double)] {
    var isInMap = false
    return svg.split(separator: "\n").compactMap { line in
      if line.hasPrefix("<svg x=") { isInMap = true }
      if line.hasPrefix("</svg") { isInMap = false }
      guard !isInMap, line.hasPrefix("<text"), let begin = line.firstIndex(of: ">"), let end = line.lastIndex(of: "<")
      else { return nil }
      func value(_ name: String) -> Double {
        line.firstRange(of: " \(name)=\"").flatMap { Double(line[$0.upperBound...].prefix { $0 != "\"" }) } ?? -1
      }
      let text = String(line[line.index(after: begin)..<end])
      let width = Double(text.count) * (line.contains("title") ? 9 : line.contains("small") ? 6.8 : 7.4)
      let x = value("x")
      let left = line.contains("\"end\"") ? x - width : line.contains("\"middle\"") ? x - width / 2 : x
      return (text, left, left + width, value("y"))
    }
  }

  @Test(arguments: Units.allCases)
  func `No text is cut off or covers another one, however large its numbers`(units: Units) throws {
    var plot = RidePlot()
    var way = TestTrack.eastwards(20_000, step: 22)
    for index in way.indices {
      way[index].speed = (index / 100) % 9 == 8 ? 0 : 22.34
      way[index].altitudeMSL = 1000 + Double(index % 4000)
      way[index].horizontalAccuracy = 98.7
      let begins = index % 40 == 0
      if begins { plot.add(.lost(at: way[index].received)) }
      plot.add(TestTrack.moment(way[index], begins: begins))
    }
    plot.finish()
    let subtitles = RideCaption.lines(plot, units: units)
    let picture = RidePicture.svg(plot, title: "20260319T123519Z", subtitles: subtitles, units: units)
    let texts = Self.texts(String(decoding: try #require(picture), as: UTF8.self))
    #expect(
      texts.contains { $0.text == "20000 recorded positions" } && texts.contains { $0.text.contains("signal losses") })
    for text in texts { #expect(text.left >= 0 && text.right <= RidePicture.width, "\(text)") }
    for (index, one) in texts.enumerated() {
      for other in texts[(index + 1)...] where abs(one.y - other.y) < 9 {
        #expect(one.right < other.left || other.right < one.left, "\(one) \(other)")
      }
    }
  }

  @Test func `A panel without values is a line of text`() throws {
    var way = TestTrack.eastwards(50)
    for index in way.indices { way[index].altitudeMSL = 500 }
    let (bare, full) = (try Self.svg(Self.plot(TestTrack.eastwards(50))), try Self.svg(Self.plot(way)))
    func height(_ svg: String) -> Double {
      let box = svg.firstRange(of: "viewBox=\"0 0 400 ").map { svg[$0.upperBound...].prefix { $0 != "\"" } }
      return box.flatMap { Double($0) } ?? 0
    }
    #expect(height(full) - height(bare) == 104)
    #expect(bare.contains(">no altitude recorded<") && !full.contains(">no altitude recorded<"))
  }

  private static func sensed(
    _ fix: Fix, heartRate: Int? = nil, cadence: Int? = nil, power: Int? = nil, altitude: Float? = nil,
    begins: Bool = false
  ) -> RideMoment {
    var track = TestTrack.trackFix(fix, begins: begins)
    (track.sensed.rider.heartRate, track.sensed.rider.cadence, track.sensed.rider.power) = (heartRate, cadence, power)
    track.sensed.fused.altitude = altitude
    return .fix(track)
  }

  @Test func `No line leads over a sensor's silence, nor over a loss after which a value is missing`() {
    var plot = RidePlot()
    for (index, var fix) in TestTrack.eastwards(100).enumerated() {
      fix.altitudeMSL = 50..<55 ~= index ? nil : 600
      plot.add(Self.sensed(fix, heartRate: 20..<40 ~= index ? nil : 120, begins: index == 50))
    }
    plot.finish()
    #expect(plot.sensors.map(\.series.runs.count) == [3, 0, 0] && plot.altitude.runs.count == 2)
  }

  @Test func `What sensors measured has a chart each, and their altitude is that of the chart`() throws {
    var plot = RidePlot()
    for (index, fix) in TestTrack.eastwards(100).enumerated() {
      plot.add(Self.sensed(fix, heartRate: 100 + index, power: 10 * index, altitude: 600, begins: index == 0))
    }
    plot.finish()
    #expect(plot.sensors.map(\.series.range) == [100...199, nil, 0...990] && plot.altitude.range == 600...600)
    let svg = try Self.svg(plot)
    #expect(svg.contains(">Heart rate, 1/min<") && svg.contains(">Power, W<") && !svg.contains("Cadence"))
    #expect(!(try Self.svg(Self.plot(TestTrack.eastwards(100)))).contains("Heart rate"))
  }

  @Test(arguments: [(600, true), (1800, false)])
  func `A loss is drawn as a chord, a stop between two rides is not`(pause: Int, isDrawn: Bool) throws {
    var plot = RidePlot()
    for (index, fix) in TestTrack.eastwards(20).enumerated() { plot.add(TestTrack.moment(fix, begins: index == 0)) }
    plot.add(.interrupted(at: .milliseconds(19_500)))
    for (index, fix) in TestTrack.eastwards(20, from: 10.1).enumerated() {
      var later = fix
      later.measured = fix.measured.map { $0 + .seconds(pause) }
      later.received = fix.received + .seconds(pause)
      plot.add(TestTrack.moment(later, begins: index == 0))
    }
    plot.finish()
    #expect(try Self.svg(plot).contains("class=\"loss\" d=\"\"") != isDrawn)
  }

  @Test func `Speeds, lengths and heights are in the units that are wanted`() throws {
    var way = TestTrack.eastwards(400)
    for index in way.indices {
      way[index].speed = 10
      way[index].altitudeMSL = 500
    }
    let plot = Self.plot(way)
    let lines = RideCaption.lines(plot, units: .imperial)
    #expect(lines[1].hasPrefix("2.48 mi · ") && lines[2] == "average 22.4 mph · max. 22.4 mph")
    #expect(RideCaption.lines(plot)[1].hasPrefix("3.99 km · ") && RideCaption.distance(12_000) == "12.00 km")
    let picture = RidePicture.svg(plot, title: "", subtitles: lines, units: .imperial)
    let svg = String(decoding: try #require(picture), as: UTF8.self)
    for text in ["Speed, mph", "Altitude, ft", " every 33 ft", "0.5 mi"] {
      #expect(svg.contains("\(text)<"), "\(text)")
    }
  }

  @Test func `The picture of ten hours stays within the size limit`() throws {
    var plot = RidePlot()
    var random = SeededRandom(seed: 3, stream: 0)
    func below(_ bound: UInt64) -> Int { Int(random.next() % bound) }
    var (latitude, longitude) = (48.0, 11.0)
    for second in 0..<36_000 {
      latitude += Double(below(2001) - 1000) * 3e-7
      longitude += Double(below(2001) - 900) * 4e-7
      var fix = TestTrack.fix(latitude, longitude, seconds: Double(second))
      fix.speed = Double(below(300)) / 10
      fix.horizontalAccuracy = Double(below(100)) / 10
      let begins = below(100) == 0
      if begins { plot.add(.lost(at: fix.received)) }
      plot.add(Self.sensed(fix, heartRate: below(180), cadence: below(120), power: below(900), begins: begins))
      if below(100) == 0 {
        plot.add(
          FollowState(view: "main", following: second % 2 == 0, reason: .requested), at: fix.received)
      }
    }
    plot.finish()
    let picture = RidePicture.svg(plot, title: "long", subtitles: RideCaption.lines(plot))
    let bytes = try #require(picture)
    #expect(bytes.count < RidePicture.maximumSize)
    #expect(bytes.count > 50_000)
  }

  @Test func `A ride across the antimeridian is drawn in one piece`() throws {
    let way = (0..<100).map { number -> Fix in
      let longitude = 179.995 + Double(number) * 1e-4
      return TestTrack.fix(0, longitude > 180 ? longitude - 360 : longitude, seconds: Double(number))
    }
    let plot = Self.plot(way)
    let region = try #require(plot.bounds.region)
    #expect(region.width < 0.011)
    let projection = PlotProjection(region, width: 376, height: 200, insets: (22, 22, 22, 22))
    let points = way.map { projection.point($0.position) }
    #expect(zip(points, points.dropFirst()).allSatisfy { $0.x < $1.x && $1.x - $0.x < 5 })
    #expect(abs(points[0].x - 22) < 0.1 && abs(points[99].x - 354) < 0.1)
  }

  @Test func `The scale is the same to the north and to the east`() throws {
    let centre = try #require(Coordinate(latitude: 60, longitude: 25))
    let north = try #require(Geodesic.direct(from: centre, bearing: 0, distance: 1000))
    let east = try #require(Geodesic.direct(from: centre, bearing: 90, distance: 1000))
    var bounds = TrackBounds()
    for place in [centre, north, east] { bounds.add(place) }
    let projection = PlotProjection(try #require(bounds.region), width: 300, height: 300, insets: (0, 0, 0, 0))
    let (from, up, right) = (projection.point(centre), projection.point(north), projection.point(east))
    #expect(abs((from.y - up.y) / (right.x - from.x) - 1) < 0.01)
    #expect(abs(from.y - up.y - 1000 * projection.scale) < 3)
  }

  @Test(
    arguments: [
      (1.0, 4, 0.5), (7, 4, 2), (10, 4, 5), (33.4, 4, 10), (130, 4, 50), (0.000_1, 1, 0.001), (0, 4, 1),
    ] as [(Double, Int, Double)]
  )
  func `Steps are round`(length: Double, parts: Int, step: Double) {
    #expect(abs(AxisTicks.step(length, parts: parts) - step) < step * 1e-9)
  }

  @Test(
    arguments: [
      (0, "0 s"), (59.4, "59 s"), (60, "1 min"), (61, "1 min 1 s"), (3600, "1 h 00 min"), (36_061, "10 h 01 min"),
    ] as [(Double, String)]
  )
  func `Durations are formatted`(seconds: Double, text: String) {
    #expect(AxisTicks.duration(seconds) == text)
  }
}
