import GPSDProtocol
import Testing

@Suite struct JSONCursorTests {
  /// The members of an object as text, or `nil` when it is not JSON.
  private func members(_ text: String) -> [String]? {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      guard var cursor = JSONCursor(bytes) else { return nil }
      var members: [String] = []
      while let (name, value) = cursor.member() {
        let name = cursor.text(name) ?? "?"
        let text =
          switch value {
          case .number(let range): cursor.number(range).map { "\($0)" } ?? "beyond"
          case .malformedNumber: "malformed"
          case .string(let range): cursor.text(range) ?? "not Unicode"
          case .bool(let truth): "\(truth)"
          case .null: "null"
          case .object(let range), .array(let range): String(decoding: bytes[range], as: UTF8.self)
          }
        members.append("\(name)=\(text)")
      }
      return cursor.isBroken ? nil : members
    }
  }

  @Test func `Members come in order with their values`() {
    #expect(
      members(#"{"a":1 , "b" : -2.5e3,"c":"x","d":true,"e":false,"f":null,"g":{"h":[1,{}]},"i":[]}"# + "\r\n")
        == ["a=1.0", "b=-2500.0", "c=x", "d=true", "e=false", "f=null", #"g={"h":[1,{}]}"#, "i=[]"])
    #expect(members("{ }") == [])
  }

  @Test func `Escapes and surrogate pairs become characters`() {
    #expect(
      members(#"{"\u0061":"\"\\\/\b\f\n\r\t\u00e4\uD83D\ude00"}"#) == ["a=\"\\/\u{8}\u{C}\n\r\tä😀"])
    #expect(members(#"{"a":"\ud83d"}"#) == ["a=not Unicode"])
    #expect(members(#"{"a":"\ude00"}"#) == ["a=not Unicode"])
    #expect(members(#"{"a":"\ud83d\u0041"}"#) == ["a=not Unicode"])
  }

  @Test(
    arguments: [
      ("01", "malformed"), ("-", "malformed"), ("1.", "malformed"), ("1e", "malformed"), ("1-2", "malformed"),
      ("-01.5", "malformed"), ("1e400", "beyond"), ("0", "0.0"), ("-0", "-0.0"), ("0.5", "0.5"), ("1E+2", "100.0"),
      ("0e1", "0.0"),
    ]
  )
  func `Digits that are no JSON number are malformed, and exponents may be too large`(text: String, expected: String) {
    #expect(members("{\"a\":\(text)}") == ["a=\(expected)"])
  }

  @Test(
    arguments: [
      "", "x", "{", "}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{"a":+1}"#,
      #"{"a":.5}"#, #"{"a":NaN}"#, #"{"a":truth}"#, #"{"a":1}x"#, #"{a:1}"#, #"{"a":"\x"}"#, #"{"a":"\u12g4"}"#,
      #"{"a":"\"#, "{\"a\":\"\t\"}", #"{"a":[1,]}"#, #"{"a":[1 2]}"#, #"{"a":{"b"}}"#, #"{"a":{"b":1]}"#,
      #"{"a":[{]}"#, #"{"a":[}]}"#,
    ]
  )
  func `Everything else is not JSON`(text: String) {
    #expect(members(text) == nil)
  }

  @Test func `Groups nest 64 deep and no deeper`() {
    func nested(_ depth: Int) -> String {
      "{\"a\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
    }
    #expect(members(nested(JSONCursor.maximumDepth))?.count == 1)
    #expect(members(nested(JSONCursor.maximumDepth + 1)) == nil)
    #expect(members(nested(100_000)) == nil)
  }
}
