import Glibc
import Testing

@testable import LocationDaemon

@Suite("TOML parser")
struct TOMLParserTests {
  private typealias Content = ConfigurationValue.Content

  private func parsed(_ text: String) throws(TOMLError) -> [String: Content] {
    try Dictionary(uniqueKeysWithValues: TOMLParser.parse(Array(text.utf8)).map { ($0.key, $0.value.content) })
  }

  /// Contents without their lines.
  private func plain(_ content: Content) -> String {
    switch content {
    case .text(let text): "'\(text)'"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .flag(let value): "\(value)"
    case .list(let list): "[" + list.map { plain($0.content) }.joined(separator: " ") + "]"
    case .table(let table):
      "{" + table.sorted { $0.key < $1.key }.map { "\($0.key)=\(plain($0.value.content))" }.joined(separator: " ") + "}"
    case .time(let kind): kind
    }
  }

  static let values: [(text: String, value: String)] = [
    ("1_000", "1000"), ("+5", "5"), ("-0", "0"), ("0xDEAD_beef", "3735928559"), ("0o17", "15"), ("0b101", "5"),
    ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
    ("2.50", "2.5"), ("-1_0.0_1e+2", "-1001.0"), ("5E-1", "0.5"), ("-inf", "-inf"), ("nan", "nan"),
    ("true", "true"), ("false # not true", "false"),
    ("1979-05-27", "a date"), ("07:32:00.5", "a time"), ("1979-05-27T07:32:00Z", "a date and time"),
    ("1979-05-27 07:32:00.999-07:00 # later", "a date and time"), ("1979-05-27t23:59:59", "a date and time"),
    ("1979-05-27 # of May", "a date"),
    (#""a\tb\\\"\u00e9\U0001F600""#, "'a\tb\\\"é😀'"), (#"'a\tb"'"#, #"'a\tb"'"#), ("\"\"", "''"), ("''", "''"),
    ("\"\"\"\r\na\n  b \\  \n\n  c\"\"\"\"\"", "'a\n  b c\"\"'"), ("'''\n'x''\\'''", "''x''\\'"),
    ("[]", "[]"), ("[ 1, [ \"]\" ], # ]\n\n { } ,\r\n]", "[1 [']'] {}]"),
    ("{ a.b = 1, a.\"c d\" = [ 2 ], 'e' = {} }", "{a={b=1 c d=[2]} e={}}"),
  ]

  @Test(arguments: values.indices)
  func `Values of all types are read`(index: Int) throws {
    let (text, value) = Self.values[index]
    #expect(try parsed("k = \(text)").mapValues(plain) == ["k": value])
  }

  static let documents: [(text: String, value: String)] = [
    ("", "{}"), ("a = 1\r\n\t b=2 #", "{a=1 b=2}"),
    ("a.b = 1\n\"a\".c = 2\n[a.d]\ne = 3", "{a={b=1 c=2 d={e=3}}}"),
    ("[a.b]\nc = 1\n[a]\nd = 2\n", "{a={b={c=1} d=2}}"),
    ("[[a]]\nb = 1\n[a.c]\nd = 2\n[[a]]\n[[ a . c ]]\n", "{a=[{b=1 c={d=2}} {c=[{}]}]}"),
    ("1 = 1\n-_ = 2\n'' = 3\n", "{=3 -_=2 1=1}"),
  ]

  @Test(arguments: documents.indices)
  func `Tables are read in all forms`(index: Int) throws {
    let (text, value) = Self.documents[index]
    let table = try TOMLParser.parse(Array(text.utf8)).map { ($0.key, $0.value) }
    #expect(plain(.table(Dictionary(uniqueKeysWithValues: table))) == value)
  }

  @Test func `Keys are in the order of the text, values have their lines`() throws {
    let text = "# 1\nz = '''\n3\n'''\n\na = [\n  1, # 7\n\n  { x = 2 },\n]\n[[m]]\n[t.u]\n[[m]]\n"
    let entries = try TOMLParser.parse(Array(text.utf8))
    #expect(entries.map(\.key) == ["z", "a", "m", "t"])
    #expect(entries.map(\.value.line) == [2, 6, 11, 12])
    let elements: [[Int]] = entries.map { if case .list(let list) = $0.value.content { list.map(\.line) } else { [] } }
    #expect(elements == [[], [7, 9], [11, 13], []])
  }

  static let wrong: [(text: String, place: String, message: String)] = [
    ("[", "1:2", "the end of the file in place of a key"), ("\n[\n", "2:2", "the end of the line in place of a key"),
    ("[#", "1:2", "\"#\" in place"), ("[=", "1:2", "\"=\" in place"), ("[.", "1:2", "\".\" in place"),
    ("[{", "1:2", "\"{\" in place"), ("[[[", "1:3", "\"[\" in place"), ("[a", "1:3", "in place of ]"),
    ("[[a] ]", "1:5", "\" \" in place of ]]"), ("[a]]", "1:4", "in place of the end of the line"),
    ("[]", "1:2", "a key"),
    ("a", "1:2", "in place of ="), ("a = 1 b = 2", "1:7", "\"b\" in place of the end of the line"),
    ("a. = 1", "1:4", "a key"), ("é = 1", "1:1", "a key"), ("\"\"\"a\"\"\" = 1", "1:3", "in place of ="),
    ("a =", "1:4", "a value"), ("a =\r\n", "1:4", "the end of the line in place of a value"),
    ("a = #", "1:5", "a value"), ("a = ]", "1:5", "a value"),
    ("a = x", "1:5", "\"x\" is not a number"), ("a = 01", "1:5", "\"01\""), ("a = 1__0", "1:5", "\"1__0\""),
    ("\u{FEFF}a = 1", "1:1", "a byte order mark"), ("a = 1\n\u{FEFF}", "2:1", "a key"),
    ("a = 2023-02-29", "1:5", "\"2023-02-29\""), ("a = 24:00:00", "1:5", "\"24:00:00\""),
    ("a = 12:", "1:5", "\"12:\""), ("a = 07:32", "1:5", "\"07:32\""), ("a = 1234-5", "1:5", "\"1234-5\""),
    ("a = 07:32:00Z", "1:5", "\"07:32:00Z\""), ("a = 1979-05-27 x", "1:16", "the end of the line"),
    ("a = 1979-05-27 07:32", "1:16", "the end of the line"), ("a = 1979-05-27T", "1:5", "\"1979-05-27T\""),
    ("a = 1.", "1:5", "\"1.\""), ("a = .5", "1:5", "\".5\""), ("a = 1e_5", "1:5", "\"1e_5\""),
    ("a = 0x", "1:5", "\"0x\""),
    ("a = 0x-1", "1:5", "\"0x-1\""), ("a = True", "1:5", "\"True\""), ("a = 0x1p3", "1:5", "\"0x1p3\""),
    ("a = \"b\nc\"", "1:5", "no closing quote"), ("\na = '''b\n'", "2:5", "no closing quote"),
    ("a = \"\\q\"", "1:6", "escape"), ("a = \"\\uD800\"", "1:6", "escape"), ("a = \"\\u12\"", "1:6", "escape"),
    ("a = \"\\", "1:6", "escape"), ("a = \"b\\  c\"", "1:7", "escape"),
    ("a = \"b\0\"", "1:7", "is not allowed"), ("# \u{7F}", "1:3", "is not allowed"),
    ("a = 1\rb = 2", "1:6", "\"\\r\" in place of the end of the line"), ("\0", "1:1", "a key"),
    ("a = [1 2]", "1:8", "a comma or ]"), ("\na = [\n[1,\n", "3:1", "not closed"), ("a = [,]", "1:6", "a value"),
    ("a = {b = 1,}", "1:12", "a key"), ("a = {b = 1\n}", "1:11", "} on the same line"),
    ("a = 1\n a = 2", "2:2", "\"a\" is already defined"), ("[a]\n[a]", "2:2", "already"),
    ("a = 1\n[a]", "2:2", "already"),
    ("a = 1\na.b = 2", "2:1", "already"), ("a = {}\n[a.b]", "2:2", "already"), ("a = []\n[[a]]", "2:3", "already"),
    ("[[a]]\n[a]", "2:2", "already"), ("[a.b]\nc=1\n[a]\nb.d = 1", "4:1", "already"),
    ("a.b = 1\n[a]", "2:2", "already"),
    ("a.b.c.d.e.f.g.h.i = 1", "1:17", "at most 8 parts"), ("a = [[[[[[[[[", "1:13", "8 levels"),
    ("a = 1" + String(repeating: "1", count: 64), "1:5", "at most 64 characters"),
  ]

  @Test(arguments: wrong.indices)
  func `An error has line and column`(index: Int) throws {
    let (text, place, message) = Self.wrong[index]
    let error = try #require(throws: TOMLError.self) { try parsed(text) }
    #expect("\(error.line):\(error.column)" == place && error.message.contains(message), "\(error)")
  }

  @Test func `Bytes that are not UTF-8 have line and column`() throws {
    func error(_ bytes: [UInt8]) throws -> TOMLError {
      try #require(throws: TOMLError.self) { try TOMLParser.parse(bytes) }
    }
    let latin = try error(Array("# ä\n# é".utf8) + [0xE9, 0x0A])
    #expect((latin.line, latin.column) == (2, 4))
    #expect(latin.message == "byte 0xE9 is not UTF-8; save the file as UTF-8")
    #expect(try error([0xFF, 0xFE, 0x61, 0]).column == 1)
    #expect(try error([0x61, 0xED, 0xA0, 0x80]).column == 2)
  }

  /// Texts of 64 KiB.
  static let attacks: [String] = [
    "a.", "[", "a=[", "[[", "{", "a={a=", "\"", "'", "a=\"\"\"\"", "#", "\n", "\r", " ", "1", "a=1", "\\", "=",
    "[[a]]\n",
    "a = \"\\u0041\\n", "a = [\n\"\",", "😀",
  ]

  @Test(arguments: attacks)
  func `A text of 64 KiB takes milliseconds`(piece: String) {
    let texts = [piece, "a = \"\(piece)", "a = [" + piece, "a = {" + piece].map { start in
      Array((start + String(repeating: piece, count: 65_536 / piece.utf8.count)).utf8.prefix(65_536))
    }
    let before = Self.processorTime
    for text in texts { _ = try? TOMLParser.parse(text) }
    // A build for debugging; what grows with the square of the length takes minutes.
    #expect(Self.processorTime - before < 2)
  }

  /// Seconds for which this thread has run: other load on the machine does not count.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test func `The number of values is bounded`() throws {
    func keys(_ count: Int) -> String { (0..<count).map { "k\($0) = 1\n" }.joined() }
    #expect(try parsed(keys(500)).count == 500)
    #expect(throws: TOMLError.self) { try parsed(keys(501)) }
  }
}
