import Testing

@Suite(.enabled(if: Tool.path != nil, "handlebarctl is not built beside the tests"), .timeLimit(.minutes(5)))
struct DecodeTests {
  /// Sentences with their checksums.
  private static func sentence(_ body: String) -> String {
    let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(sum.count == 1 ? "0" : "")\(sum)\r\n"
  }

  private static func epoch(
    _ second: Int, hour: Int = 12, lat: String = "4807.0380", valid: Bool = true, date: String = "190326"
  ) -> String {
    let time = "\(hour)35\(second < 10 ? "0" : "")\(second).00"
    return sentence("GNGGA,\(time),\(lat),N,01131.0000,E,\(valid ? 1 : 0),08,0.9,545.4,M,46.9,M,,")
      + sentence("GNRMC,\(time),\(valid ? "A" : "V"),\(lat),N,01131.0000,E,022.4,084.4,\(date),,,\(valid ? "A" : "N")")
  }

  @Test func `Each epoch is one line, and standard error has a summary`() async throws {
    let log = Self.epoch(10) + Self.epoch(11, valid: false) + "$GNGGA,123512*00\r\n" + Self.epoch(12)
    let outcome = try await Tool.run("decode", "-", input: Array(log.utf8))
    #expect(outcome.code == 0)
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count == 3)
    #expect(
      lines.first?.hasPrefix(
        #"{"class":"TPV","device":"-","mode":3,"status":1,"time":"2026-03-19T12:35:10.000Z","lat":48.117300000,"lon":11.516666667,"#
      ) == true)
    #expect(lines.first?.hasSuffix("\"seq\":1,\"reason\":\"first\"}") == true, "\(lines)")
    #expect(
      lines.dropFirst().first
        == "{\"class\":\"TPV\",\"device\":\"-\",\"mode\":1,\"status\":0,\"time\":\"2026-03-19T12:35:11.000Z\"}")
    #expect(outcome.errors.contains("3 epochs: 2 fixes, 1 without a fix, 0 dropped; 2 fixes printed\n"))
    #expect(outcome.errors.contains("6 sentences, 1 rejected: 1 checksum\n"))
  }

  @Test func `Behind a gap every fix is printed, and one with a wrong date is not`() async throws {
    let stamps = "# handlebar-recording 1\n# t=0 src=0\n"
    let log = Self.epoch(10) + Self.epoch(11, hour: 13) + Self.epoch(12, hour: 17) + Self.epoch(13, hour: 17)
    for text in [log, stamps + Self.epoch(10) + "# t=18000000 src=0\n" + Self.epoch(10, hour: 17)] {
      let outcome = try await Tool.run("decode", "-", input: Array(text.utf8))
      #expect(outcome.errors.contains(text == log ? "4 fixes printed" : "2 fixes printed"), "\(outcome.errors)")
    }
    let wrong = Self.epoch(10) + Self.epoch(11) + Self.epoch(12, date: "200326") + Self.epoch(13) + Self.epoch(14)
    let outcome = try await Tool.run("decode", "-", input: Array(wrong.utf8))
    #expect(outcome.errors.contains("1 dropped (1 unconfirmed jump); 4 fixes printed"), "\(outcome.errors)")
  }

  @Test func `--filter prints the fixes that pass`() async throws {
    let log = (10..<20).map { Self.epoch($0, lat: "4807.0\(380 + 20 * ($0 - 10))") }.joined()
    let all = try await Tool.run("decode", "-", input: Array(log.utf8))
    #expect(all.output.split(separator: "\n").count == 10)
    let some = try await Tool.run("decode", "--filter", "10", "-", input: Array(log.utf8))
    #expect(some.output.split(separator: "\n").count == 4)
  }

  @Test func `Stamps are the time of arrival`() async throws {
    let log =
      "# handlebar-recording 1\n# device=/dev/gps0\n# t=1000 u=1773923710000 src=0\n" + Self.epoch(10)
      + "# t=2000 src=0\n" + Self.epoch(11)
    let outcome = try await Tool.run("decode", "-", input: Array(log.utf8))
    #expect(outcome.output.split(separator: "\n").count == 2)
    #expect(outcome.output.contains(#""device":"/dev/gps0""#))
  }

  @Test func `A missing file is named`() async throws {
    let outcome = try await Tool.run("decode", "/tmp/no-such-directory/x.nmea")
    #expect(outcome.code == 66)
    #expect(
      outcome.errors
        == "handlebarctl: cannot open /tmp/no-such-directory/x.nmea: No such file or directory; check the path\n")
    #expect(try await Tool.run("decode", "/tmp").code == 66)
  }

  @Test func `A closed pipe ends it quietly`() async throws {
    let log = (0..<60).map { Self.epoch($0) }.joined()
    let outcome = try await Tool.run(["decode", "-"], input: Array(log.utf8), closesOutput: true)
    #expect(outcome.code == 0)
    #expect(outcome.errors.isEmpty)
  }

  @Test func `Input without a sentence or a report ends with 65`() async throws {
    let empty = try await Tool.run("decode", "-")
    #expect(empty.code == 65)
    #expect(empty.output.isEmpty)
    #expect(empty.errors.contains("handlebarctl: standard input contains no valid NMEA sentence and no gpsd report"))
    let noise = try await Tool.run(
      "decode", "-", input: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
    #expect(noise.code == 65)
  }

  @Test func `--sentences prints one object per sentence`() async throws {
    let log =
      Self.sentence("GNRMC,123519.00,A,4807.0380,N,01131.0000,E,022.4,084.4,190326,,,A,V") + "$GNGGA,1*00\r\n"
      + Self.sentence("GPXYZ,1,2") + "# t=5 a comment\n$GPGGA,12"
    let outcome = try await Tool.run("decode", "--sentences", "-", input: Array(log.utf8))
    #expect(outcome.code == 0)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(
      lines.first
        == #"{"type":"RMC","talker":"GN","time":"12:35:19.000","status":"A","lat":48.117300000,"lon":11.516666667,"speed":11.524,"track":84.4,"date":"2026-03-19","mode":"A","navStatus":"V"}"#
    )
    #expect(lines.dropFirst().first?.hasPrefix(#"{"rejected":"checksum","#) == true)
    #expect(lines.dropFirst(2).first == #"{"type":"XYZ","talker":"GP","fields":["1","2"]}"#)
    #expect(lines.last?.hasPrefix(#"{"rejected":"truncated""#) == true)
    #expect(outcome.errors == "2 sentences, 2 rejected: 1 checksum, 1 truncated\n")
  }
}
