import GPSDProtocol
import LocationCore
import Testing

@testable import Recordings

struct TrackDecoderTests {
  static let head =
    #"<?xml version="1.0"?><!-- a > b --><gpx version="1.1" creator="x>y" xmlns="http://www.topografix.com/GPX/1/1">"#

  private static func decoded(_ bytes: [UInt8], piece: Int = 65_536) -> [RecordingItem] {
    items(of: bytes, piece: piece, by: TrackDecoder(.gpx))
  }

  private static func decoded(_ text: String, piece: Int = 65_536) -> [RecordingItem] {
    items(of: text, piece: piece, by: TrackDecoder(.gpx))
  }

  private static func track(_ latitudes: [Int]) -> String {
    "<gpx><trk><trkseg>" + latitudes.map { "<trkpt lat='\($0)' lon='0'/>" }.joined() + "</trkseg></trk></gpx>"
  }

  @Test func `Points without times from pole to pole are refused`() throws {
    let text = Self.track((0..<4000).map { $0 % 2 == 0 ? -90 : 90 })
    #expect(Self.decoded(text).count == 1)
    let directory = TemporaryDirectory()
    directory.write(Array(text.utf8), to: "poles.gpx")
    var reader = try RecordingReader(path: directory.path + "/poles.gpx")
    let error = #expect(throws: RecordingError.self) { while try reader.next() != nil {} }
    #expect(error?.reason == .tooLong)
    #expect(error.map { "\($0)" }?.contains("no times and span more than 5,000 km") == true)
  }

  @Test func `Points without times are connected for up to 5,000 km`() throws {
    var walk = RouteWalk()
    for (latitude, isTooLong) in [(0.0, false), (44, false), (46, true)] {
      _ = walk.go(to: TrackPoint(position: try #require(Coordinate(latitude: latitude, longitude: 0))))
      #expect((walk.length > RouteWalk.longest) == isTooLong)
    }
  }

  @Test func `Names that are not UTF-8 are Windows-1252`() {
    var points = XMLPoints(.gpx)
    let older: [UInt8] = [0x8A, 0xFC, 0x64, 0x20, 0x80] + Array("&amp;".utf8) + [0xC9, 0x74, 0xE9]
    let names = [Array("Ça & là".utf8), older]
    for (name, text) in zip(names, ["Ça & là", "Šüd €&Été"]) {
      _ = points.add(.start(.init(name: Array("wpt".utf8), attributes: Array("lat='48' lon='11'".utf8)[...])))
      _ = points.add(.start(.init(name: Array("name".utf8))))
      _ = points.add(.text(name[...]))
      _ = points.add(.end(.init(name: Array("name".utf8))))
      guard case .point(.waypoint, let point) = points.add(.end(.init(name: Array("wpt".utf8)))) else {
        Issue.record("no point named \(text)")
        continue
      }
      #expect(point.name == text)
    }
  }

  @Test func `A track is not judged by its first point`() {
    let timed = (0..<4).map { "<trkpt lat='48.\($0)' lon='11'><time>2026-03-19T12:00:0\($0)Z</time></trkpt>" }.joined()
    for untimed in [1, 3, 1000] {
      let points = String(repeating: "<trkpt lat='47' lon='11'/>", count: untimed)
      let items = Self.decoded("<gpx><trk><trkseg>\(points)\(timed)</trkseg></trk></gpx>")
      #expect(items.positions.map { $0.fix?.position.latitude } == [48, 48.1, 48.2, 48.3])
      #expect(items.positions.allSatisfy { $0.time != nil })
      #expect(items.damage == Array(repeating: .badPoint, count: untimed))
    }
    let many = String(repeating: "<trkpt lat='47' lon='11'/>", count: 1001)
    #expect(
      Self.decoded("<gpx><trk><trkseg>\(many)\(timed)</trkseg></trk></gpx>").positions.allSatisfy { $0.time == nil })
  }

  @Test func `A track point keeps every digit, its time, speed and course`() throws {
    let items = Self.decoded(
      Self.head + """
        <metadata><time>2020-01-01T00:00:00Z</time></metadata><trk><name>a &amp; b</name><trkseg>
        <trkpt lat="48.12345678901" lon='-11.000000000123'>
          <ele> 512.25 </ele><time>2026-03-19T12:35:19.250+01:00</time>
          <extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>12.5</gpxtpx:speed><gpxtpx:course>360</gpxtpx:course>
          <gpxtpx:time>1999-01-01T00:00:00Z</gpxtpx:time></gpxtpx:TrackPointExtension></extensions>
        </trkpt></trkseg></trk></gpx>
        """)
    let position = try #require(items.positions.first)
    let fix = try #require(position.fix)
    #expect(fix.position == Coordinate(latitude: 48.12345678901, longitude: -11.000000000123))
    #expect(fix.altitudeMSL == 512.25 && fix.speed == 12.5 && fix.course == 0 && fix.mode == .threeD)
    #expect(position.time == UTCInstant(iso8601: "2026-03-19T11:35:19.25Z".utf8))
    #expect(items.bursts.first?.stamp?.utc == position.time)
    #expect(items.count == 1)
  }

  @Test(
    arguments: [
      ("<trkpt lat='1' lon='2'><ele>5</ele></trkpt>", [1.0]),
      ("<wpt lat='9' lon='9'/><rte><rtept lat='8' lon='8'/></rte><trk><trkpt lat='1' lon='2'/></trk>", [1]),
      ("<wpt lat='9' lon='9'/><rte><rtept lat='8' lon='8'/></rte>", [8]), ("<wpt lat='9' lon='9'></wpt>", [9]),
      ("<trk><trkpt lat='1' lon='2'><ele>1</ele><trkpt lat='1' lon='2'></trkpt>", [1]), ("<trk></trk>", []),
    ]
  )
  func `Tracks are decoded, else routes, else waypoints`(body: String, latitudes: [Double]) {
    #expect(Self.decoded(Self.head + body + "</gpx>").positions.map { $0.fix?.position.latitude } == latitudes)
  }

  @Test(
    arguments: [
      "<trkpt lat='91' lon='2'/>", "<trkpt lat='1'/>", "<trkpt lat='nan' lon='0'/>", "<trkpt lat='0x10' lon='0'/>",
      "<trkpt lat='' lon=''/>", "<trkpt lat=1 lon=2/>", "<trkpt lat='1' lon='2",
      "<trkpt lat='1' lon='2' x='\(String(repeating: "y", count: 40_000))'/>",
    ]
  )
  func `A point without coordinates is damage`(point: String) {
    let items = Self.decoded(Self.head + point)
    #expect(items.bursts.isEmpty)
    #expect(items.damage.count == 1)
  }

  @Test func `In a track with times, a point without one is damage`() {
    let items = Self.decoded(
      Self.head + "<trkpt lat='1' lon='2'><time>2026-03-19T12:00:00Z</time></trkpt><trkpt lat='1' lon='3'/>")
    #expect(items.bursts.count == 1)
    #expect(items.damage == [.badPoint])
  }

  @Test func `A point with fix none has no fix`() throws {
    let items = Self.decoded(
      Self.head + "<trkpt lat='1' lon='2'><time>2026-03-19T12:00:00Z</time><fix>none</fix></trkpt>")
    #expect(try #require(items.positions.first).fix == nil)
  }

  @Test func `Points without times are connected at 15 m/s, with a point every second and the last one`() throws {
    let start = try #require(Coordinate(latitude: 48, longitude: 11))
    let middle = try #require(Geodesic.direct(from: start, bearing: 0, distance: 40))
    let end = try #require(Geodesic.direct(from: middle, bearing: 90, distance: 41))
    let points = [start, middle, end].map { "<rtept lat='\($0.latitude)' lon='\($0.longitude)'/>" }.joined()
    let items = Self.decoded(Self.head + points + "</gpx>")
    let positions = items.positions
    // 81 m: at 0, 15, 30, 45, 60, 75 m and the end.
    #expect(positions.count == 7)
    #expect(items.bursts.map { $0.stamp?.instant.nanoseconds } == (0..<7).map { $0 * 1_000_000_000 })
    #expect(positions.allSatisfy { $0.time == nil })
    let places = positions.compactMap { $0.fix?.position }
    #expect(places.last?.distance(to: end) ?? 1 < 1e-6)
    for index in 1..<6 where index != 3 {
      #expect(abs(places[index].distance(to: places[index - 1]) - 15) < 1e-6)
    }
    // Over the corner: 10 m and 5 m.
    #expect(abs(places[3].distance(to: middle) - 5) < 1e-6)
    #expect(positions.dropFirst().allSatisfy { $0.fix?.speed == 15 })
    #expect(abs((positions[1].fix?.course ?? 90) - 0) < 1e-6 && abs((positions[5].fix?.course ?? 0) - 90) < 1e-3)
  }

  @Test func `Points are the same for pieces of any size`() {
    var text = Self.head + "<!DOCTYPE gpx [<!ENTITY a '>'>]><trk><![CDATA[<trkpt lat='5' lon='5'/>]]>"
    for second in 10..<60 {
      text +=
        "<trkpt lat='48.\(second)' lon='11'><ele>5\(second)</ele><time>2026-03-19T12:00:\(second)Z</time></trkpt>\n"
    }
    let whole = Self.decoded(text)
    #expect(whole.bursts.count == 50)
    for piece in [1, 2, 3, 7, 64, 1000] { #expect(Self.decoded(text, piece: piece) == whole) }
  }

  @Test func `No input traps or gives a position out of range`() {
    var random = TestRandom(seed: 3)
    let parts = [
      "<trkpt lat='1' lon='2'>", "</trkpt>", "<", ">", "'", "\"", "<!--", "-->", "<!", "[", "]", "<?", "?>", "/",
      "<ele>",
      "9e99", "-", "<time>2026-03-19T12:00:00Z</time>", "<rtept lat='3' lon='4'/>", "\u{0}", "ü", " ", "<gpx>",
    ].map { Array($0.utf8) }
    for _ in 0..<400 {
      var bytes: [UInt8] = []
      for _ in 0..<random.below(60) {
        if random.below(8) == 0 {
          bytes.append(UInt8(random.below(256)))
        } else {
          bytes += parts[random.below(parts.count)]
        }
      }
      let whole = Self.decoded(bytes)
      #expect(Self.decoded(bytes, piece: 1 + random.below(5)).bursts == whole.bursts)
      for position in whole.positions { #expect((-90...90).contains(position.fix?.position.latitude ?? 0)) }
    }
  }

  @Test func `A document without end or tags takes bounded memory`() {
    var decoder = XMLTokens()
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
    for opening in ["<!--", "<a ", "<?", "text"] {
      Array(opening.utf8).withUnsafeBufferPointer { decoder.feed($0) }
      for _ in 0..<50 {
        piece.withUnsafeBufferPointer { decoder.feed($0) }
        while decoder.next() != nil {}
        #expect(decoder.buffered < 131_072)
      }
      Array("?>'-->".utf8).withUnsafeBufferPointer { decoder.feed($0) }
      while decoder.next() != nil {}
    }
  }
}
