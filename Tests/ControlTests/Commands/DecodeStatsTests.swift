import Foundation
import LocationCore
import Testing

@Suite(.enabled(if: Tool.path != nil, "handlebarctl is not built beside the tests"), .timeLimit(.minutes(5)))
struct DecodeStatsTests {
  private static func sentence(_ body: String) -> String {
    let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(sum.count == 1 ? "0" : "")\(sum)\r\n"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// RMC, GGA, GSA and two GSV parts of a second after 12:35.
  private static func epoch(_ second: Int, course: String = "084.4") -> String {
    let time = "1235\(two(second)).00"
    return sentence("GNRMC,\(time),A,4807.0380,N,01131.0000,E,022.4,\(course),190326,,,A,V")
      + sentence("GNGGA,\(time),4807.0380,N,01131.0000,E,1,08,0.9,545.4,M,46.9,M,,")
      + sentence("GNGSA,A,3,05,07,,,,,,,,,,,1.4,0.9,1.1,1")
      + sentence("GPGSV,2,1,05,05,45,120,41,07,30,200,38,13,20,010,,14,10,020,20,1")
      + sentence("GPGSV,2,2,05,22,05,300,,1")
  }

  private static func object(_ log: String, _ options: String...) async throws -> [String: Any] {
    try await object(Array(log.utf8), options)
  }

  private static func object(_ log: [UInt8], _ options: [String] = []) async throws -> [String: Any] {
    let outcome = try await Tool.run(["decode", "--stats", "--json"] + options + ["-"], input: log)
    #expect(outcome.code == 0)
    let lines = outcome.output.split(separator: "\n")
    try #require(lines.count == 1)
    return try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
  }

  @Test func `Types, order and rate are shown`() async throws {
    let object = try await Self.object((10..<20).map { Self.epoch($0) }.joined())
    #expect(object["epochs"] as? Int == 10)
    #expect(object["period"] as? Double == 1)
    #expect(object["seconds"] as? Double == 10)
    #expect(object["order"] as? [String] == ["GNRMC", "GNGGA", "GNGSA", "GPGSV"])
    #expect(object["orderShare"] as? Double == 1)
    #expect(object["from"] as? String == "2026-03-19T12:35:10.000Z")
    #expect(object["to"] as? String == "2026-03-19T12:35:19.000Z")
    let types = try #require(object["types"] as? [[String: Any]])
    #expect(types.map { $0["type"] as? String } == ["RMC", "GGA", "GSA", "GSV"])
    #expect(types.map { $0["count"] as? Int } == [10, 10, 10, 20])
    #expect(types.map { $0["perEpoch"] as? Double } == [1, 1, 1, 2])
    #expect(types[3]["fewestFields"] as? Int == 8)
    #expect(types[3]["mostFields"] as? Int == 20)
    let talkers = try #require(object["talkers"] as? [[String: Any]])
    #expect(talkers.map { $0["talker"] as? String } == ["GN", "GP"])
    #expect(talkers.map { $0["count"] as? Int } == [30, 20])
  }

  @Test func `A leap second in UBX belongs to the day that it ends`() async throws {
    let time: [UInt8] = [0, 0, 0, 0, 0xE0, 0x07, 12, 31, 23, 59, 60, 7]
    let fix = time + [UInt8](repeating: 0, count: 8) + [3, 1] + [UInt8](repeating: 0, count: 70)
    #expect(try await Self.object(ReceiverCommand.ubx(0x01, 0x07, fix))["to"] as? String == "2017-01-01T00:00:00.000Z")
  }

  @Test func `Errors are counted by what they follow from`() async throws {
    let log =
      Self.epoch(10) + Self.sentence("GNGST,123510.00,1.0,3.0,2.0,45.0,2.5,2.6,4.0")
      + Self.epoch(11) + Self.epoch(12) + Self.sentence("GNRMC,123513.00,A,4807.0380,N,01131.0000,E,1.0,,190326,,,A")
    let errors = try #require(try await Self.object(log)["errors"] as? [String: [String: Int]])
    #expect(errors["horizontal"] == ["gst": 1, "dilution": 2, "unknown": 1])
    #expect(errors["vertical"] == ["gst": 1, "dilution": 2, "unknown": 1])
  }

  @Test func `Gaps and steps back are counted`() async throws {
    let log = [10, 11, 12, 15, 16, 17, 18, 19, 27, 28, 10, 11, 12].map { Self.epoch($0) }.joined()
    let gaps = try #require(try await Self.object(log)["gaps"] as? [String: Any])
    #expect(gaps["count"] as? Int == 2)
    #expect(gaps["missing"] as? Int == 9)
    #expect(gaps["stepsBack"] as? Int == 1)
    let longest = try #require(gaps["longest"] as? [[String: Any]])
    #expect(longest.map { $0["seconds"] as? Double } == [8, 3])
    #expect(longest.first?["after"] as? String == "12:35:19.000")
  }

  @Test func `Times closer than a millisecond have a period`() async throws {
    func epoch(_ time: String) -> String { Self.sentence("GPRMC,\(time),A,4800.0,N,01130.0,E,1.0,45.0,190326,,,A") }
    let close = (0..<10).map { epoch("123510.000\($0)") + epoch("") }.joined()
    let gaps = try #require(
      try await Self.object(close + epoch("123515") + epoch("123520"))["gaps"] as? [String: Any])
    #expect(gaps["count"] as? Int == 2)
    #expect(gaps["missing"] as? Int == 9997)
  }

  @Test func `Rejected sentences and malformed fields are counted`() async throws {
    let log =
      Self.epoch(10) + Self.epoch(11, course: "x") + "$GNGGA,1*00\r\n" + Self.epoch(12, course: "361")
      + "$GNGLL,1\r\n$GPGSA,A\u{1}\r\n\\s:x*00\\" + Self.epoch(13)
    let object = try await Self.object(log)
    #expect(object["rejected"] as? [String: Int] == ["checksum": 1, "noChecksum": 1, "notASCII": 1])
    #expect(object["badTagBlocks"] as? Int == 1)
    #expect(object["malformedFields"] as? Int == 2)
    let types = try #require(object["types"] as? [[String: Any]])
    let malformed = try #require(types.first?["malformed"] as? [[String: Any]])
    #expect(malformed.count == 1)
    #expect(malformed.first?["field"] as? String == "track")
    #expect(malformed.first?["count"] as? Int == 2)
  }

  @Test func `The load of the line is its bits by its speed`() async throws {
    let log = (10..<20).map { Self.epoch($0) }.joined()
    let line = try #require(try await Self.object(log, "--speed", "4800")["line"] as? [String: Any])
    let bits = Double(Self.epoch(10).utf8.count * 10)
    #expect(line["speed"] as? Int == 4800)
    #expect(line["mean"] as? Double == bits)
    #expect(line["fullest"] as? Double == bits)
    #expect(abs((line["fullestLoad"] as? Double ?? 0) - bits / 4800) < 0.001)
    let recorded = try #require(
      try await Self.object("# handlebar-recording 1\n# speed=9600\n# t=0 src=0\n" + log)["line"] as? [String: Any])
    #expect(recorded["speed"] as? Int == 9600)
    let unknown = try #require(try await Self.object(log)["line"] as? [String: Any])
    #expect(unknown["speed"] == nil && unknown["meanLoad"] == nil)
  }

  @Test func `Satellites are counted per system`() async throws {
    let glonass = Self.sentence("GLGSV,1,1,01,70,45,120,44,1")
    let object = try await Self.object((10..<14).map { Self.epoch($0) + glonass }.joined())
    let systems = try #require(object["satellites"] as? [[String: Any]])
    #expect(systems.map { $0["system"] as? String } == ["GPS", "GLONASS"])
    #expect(systems.map { $0["mostSeen"] as? Int } == [5, 1])
    #expect(systems.map { $0["mostUsed"] as? Int } == [2, 0])
    #expect(systems.map { $0["strongest"] as? Double } == [41, 44])
  }

  @Test func `With stamps, untimed sentences after a pause belong to the next epoch`() async throws {
    let epochs = (10..<20).map { second in
      "# t=\(second)000 src=0\n" + Self.sentence("GNGSA,A,3,05,07,,,,,,,,,,,1.4,0.9,1.1,1")
        + "# t=\(second)020 src=0\n" + Self.sentence("GNRMC,1235\(second).00,A,,,,,,,190326,,,A")
    }
    let object = try await Self.object("# handlebar-recording 1\n" + epochs.joined())
    #expect(object["order"] as? [String] == ["GNGSA", "GNRMC"])
    #expect(object["epochs"] as? Int == 10)
  }

  @Test func `Epochs without a time are counted`() async throws {
    let log = (0..<5).map { _ in Self.sentence("GPRMC,,V,,,,,,,,,,N") + Self.sentence("GPGGA,,,,,,0,00,,,M,,M,,") }
      .joined()
    let object = try await Self.object(log)
    #expect(object["epochs"] as? Int == 5)
    #expect(object["period"] == nil)
    #expect(object["order"] as? [String] == ["GPRMC", "GPGGA"])
  }

  @Test func `Sentences without checksums are counted`() async throws {
    let log = (10..<14).map { "$GPGGA,1235\($0),4807.0,N,01131.0,E,1,08,0.9,545.4,M,46.9,M,,\r\n" }.joined()
    let object = try await Self.object(log)
    #expect(object["withoutChecksum"] as? Int == 4)
    #expect(object["epochs"] as? Int == 4)
  }

  @Test func `A date before the floor is a suspected rollover`() async throws {
    let log = (10..<14).map { Self.epoch($0) }.joined()
    #expect(try await Self.object(log)["rolloverSuspect"] == nil)
    let old = Self.sentence("GNRMC,123510.00,A,4807.0,N,01131.0,E,,,030806,,,A")
    #expect(try await Self.object(old)["rolloverSuspect"] as? Bool == true)
    let table = try await Tool.run("decode", "--stats", "-", input: Array(old.utf8))
    #expect(table.output.contains("an old log, or a week rollover: then it is 2026-03-19"))
  }

  @Test func `Each source has its own statistics`() async throws {
    let log =
      "# handlebar-recording 1\n# device=/dev/a\n# device=/dev/b\n# t=1000 src=0\n" + Self.epoch(10)
      + "# t=1001 src=1\n" + Self.sentence("PGRME,5.5,M,7.0,M,8.9,M")
    let outcome = try await Tool.run("decode", "--stats", "--json", "-", input: Array(log.utf8))
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix(#"{"source":"/dev/a","#) == true)
    #expect(lines.last?.hasPrefix(#"{"source":"/dev/b","#) == true)
  }

  @Test func `The table contains the same figures`() async throws {
    let log = (10..<20).map { Self.epoch($0) }.joined() + "$GNGGA,1*00\r\n"
    let outcome = try await Tool.run("decode", "--stats", "--speed", "4800", "-", input: Array(log.utf8))
    #expect(outcome.code == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.contains("epochs         10, one every 1.000 s (1.0 Hz)\n"))
    #expect(outcome.output.contains("order          GNRMC GNGGA GNGSA GPGSV\n"))
    #expect(outcome.output.contains("rejected       1 checksum\n"))
    #expect(outcome.output.contains("gaps           none\n"))
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test func `Without a sentence it prints nothing and ends with 65`() async throws {
    let empty = try await Tool.run("decode", "--stats", "-")
    #expect(empty.code == 65 && empty.output.isEmpty)
    let fragments = try await Tool.run("decode", "--stats", "-", input: Array("echo $HOME,$PATH\n$(L9\n".utf8))
    #expect(fragments.code == 65 && fragments.output.isEmpty)
    let noise = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    #expect(try await Tool.run("decode", "--stats", "--json", "-", input: noise).code == 65)
  }

  @Test(
    arguments: [
      ["--stats", "--sentences"], ["--json"], ["--speed", "9600"], ["--stats", "--speed", "0"],
      ["--stats", "--filter", "5"],
    ]
  )
  func `Contradictory options are an error`(_ options: [String]) async throws {
    let outcome = try await Tool.run(["decode"] + options + ["-"])
    #expect(outcome.code == 64)
    #expect(!outcome.errors.isEmpty)
  }
}
