import GPSDProtocol
import Glibc
import LocationCore
import Testing

@Suite struct JSONLineTests {
  @Test func `Objects and arrays nest without blanks and stray commas`() {
    let text = JSONLine.text { line in
      line.begin("X")
      line.beginArray("empty")
      line.endArray()
      line.beginArray("list")
      line.value(1)
      line.value("two")
      line.value(3.5, decimals: 1)
      line.value(.nan, decimals: 1)
      line.beginObject()
      line.field("a", true)
      line.endObject()
      line.endArray()
      line.beginObject("inner")
      line.field("b", 2)
      line.endObject()
      line.field("c", "")
      line.end()
    }
    #expect(text == #"{"class":"X","empty":[],"list":[1,"two",3.5,{"a":true}],"inner":{"b":2},"c":""}"# + "\r\n")
  }

  @Test func `Missing and non-finite values are left out`() {
    let text = JSONLine.text { line in
      line.begin("X")
      line.field("a", nil as Int?)
      line.field("b", nil as Double?, decimals: 2)
      line.field("c", nil as String?)
      line.field("d", nil as Bool?)
      line.field("e", nil as UTCInstant?)
      line.field("f", Double.nan, decimals: 2)
      line.field("g", Double.infinity, decimals: 2)
      line.field("h", -Double.infinity, decimals: 2)
      line.end()
    }
    #expect(text == "{\"class\":\"X\"}\r\n")
  }

  @Test(
    arguments: [
      (0.0, 3, "0"), (-0.0, 3, "0"), (-0.0004, 3, "0"), (-0.0005, 3, "-0.001"), (0.0005, 3, "0.001"), (1, 0, "1"),
      (2.5, 0, "3"), (-2.5, 0, "-3"), (0.49999999999999994, 0, "0"), (-0.49999999999999994, 0, "0"),
      (2_251_799_813_685_249.5, 0, "2251799813685250"), (9_007_199_254_740_991, 0, "9007199254740991"),
      (11.5240, 3, "11.524"), (545.4, 4, "545.4"), (100, 3, "100"), (100.05, 1, "100.1"), (0.1, 9, "0.1"),
      (999.9996, 3, "1000"), (-179.99996016847157, 9, "-179.999960168"), (9_007_199_254_740_992, 0, "9007199254740992"),
      (1e18, 0, "1000000000000000000"), (1e19, 3, "1e+19"), (-1e300, 9, "-1e+300"), (1e-300, 9, "0"),
    ] as [(Double, Int, String)]
  )
  func `Numbers are rounded half away from zero and trimmed`(value: Double, decimals: Int, expected: String) {
    #expect(JSONLine.text { $0.value(value, decimals: decimals) } == expected)
  }

  @Test func `A coordinate keeps its trailing zeros`() {
    #expect(JSONLine.text { $0.value(48.1173, decimals: 9, trimmed: false) } == "48.117300000")
    #expect(JSONLine.text { $0.value(0, decimals: 9, trimmed: false) } == "0.000000000")
    #expect(JSONLine.text { $0.value(-0.5, decimals: 9, trimmed: false) } == "-0.500000000")
  }

  @Test(arguments: [0, 1, 9, 10, 99, 100, -1, -10, .max, .min, 1_000_000_000, 999_999_999, 9_999_999_999])
  func `Integers are written`(value: Int) {
    #expect(JSONLine.text { $0.value(value) } == "\(value)")
  }

  @Test func `The largest unsigned integer is written`() {
    #expect(JSONLine.text { $0.field("n", UInt64.max) } == "\"n\":18446744073709551615")
  }

  /// Against the C library, which rounds exactly: at most the last decimal differs, and only at a tie.
  @Test func `Numbers differ from the C library in the last decimal and at a tie only`() {
    var generator = SeededGenerator(state: 7)
    for _ in 0..<20_000 {
      let value = Double.random(in: -400...400, using: &generator)
      let decimals = Int.random(in: 0...9, using: &generator)
      let ours = JSONLine.text { $0.value(value, decimals: decimals, trimmed: false) }
      var bytes = [CChar](repeating: 0, count: 64)
      _ = withVaList([value]) { vsnprintf(&bytes, bytes.count, "%.\(decimals)f", $0) }
      let theirs = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard ours != theirs, theirs != "-\(ours)" else { continue }
      let distance = abs((Double(ours) ?? .nan) - (Double(theirs) ?? .nan))
      #expect(distance <= 1.001 * pow(10, -Double(decimals)), "\(value) \(decimals): \(ours) \(theirs)")
      let tie = (abs(value) * pow(10, Double(decimals))).truncatingRemainder(dividingBy: 1)
      #expect(abs(tie - 0.5) < 1e-3, "\(value) \(decimals): \(ours) \(theirs)")
    }
  }

  @Test func `Every byte that JSON forbids is escaped`() {
    let text = JSONLine.text { $0.field("s", "a\"b\\c\n\r\t\u{0}\u{1F}\u{7F}é€😀") }
    #expect(text == #""s":"a\"b\\c\n\r\t\u0000\u001f\u007fé€😀""#)
  }

  @Test func `Raw bytes are written as characters`() {
    let raw: [UInt8] = [0x24, 0x47, 0x00, 0xFF, 0x80, 0x22]
    #expect(JSONLine.text { $0.field("raw", bytes: raw.span) } == #""raw":"$G\u0000\u00ff\u0080\"""#)
  }

  @Test func `A long string is cut at a character`() {
    let text = JSONLine.text { $0.value(String(repeating: "é", count: 400)) }
    #expect(text == "\"" + String(repeating: "é", count: 256) + "\"")
    let escaped = JSONLine.text { $0.value("a" + String(repeating: "\u{1}", count: 400)) }
    #expect(escaped.utf8.count <= JSONLine.maximumString + 2)
    #expect(escaped.hasSuffix("\\u0001\""))
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_772_108_119_999_999_999, "2026-02-26T12:15:19.999Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (Int64.max, "2262-04-11T23:47:16.854Z"),
      (Int64.min, "1677-09-21T00:12:43.145Z"),
    ] as [(Int64, String)]
  )
  func `Instants are cut to the millisecond`(nanoseconds: Int64, expected: String) {
    let instant = UTCInstant(nanosecondsSince1970: nanoseconds)
    #expect(JSONLine.text { $0.field("time", instant) } == "\"time\":\"\(expected)\"")
  }

  @Test func `The leap second and a date are written`() throws {
    let leap = try #require(TimeOfDay(hour: 23, minute: 59, second: 60, nanosecond: 500_000_000))
    #expect(JSONLine.text { $0.field("time", leap) } == #""time":"23:59:60.500""#)
    let date = try #require(CalendarDate(year: 2026, month: 3, day: 9))
    #expect(JSONLine.text { $0.field("date", date) } == #""date":"2026-03-09""#)
  }

  @Test func `A second ending replaces the first`() {
    var line = JSONLine()
    line.begin("X")
    let mark = line.count
    line.field("a", 1)
    line.end()
    line.truncate(to: mark)
    line.field("b", 2)
    line.end()
    #expect(line.text == "{\"class\":\"X\",\"b\":2}\r\n")
    line.truncate(to: 10_000)
    line.truncate(to: -1)
    #expect(line.text == "{\"class\":\"X\",\"b\":2}\r\n")
  }
}
