import LocationCore
import Testing

@testable import RideTools

struct GeoJSONWriterTests {
  private static let options = ExportOptions(format: .geojson, title: "a ride")

  @Test func `A segment is a line with its times and speeds, longitude first, heights above the ellipsoid`() {
    var first = TestTrack.fix(48, 11)
    first.altitudeMSL = 500
    first.geoidSeparation = 46.5
    first.speed = 3
    var second = TestTrack.fix(48.5, 11.5, seconds: 1)
    second.altitudeMSL = 501
    #expect(
      TestTrack.export([[first, second]], Self.options) == """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","geometry":{"type":"LineString","coordinates":[[11,48,546.5],[11.5,48.5]]},"properties":\
        {"name":"a ride","segment":1,"coordinateProperties":{"times":["2026-03-19T12:35:19Z","2026-03-19T12:35:20Z"],\
        "speeds":[3,null]}}}
        ],
        "bbox":[11,48,546.5,11.5,48.5,546.5]}\n
        """)
  }

  @Test func `A segment of one fix is a point`() {
    var lonely = TestTrack.fix(1, 2)
    lonely.measured = nil
    #expect(
      TestTrack.export([[lonely], TestTrack.eastwards(2)], Self.options).hasPrefix(
        """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"properties":\
        {"name":"a ride","segment":1,"coordinateProperties":{"times":[null],"speeds":[null]}}},
        {"type":"Feature","geometry":{"type":"LineString","coordinates":[[10,0],
        """.dropLast()))
  }

  @Test func `A line is cut at the antimeridian`() {
    let way = [TestTrack.fix(10, 179.9), TestTrack.fix(20, -179.7, seconds: 4)]
    let text = TestTrack.export([way], Self.options)
    #expect(text.contains("\"coordinates\":[[179.9,10],[180,12.5]]"))
    #expect(text.contains("\"coordinates\":[[-180,12.5],[-179.7,20]]"))
    #expect(text.contains("\"times\":[\"2026-03-19T12:35:20Z\",\"2026-03-19T12:35:23Z\"]"))
    #expect(text.contains("\"bbox\":[179.9,10,-179.7,20]"))
  }

  @Test func `Lines are cut in both directions and on the antimeridian`() {
    let west = TestTrack.export([[TestTrack.fix(0, -179.5), TestTrack.fix(1, 179.5)]], Self.options)
    #expect(west.contains("[[-179.5,0],[-180,0.5]]") && west.contains("[[180,0.5],[179.5,1]]"))
    let on = TestTrack.export([[TestTrack.fix(0, 180), TestTrack.fix(0, -180)]], Self.options)
    #expect(on.contains("[[180,0],[180,0]]") && on.contains("[[-180,0],[-180,0]]"))
  }

  @Test func `A long line continues in another one from the same fix`() {
    let count = GeoJSONWriter.longestLine * 2 + 5
    let text = TestTrack.export([TestTrack.eastwards(count, step: 1)], Self.options)
    let lines = text.split(separator: "\"coordinates\":[").dropFirst().map { $0.prefix { $0 != "}" } }
    let sizes = lines.map { $0.split(separator: "],[").count }
    #expect(sizes == [GeoJSONWriter.longestLine, GeoJSONWriter.longestLine, 7])
    #expect(lines[0].split(separator: "],[").last?.dropLast(2) == lines[1].split(separator: "],[").first?.dropFirst())
    #expect(text.contains("\"segment\":1,") && !text.contains("\"segment\":2,"))
  }

  @Test func `A route is a feature of its own, cut at the antimeridian`() throws {
    let sampler = try #require(RouteSampler(count: 2))
    let way = [TestTrack.fix(0, 179.5), TestTrack.fix(0, 179.9), TestTrack.fix(0, -179.5)]
    let text = TestTrack.export([way], ExportOptions(format: .geojson, title: "r", sampler: sampler))
    #expect(
      text.contains(
        """
        {"type":"MultiLineString","coordinates":[[[179.5,0],[180,0]],[[-180,0],[-179.5,0]]]},"properties":\
        {"name":"r","route":true}}
        """))
  }

  @Test func `A ride without a fix has no features and no box`() {
    let text = TestTrack.export([], ExportOptions(format: .geojson, title: "a\"b\\\u{1}"))
    #expect(text == "{\"type\":\"FeatureCollection\",\"features\":[\n]}\n")
  }

  @Test func `A name cannot break the file`() {
    let text = TestTrack.export([[TestTrack.fix(0, 0)]], ExportOptions(format: .geojson, title: "a\"b\\\u{1}ü"))
    #expect(text.contains(#""name":"a\"b\\\u0001ü""#))
  }

  @Test func `The box is the padded region with bounds`() {
    var options = Self.options
    options.hasBounds = true
    let text = TestTrack.export([[TestTrack.fix(10, 20), TestTrack.fix(11, 22)]], options)
    #expect(text.contains("\"bbox\":[19.8,9.9,22.2,11.1]"))
  }
}
