import LocationCore
import Testing

@testable import RideTools

struct CharacterMapTests {
  private static func plot(_ fixes: [Fix]) -> RidePlot {
    var plot = RidePlot()
    for (index, fix) in fixes.enumerated() { plot.add(TestTrack.moment(fix, begins: index == 0)) }
    plot.finish()
    return plot
  }

  private static func text(_ map: CharacterMap) -> [String] {
    map.rows.map { String($0.map(\.character)) }
  }

  @Test func `A ride to the east is a row from start to end`() throws {
    let plot = Self.plot(TestTrack.eastwards(100, step: 20))
    let map = try #require(CharacterMap(plot, columns: 20, rows: 10, isASCII: true))
    let lines = Self.text(map)
    #expect(lines.allSatisfy { $0.count == 20 })
    #expect(lines.contains("S..................E"))
    #expect(lines.joined().filter { $0 != " " }.count == 20)
  }

  @Test func `North is up`() throws {
    let way = (0..<100).map { TestTrack.fix(Double($0) * 2e-4, 10, seconds: Double($0)) }
    let map = try #require(CharacterMap(Self.plot(way), columns: 20, rows: 10))
    let lines = Self.text(map)
    #expect(lines.count == 10)
    #expect(lines.first?.contains("E") == true && lines.last?.contains("S") == true)
    #expect(lines[1...8].allSatisfy { line in line.unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) } })
  }

  @Test func `The map fits its room and the ride's shape`() throws {
    let plot = Self.plot(TestTrack.eastwards(100, step: 20))
    for (columns, rows) in [(1, 1), (2, 3), (80, 30), (10_000, 5)] {
      let map = try #require(CharacterMap(plot, columns: columns, rows: rows))
      #expect(map.rows.count <= rows && map.rows.allSatisfy { $0.count == min(columns, 400) })
    }
    #expect(try #require(CharacterMap(plot, columns: 80, rows: 30)).rows.count < 6)
    #expect(CharacterMap(plot, columns: 0, rows: 5) == nil)
    #expect(CharacterMap(RidePlot(), columns: 80, rows: 5) == nil)
  }

  @Test func `One fix gives a map`() throws {
    let map = try #require(CharacterMap(Self.plot([TestTrack.fix(90, 0)]), columns: 10, rows: 5))
    #expect(map.rows.joined().count { $0.kind == .start } == 1)
  }

  @Test func `The speed is a row of blocks, blank without a speed`() throws {
    var fixes = TestTrack.eastwards(100)
    for index in fixes.indices where !(40..<60).contains(index) { fixes[index].speed = index < 40 ? 5 : 20 }
    let line = try #require(SpeedLine.text(Self.plot(fixes), columns: 10))
    #expect(line == "▃▃▃▃  ████")
    #expect(SpeedLine.text(Self.plot(fixes), columns: 10, isASCII: true) == "----  ####")
    #expect(SpeedLine.text(Self.plot(TestTrack.eastwards(5)), columns: 10) == nil)
  }
}
