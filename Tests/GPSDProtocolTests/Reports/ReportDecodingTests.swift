import GPSDProtocol
import LocationCore
import Testing

@Suite struct ReportDecodingTests {
  private func report(_ text: String) throws -> Report { try Report(line: Array(text.utf8)[...]) }

  @Test func `A TPV of gpsd is read`() throws {
    let line =
      #"{"class":"TPV","device":"/dev/pts/1","mode":3,"time":"2005-06-08T10:34:48.283Z","ept":0.005,"lat":46.498293369,"#
      + #""lon":7.567411672,"alt":1343.127,"epx":24.829,"epy":25.326,"epv":32.321,"track":10.3788,"speed":0.091,"#
      + #""climb":-0.085,"eps":50.65}"#
    guard case .tpv(let tpv) = try report(line) else {
      Issue.record("no TPV")
      return
    }
    #expect(tpv.mode == 3)
    #expect(tpv.status == nil)
    #expect(tpv.lat == 46.498293369)
    #expect(tpv.time == UTCInstant(iso8601: "2005-06-08T10:34:48.283Z".utf8))
    #expect(tpv.time?.nanosecondsSince1970 == 1_118_226_888_283_000_000)
  }

  @Test func `An unknown class has its name`() throws {
    #expect(try report(#"{"class":"PPS","device":"x"}"#) == .other("PPS"))
  }

  @Test(
    arguments: [
      "", " ", "{", "{}", "[]", "null", "\"TPV\"", #"{"class":5}"#, #"{"class":"TPV"}"#, #"{"class":"TPV","mode":"3"}"#,
      #"{"class":"TPV","mode":3,"lat":"x"}"#, #"{"class":"TPV","mode":3,"time":"yesterday"}"#,
      #"{"class":"TPV","mode":3.5}"#,
      #"{"class":"TPV","mode":1e300}"#, #"{"class":"TPV","mode":3,"seq":-1}"#,
      #"{"class":"SKY","satellites":[{}]}"#, #"{"class":"TPV","mode":3}x"#, "\u{0}",
      String(repeating: "[", count: 10_000), String(repeating: #"{"a":"#, count: 2000),
    ]
  )
  func `Malformed lines throw`(line: String) {
    #expect(throws: ReportError.self) { try report(line) }
  }

  @Test(
    arguments: [
      "2026-03-19T12:35:19Z", "2026-03-19T12:35:19.5Z", "2026-03-19T12:35:19.123456789Z", "2016-12-31T23:59:60.000Z",
      "2026-03-19T12:35:19", "2026-03-19T12:35:19.1234567890Z", "2026-03-19T13:35:19+01:00",
      "2026-03-19T13:35:19.5-0330",
    ]
  )
  func `Times in ISO 8601 are read`(text: String) {
    #expect(UTCInstant(iso8601: text.utf8) != nil)
  }

  @Test(
    arguments: [
      "20260319T123519Z", "2026-03-19 12:35:19", "2026-03-19t12:35:19z", "2026-03-19T12:35:19,000Z",
      " 2026-03-19T12:35:19Z\n", "2026-078T12:35:19Z", "2026078T123519Z", "2026-W12-4T12:35:19Z", "2026W124T123519Z",
      "2026/03/19 12:35:19 UTC", "2026-3-19T12:35:19Z", "2026-03-19T13:35:19+01", "2026-03-19T11:35:19\u{2212}01:00",
      "2026-03-19T12:35:19 GMT", "2026-03-19  12:35:19 +0000", "20260319 123519.0", "2026/3/19 2:35:19-10:00",
    ]
  )
  func `A time in another form is the same`(text: String) {
    #expect(UTCInstant(iso8601: text.utf8) == UTCInstant(iso8601: "2026-03-19T12:35:19Z".utf8))
  }

  @Test(
    arguments: [
      ("2026-03-19T12:35Z", "2026-03-19T12:35:00Z"), ("2026-03-19T12Z", "2026-03-19T12:00:00Z"),
      ("2026-03-19T12:35.5Z", "2026-03-19T12:35:30Z"), ("2026-03-19T12,25", "2026-03-19T12:15:00Z"),
      ("2026-03-19T24:00:00.000Z", "2026-03-20T00:00:00Z"), ("2021-W01-1T00:00:00Z", "2021-01-04T00:00:00Z"),
      ("2020-W53-7T00:00:00Z", "2021-01-03T00:00:00Z"), ("2024-366T00:00Z", "2024-12-31T00:00:00Z"),
      ("20260319T1235", "2026-03-19T12:35:00Z"), ("20260319T12", "2026-03-19T12:00:00Z"),
    ]
  )
  func `Parts that are left out are zero`(text: String, same: String) {
    #expect(UTCInstant(iso8601: text.utf8) == UTCInstant(iso8601: same.utf8))
  }

  @Test(
    arguments: [
      "", "Z", "2026-03-19", "2026-03-19T12:35:19+1:00", "2026-03-19T12:35:19+15:00", "2026-02-30T12:35:19.000Z",
      "2026-03-19T24:00:01.000Z", "2026-03-19T12:35:19.Z", "+026-03-19T12:35:19.000Z", "2026-366T00:00Z",
      "2026-000T00:00Z", "2026-W54-1T00:00Z", "2026-W10-8T00:00Z", "03/19/2026 12:35:19", "26-03-19T12:35:19Z",
      "2026-03-19T12:35:19 PST", "2026-03-1912:35:19", "20260319123519", "2026-03-19T12:60Z", "2026-03/19T12:35Z",
      "2026-03-19T12:35:19+01:00 x",
      "2026-03-19T12:35:1é.000Z", "9999-01-01T00:00:00.000Z",
    ]
  )
  func `Other text is not a time`(text: String) {
    #expect(UTCInstant(iso8601: text.utf8) == nil)
  }

  @Test func `Damaged times do not trap`() {
    var generator = SeededGenerator(state: 9)
    let forms = [
      "2026-03-19T12:35:19.123Z", "20260319T123519+0130", "2026-W12-4T12:35:19,5", "2026-078T12Z", "2026/3/19 2:35 UTC",
    ].map { Array($0.utf8) }
    for _ in 0..<20_000 {
      var text = forms.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...3, using: &generator) where !text.isEmpty {
        let at = Int.random(in: 0..<text.count, using: &generator)
        switch Int.random(in: 0...3, using: &generator) {
        case 0: text.remove(at: at)
        case 1: text.insert(text[Int.random(in: 0..<text.count, using: &generator)], at: at)
        case 2: text[at] = UInt8.random(in: 0x30...0x39, using: &generator)
        default: text[at] = UInt8.random(in: 0...255, using: &generator)
        }
      }
      guard let time = UTCInstant(iso8601: text) else { continue }
      #expect(text.filter { (0x30...0x39).contains($0) }.count >= 7)
      #expect((1678...2262).contains(time.date.year))
    }
  }

  @Test func `Damaged lines do not trap`() {
    var generator = SeededGenerator(state: 3)
    let lines = ReportGoldenTests.goldens.map { Array($0.line.utf8) }
    for _ in 0..<5000 {
      var line = lines.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let at = Int.random(in: 0..<line.count, using: &generator)
        line[at] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = try? Report(line: line[...])
    }
  }
}

@Suite struct ReportLinesTests {
  private func lines(_ chunks: [[UInt8]]) -> [Result<String, ReportError>] {
    var parser = ReportLines()
    var result: [Result<String, ReportError>] = []
    for chunk in chunks {
      var index = 0
      while true {
        do throws(ReportError) {
          guard let line = try parser.nextLine(in: chunk.span, from: &index) else { break }
          result.append(.success(String(decoding: line, as: UTF8.self)))
        } catch {
          result.append(.failure(error))
        }
      }
    }
    return result
  }

  @Test func `Lines are the same at every split`() {
    let bytes = Array("{\"a\":1}\r\n\r\n{\"b\":2}\n{\"c\":3}\r\n{\"d\"".utf8)
    let expected: [Result<String, ReportError>] = [.success("{\"a\":1}"), .success("{\"b\":2}"), .success("{\"c\":3}")]
    for split in 0...bytes.count {
      #expect(lines([Array(bytes[..<split]), Array(bytes[split...])]) == expected)
    }
    #expect(lines(bytes.map { [$0] }) == expected)
  }

  @Test func `An overlong line is one error and is skipped`() {
    let long = [UInt8](repeating: 0x61, count: ReportLines.maximumLength + 1)
    let most = [UInt8](repeating: 0x62, count: ReportLines.maximumLength)
    let result = lines([long, long, Array("\nx\n".utf8), most, Array("\n".utf8)])
    #expect(result == [.failure(.tooLong), .success("x"), .success(String(decoding: most, as: UTF8.self))])
  }
}
