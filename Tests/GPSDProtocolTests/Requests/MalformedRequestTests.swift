import GPSDProtocol
import Testing

@Suite struct MalformedRequestTests {
  /// A kind of error, which its message alone must tell from the others.
  enum Kind: CaseIterable {
    case notARequest, binary, tooLong, tooDeep, malformed, unterminated, notJSON, unknownRequest, unexpectedValue
    case unknownField, repeatedField, wrongType, outOfRange, missingField

    init?(_ message: String) {
      let kinds = Self.allCases.filter { kind in kind.phrases.contains { message.contains($0) } }
      // The message of a wrong type ends with the type, after the right form.
      guard kinds.count == 1 || kinds == [.wrongType, .outOfRange] else { return nil }
      self = kinds[0]
    }

    private var phrases: [String] {
      switch self {
      case .notARequest: ["A request starts with"]
      case .binary: ["Outside of quotes a request is printable ASCII"]
      case .tooLong: ["A request is at most"]
      case .tooDeep: ["nested too deeply"]
      case .malformed: ["name is missing", "'=' is missing", "missing after '='", "takes a JSON object {…}"]
      case .unterminated: ["the object is not closed"]
      case .notJSON: ["is not JSON", "is not UTF-8", "surrogate"]
      case .unknownRequest: ["Unrecognized request"]
      case .unexpectedValue: ["takes no value", "needs a value"]
      case .unknownField: ["has no field"]
      case .repeatedField: ["is given more than once"]
      case .wrongType:
        ["true or false", "a number", "a malformed number", "a string", "null", "an array or an object"].map {
          ", not \($0)"
        }
      case .outOfRange: ["\" must be "]
      case .missingField: ["\" is missing"]
      }
    }
  }

  /// What is sent, the kind of its one error, and a word that the message must hold.
  static let faults: [(text: String, kind: Kind, word: String)] = [
    ("hello world\n", .notARequest, "?WATCH="), ("{\"class\":\"WATCH\"}\n", .notARequest, "'{'"),
    ("GETS\r\n", .notARequest, "'G'"), ("P\n", .notARequest, "'P'"), ("\u{16}\u{2}\n", .binary, "byte 22"),
    ("hello HTTP\n", .notARequest, "'h'"), ("\u{0}\u{0}?VERSION;\n", .binary, "byte 0"),
    ("ü?VERSION;\n", .binary, "ASCII"), ("?VER\u{0}SION;\n", .binary, "byte 0"), ("?WATCH=\u{1}\n", .binary, "byte 1"),
    ("?WATCH={\"enable\u{0}\":true}\n", .binary, "byte 0"), ("?;", .malformed, "name is missing"),
    ("?\n", .malformed, "name is missing"), ("?={}", .malformed, "name is missing"), ("?FOO;", .unknownRequest, "?FOO"),
    ("?watch;", .unknownRequest, "WATCH"), ("?FOO={\"a\":1};", .unknownRequest, "?FOO"),
    ("?WATCH?VERSION;", .unknownRequest, "WATCH?VERSION"), ("?DEVICE={\"bps\":9600}\n", .unknownField, "bps"),
    ("?WATCH{\"enable\":true}\n", .malformed, "'=' is missing"), ("?WATCH=;", .malformed, "after '='"),
    ("?WATCH=\n", .malformed, "after '='"), ("?WATCH=true;\n", .malformed, "{…}"),
    ("?WATCH=[{}];\n", .malformed, "{…}"),
    ("?WATCH={\"enable\":true\n", .unterminated, "not closed"),
    ("?WATCH={\"enable\":true;\"json\":true}\n", .unterminated, "not closed"),
    ("?WATCH={\"enable\n", .unterminated, "not closed"), ("?WATCH={\"a\":\"\\\"}\n", .unterminated, "not closed"),
    ("?WATCH={enable:true}", .notJSON, "quoted"), ("?WATCH={\"enable\":true,}", .notJSON, "JSON"),
    ("?WATCH={'enable':true}", .notJSON, "quoted"), ("?WATCH={\"a\" 1}", .notJSON, "JSON"),
    ("?VIEW={\"lat\":NaN,\"lon\":1}", .notJSON, "JSON"), ("?VIEW={\"lat\":+1,\"lon\":1}", .notJSON, "JSON"),
    ("?VIEW={\"lat\":0x10,\"lon\":1}", .notJSON, "JSON"), ("?WATCH={\"x\":[1,,2]}", .notJSON, "JSON"),
    ("?WATCH={\"device\":\"\\x\"}", .notJSON, "JSON"), ("?WATCH={\"device\":\"\\ud800\"}", .notJSON, "surrogate"),
    ("?VIEW={\"lat\":1,\"lon\":1,\"lat\":2}", .repeatedField, "\"lat\" is given more than once"),
    ("?VIEW={\"lat\":01,\"lon\":1}", .wrongType, "malformed number"),
    ("?WATCH={\"a\":[[[[[[[[[[1]]]]]]]]]]}\n", .tooDeep, "flat"),
    ("?WATCH={\"a\":\(String(repeating: "{\"a\":", count: 600))1\n", .tooDeep, "flat"),
    ("?WATCH={\"enable\":1}", .wrongType, "\"enable\" must be true or false, not a number"),
    ("?WATCH={\"enable\":\"true\"}", .wrongType, "not a string"), ("?WATCH={\"enable\":null}", .wrongType, "not null"),
    ("?WATCH={\"json\":[true]}", .wrongType, "\"json\""),
    ("?WATCH={\"distanceFilter\":\"10\"}", .wrongType, "a number"),
    ("?WATCH={\"distanceFilter\":-1}", .outOfRange, "from 0 to 1000000"),
    ("?WATCH={\"distanceFilter\":1e400}", .wrongType, "malformed number"),
    ("?WATCH={\"heartbeat\":0.01}", .outOfRange, "0.1"),
    ("?WATCH={\"arrivals\":0.5}", .outOfRange, "0 (never) or from 1"),
    ("?WATCH={\"arrivals\":86401}", .outOfRange, "86400"),
    ("?WATCH={\"arrivals\":true}", .wrongType, "a number"),
    ("?WATCH={\"arrivals\":5,\"arrivals\":5}", .repeatedField, "arrivals"),
    ("?WATCH={\"raw\":1.5}", .outOfRange, "whole"), ("?WATCH={\"distancefilter\":1}", .unknownField, "distanceFilter"),
    ("?VIEW;", .unexpectedValue, "?VIEW="), ("?VERSION={};", .unexpectedValue, "?VERSION;"),
    ("?VIEW={\"lat\":91,\"lon\":1}", .outOfRange, "\"lat\" must be from -90 to 90"),
    ("?VIEW={\"lat\":1,\"lon\":-180.1}", .outOfRange, "\"lon\" must be from -180 to 180"),
    ("?VIEW={\"lat\":1}", .missingField, "\"lon\" is missing"),
    ("?VIEW={\"lat\":1,\"lon\":1,\"zoom\":3}", .unknownField, "\"zoom\""),
    ("?VIEW={\"lat\":1,\"lon\":1,\"cause\":\"drag\"}", .outOfRange, "user, follow, zoom, rotate, resize"),
    ("?VIEW={\"lat\":1,\"lon\":1,\"seq\":-1}", .outOfRange, "\"seq\""),
    ("?VIEW={\"lat\":1,\"lon\":1,\"seq\":1.5}", .outOfRange, "\"seq\""),
    ("?VIEW={\"lat\":1,\"lon\":1,\"seq\":9007199254740994}", .outOfRange, "\"seq\""),
    ("?VIEW={\"view\":\"\",\"lat\":1,\"lon\":1}", .outOfRange, "1 to 64 bytes"),
    ("?FOLLOW={\"views\":\"main\"}", .unknownField, "\"views\""),
    ("?FOLLOW={\"enable\":\"on\"}", .wrongType, "\"enable\""),
    ("?FOLLOW={\"following\":false}", .missingField, "\"restore\""),
    ("?FOLLOW={\"restore\":true}", .missingField, "\"following\""),
    ("?FOLLOW={\"following\":false,\"restore\":false}", .outOfRange, "\"restore\""),
    ("?FOLLOW={\"following\":false,\"restore\":true,\"enable\":false}", .outOfRange, "\"enable\""),
    ("?TARGET={\"name\":\"a\",\"lat\":1,\"lon\":1,\"persistent\":1}", .wrongType, "\"persistent\""),
    ("?LOCATE={\"timeout\":-1}", .outOfRange, "\"timeout\""), ("?LOCATE={\"timeout\":4000}", .outOfRange, "3600"),
    ("?LOCATE={\"maxAge\":-1}", .outOfRange, "\"maxAge\""),
    ("?LOCATE={\"maxage\":1}", .unknownField, "maxAge"), ("?TARGET={\"lat\":1,\"lon\":1}", .missingField, "\"name\""),
    ("?TARGET={\"name\":\"a\"}", .missingField, "\"lat\""),
    ("?TARGET={\"name\":5,\"lat\":1,\"lon\":1}", .wrongType, "\"name\""),
    ("?TARGET={\"name\":\"a\",\"lat\":1,\"lon\":1,\"radius\":0}", .outOfRange, "\"radius\""),
    ("?COURSE={}", .missingField, "\"name\""), ("?COURSE={\"name\":\"\"}", .outOfRange, "1 to 64 bytes"),
    ("?COURSE={\"name\":\"a\",\"polyline\":7}", .wrongType, "\"polyline\""),
    ("?COURSE={\"name\":\"a\",\"polyline\":\"\"}", .outOfRange, "whole points"),
    ("?COURSE={\"name\":\"a\",\"polyline\":\"_izlhA\"}", .outOfRange, "whole points"),
    ("?COURSE={\"name\":\"a\",\"polyline\":\"_izlhA~rlgd\"}", .outOfRange, "whole points"),
    ("?COURSE={\"name\":\"a\",\"polyline\":\"_izlhA ~rlgdF\"}", .outOfRange, "whole points"),
    ("?COURSE={\"name\":\"a\",\"polyline\":\"~~~~~~~~~~~~~~~~~~\"}", .outOfRange, "whole points"),
    ("?COURSE={\"name\":\"a\",\"polyline\":\"~~~~~^?\"}", .outOfRange, "whole points"),
    ("?COURSE={\"name\":\"a\",\"polyline\":\"_izlhA~rlgdF\",\"elevation\":\"yFyF\"}", .outOfRange, "each point"),
    ("?COURSE={\"name\":\"a\",\"elevation\":\"yF\"}", .outOfRange, "\"polyline\""),
    ("?COURSE={\"name\":\"a\",\"append\":true}", .outOfRange, "\"polyline\""),
    ("?COURSE={\"name\":\"a\",\"polyline\":\"??AA\",\"enable\":false}", .outOfRange, "\"enable\""),
    ("?COURSE={\"name\":\"a\",\"polyline\":\"??\",\"polyline\":\"??\"}", .repeatedField, "polyline"),
    ("?COURSE={\"name\":\"a\",\"line\":\"??\"}", .unknownField, "polyline"),
    ("?COURSE={\"name\":\"a\",\"from\":-1}", .outOfRange, "whole number"),
    ("?COURSE={\"name\":\"a\",\"from\":0,\"polyline\":\"??\"}", .unknownField, "polyline"),
    ("?COURSE={\"name\":\"a\",\"polyline\":\"??AA\",\"append\":true,\"persistent\":true}", .outOfRange, "append"),
    ("?CUE;", .unexpectedValue, "?CUE="), ("?CUE={\"course\":\"a\",\"text\":\"b\"}", .outOfRange, "\"at\""),
    ("?CUE={\"course\":\"a\",\"at\":1}", .missingField, "\"text\""),
    ("?CUE={\"course\":\"a\",\"at\":-1,\"text\":\"b\"}", .outOfRange, "from 0 to"),
    ("?CUE={\"course\":\"a\",\"lat\":1,\"text\":\"b\"}", .missingField, "\"lon\""),
    ("?CUE={\"course\":\"a\",\"at\":1,\"lat\":1,\"lon\":1,\"text\":\"b\"}", .outOfRange, "\"at\""),
    ("?CUE={\"course\":\"a\",\"at\":1,\"text\":\"\"}", .outOfRange, "1 to 256 bytes"),
    ("?SENSOR={}", .missingField, "\"sensor\""), ("?SENSOR={\"sensor\":\"speed\",\"value\":1}", .outOfRange, "wheel"),
    ("?SENSOR={\"sensor\":\"wheel\"}", .missingField, "\"count\""),
    ("?SENSOR={\"sensor\":\"power\"}", .missingField, "\"value\""),
    ("?SENSOR={\"sensor\":\"wheel\",\"count\":1,\"value\":1}", .outOfRange, "left out"),
    ("?SENSOR={\"sensor\":\"power\",\"value\":1,\"time\":1}", .outOfRange, "left out"),
    ("?SENSOR={\"sensor\":\"power\",\"value\":NaN}", .notJSON, "JSON"),
    ("?SENSOR={\"sensor\":\"power\",\"value\":1e300}", .outOfRange, "\"value\""),
    ("?SENSOR={\"sensor\":\"wheel\",\"count\":-1}", .outOfRange, "whole number"),
    ("?SENSOR={\"sensor\":\"crank\",\"count\":65536}", .outOfRange, "below its \"wrap\", 65536"),
    ("?SENSOR={\"sensor\":\"wheel\",\"count\":1,\"time\":65536}", .outOfRange, "below 65536"),
    ("?SENSOR={\"sensor\":\"wheel\",\"count\":1,\"wrap\":1}", .outOfRange, "2 or more"),
    ("?SENSOR={\"sensor\":\"wheel\",\"count\":1,\"ticksPerSecond\":0}", .outOfRange, "\"ticksPerSecond\""),
    ("?SENSOR={\"sensor\":\"wheel\",\"count\":1,\"timeWrap\":0}", .outOfRange, "\"timeWrap\""),
    ("?SENSOR={\"sensor\":\"wheel\",\"count\":1,\"time\":3,\"timeWrap\":-5}", .outOfRange, "\"timeWrap\""),
    ("?SENSOR={\"sensor\":\"wheel\",\"count\":1,\"time\":1e301,\"timeWrap\":1e300}", .outOfRange, "\"time\""),
    ("?SENSOR={\"sensor\":\"power\",\"value\":1,\"source\":\"\"}", .outOfRange, "1 to 64 bytes"),
    ("?PLAYBACK={}", .missingField, "pause"), ("?PLAYBACK={\"speed\":0}", .outOfRange, "from 0.1 to 1000"),
    ("?PLAYBACK={\"speed\":0.09}", .outOfRange, "0.1"), ("?PLAYBACK={\"speed\":1000.1}", .outOfRange, "\"max\""),
    ("?PLAYBACK={\"speed\":\"fast\"}", .outOfRange, "\"max\""), ("?PLAYBACK={\"speed\":true}", .wrongType, "speed"),
    ("?PLAYBACK={\"pause\":1}", .wrongType, "true or false"), ("?PLAYBACK={\"rewind\":1}", .unknownField, "seek"),
    ("?PLAYBACK={\"seek\":10000001}", .outOfRange, "10000000"), ("?PLAYBACK=max;", .malformed, "{…}"),
    ("?PLAYBACK={\"seek\":-1}", .outOfRange, "\"seek\""),
    ("?RECORD={}", .missingField, "enable"), ("?RECORD={\"enable\":1}", .wrongType, "true or false"),
    ("?RECORD={\"directory\":\"/tmp\"}", .missingField, "enable"),
    ("?RECORD={\"enable\":true,\"file\":\"x\"}", .unknownField, "directory"),
    ("?\(String(repeating: "A", count: 5000))\n", .tooLong, "4096"),
    ("?WATCH={\"x\":\"\(String(repeating: "a", count: 9000))\"}\n", .tooLong, "4096"),
    ("?WATCH=\(String(repeating: " ", count: 5000))\n", .tooLong, "4096"),
  ]

  @Test(arguments: faults.indices)
  func `A malformed request is one error with its cause, and the next request is read`(index: Int) {
    let fault = Self.faults[index]
    for separator in ["", "\n"] {
      let result = outcomes(fault.text + separator + "?POLL;")
      #expect(result.count == 2, "\(fault.text.prefix(80)): \(result)")
      #expect(result.last == .success(.poll))
      guard case .failure(let error)? = result.first else { continue }
      #expect(Kind(error.message) == fault.kind, "\(error)")
      #expect(error.message.contains(fault.word), "\(error.message)")
      #expect(!error.message.contains("\n"))
    }
  }

  @Test(arguments: faults.indices)
  func `Splits change nothing`(index: Int) {
    let bytes = Array((Self.faults[index].text + "?POLL;").utf8)
    let whole = outcomes([bytes])
    #expect(outcomes(bytes.map { [$0] }) == whole)
    for split in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 50)) {
      #expect(outcomes([Array(bytes[..<split]), Array(bytes[split...])]) == whole)
    }
  }

  @Test func `Every error fits on a line`() {
    for fault in Self.faults {
      guard case .failure(let error)? = outcomes(fault.text).first else { continue }
      let text = JSONLine.text { ErrorReport(error).write(into: &$0) }
      #expect(text.hasPrefix(#"{"class":"ERROR","message":""#))
      #expect(text.utf8.count < 1200)
    }
  }

  /// A line of garbage is one error however long it is, and holds no memory.
  @Test func `Random lines give one error each`() {
    var generator = SeededGenerator(state: 11)
    for _ in 0..<200 {
      var line: [UInt8] = [UInt8(ascii: "#")]
      for _ in 0..<Int.random(in: 0...300, using: &generator) {
        let byte = UInt8.random(in: 0...255, using: &generator)
        line.append(byte == 10 ? 0 : byte)
      }
      let result = outcomes([line, [10], Array("?POLL;".utf8)])
      #expect(result.count == 2)
      #expect(result.last == .success(.poll))
    }
  }

  @Test func `Random bytes neither trap nor stop the connection`() {
    var generator = SeededGenerator(state: 5)
    let alphabet = Array("?WATCHVIEW={}[]\":;,\\\r\n 0truenl\u{0}ü".utf8)
    for round in 0..<400 {
      let bytes = (0..<Int.random(in: 0...600, using: &generator)).map { _ in
        round.isMultiple(of: 2)
          ? UInt8.random(in: 0...255, using: &generator) : alphabet.randomElement(using: &generator) ?? 0
      }
      let whole = outcomes([bytes])
      #expect(outcomes(bytes.map { [$0] }) == whole)
      #expect(outcomes([bytes, Array("\n?POLL;".utf8)]).last == .success(.poll))
      #expect(
        whole.count { (try? $0.get()) == nil } <= bytes.count {
          $0 == 10 || $0 == 13 || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "}")
        } + 1)
    }
  }

  @Test(
    arguments: [
      "?WATCH=1;", "?WATCH=[1,2];", "?WA\0TCH;", #"?WATCH={"enable":true; "json":true};"#, "?WATCH{};",
      "?WATCH={" + String(repeating: " ", count: 5000) + "};",
    ]
  )
  func `A malformed request with a semicolon is one error, and the next request is read`(malformed: String) {
    let result = outcomes(malformed + "?POLL;")
    #expect(result.count == 2 && (try? result[0].get()) == nil && result[1] == .success(.poll))
  }

  @Test func `A line that is not a request is one error`() {
    let result = outcomes("hello; ?POLL; world\n?POLL;")
    #expect(result.count == 2 && (try? result[0].get()) == nil && result[1] == .success(.poll))
  }
}
