import Testing

@testable import LocationDaemon

@Suite("Parameters of a source URI")
struct URIQueryTests {
  private func query(_ rest: String) -> URIQuery { URIQuery(rest[...], in: "x:\(rest)") }

  @Test(
    "percent signs stand for bytes, and for themselves when no byte follows",
    arguments: [
      ("/a%20b", "/a b"), ("/%C3%A9", "/é"), ("/100%", "/100%"), ("/%2", "/%2"), ("/%zz", "/%zz"), ("/%25", "/%"),
      ("", ""), ("/a%3Fb", "/a?b"),
    ])
  func decodes(text: String, path: String) {
    #expect(query(text).path == path)
  }

  @Test("values are taken once, the last of a name counts, and a rest is an error")
  func takes() throws {
    var query = query("/p?a=1&b=x=y&a=2&c&%64=%26")
    #expect(query.path == "/p")
    #expect(query.take("a") == "2")
    #expect(query.take("a") == nil)
    #expect(query.take("b") == "x=y")
    #expect(query.take("c") == "")
    #expect(throws: ConfigurationError(key: "x:/p?a=1&b=x=y&a=2&c&%64=%26", message: "unknown parameter \"d\"")) {
      try query.finish()
    }
    #expect(query.take("d") == "&")
    #expect(throws: Never.self) { try query.finish() }
  }

  @Test("only the first question mark divides")
  func questionMark() {
    var query = query("/p?a=b?c")
    #expect(query.path == "/p")
    #expect(query.take("a") == "b?c")
  }

  @Test(
    "flags",
    arguments: [("f=true", true), ("f=1", true), ("f=yes", true), ("f", true), ("f=false", false), ("f=0", false)]
      + [("f=no", false), ("g=1", nil)] as [(String, Bool?)])
  func flags(text: String, value: Bool?) throws {
    var query = query("/p?\(text)")
    #expect(try query.takeFlag("f") == value)
  }

  @Test("a flag of anything else is an error")
  func badFlag() {
    #expect(throws: ConfigurationError.self) {
      var query = query("/p?f=TRUE")
      _ = try query.takeFlag("f")
    }
  }
}
