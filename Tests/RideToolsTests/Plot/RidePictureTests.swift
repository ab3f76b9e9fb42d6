@testable import LocationCore
import Testing

@testable import RideTools

struct RidePictureTests {
  private static func plot(_ fixes: [Fix]) -> RidePlot {
    var plot = RidePlot()
    for (index, fix) in fixes.enumerated() { plot.take(TestTrack.moment(fix, begins: index == 0)) }
    plot.finish()
    return plot
  }

  private static func svg(_ plot: RidePlot, title: String = "a ride") throws -> String {
    let picture = RidePicture(plot, title: title, subtitles: RideCaption.lines(plot))
    return String(decoding: try #require(picture.svg()), as: UTF8.self)
  }

  @Test func `An empty plot has no picture`() {
    #expect(RidePicture(RidePlot(), title: "", subtitles: []).svg() == nil)
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
    for (index, fix) in way.enumerated() { plot.take(TestTrack.moment(fix, begins: index == 0)) }
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
    plot.take(.lost(at: .milliseconds(52_000)))
    plot.take(FollowState(view: "main", following: false, reason: .drift), at: .milliseconds(52_000))
    plot.finish()
    text = try Self.svg(plot)
    #expect(text.contains(">1 signal loss, 0 s<") && text.contains(">map stopped following<"))
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
      if begins { plot.take(.lost(at: fix.received)) }
      plot.take(TestTrack.moment(fix, begins: begins))
      if below(100) == 0 {
        plot.take(
          FollowState(view: "main", following: second % 2 == 0, reason: .requested), at: fix.received)
      }
    }
    plot.finish()
    let picture = RidePicture(plot, title: "long", subtitles: RideCaption.lines(plot))
    let bytes = try #require(picture.svg())
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
    let projection = PlotProjection(region, width: 376, height: 200, insets: .all(22))
    let points = way.map { projection.point($0.position) }
    #expect(zip(points, points.dropFirst()).allSatisfy { $0.x < $1.x && $1.x - $0.x < 5 })
    #expect(abs(points[0].x - 22) < 0.1 && abs(points[99].x - 354) < 0.1)
  }

  @Test func `The scale is the same to the north and to the east`() throws {
    let centre = try #require(Coordinate(latitude: 60, longitude: 25))
    let north = try #require(Geodesic.direct(from: centre, bearing: 0, distance: 1000))
    let east = try #require(Geodesic.direct(from: centre, bearing: 90, distance: 1000))
    var bounds = TrackBounds()
    for place in [centre, north, east] { bounds.take(place) }
    let projection = PlotProjection(try #require(bounds.region), width: 300, height: 300, insets: .all(0))
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
