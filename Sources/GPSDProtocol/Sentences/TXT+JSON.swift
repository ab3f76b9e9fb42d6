import LocationCore

extension TXT: SentenceObject {
  func write(into line: inout JSONLine) {
    line.field("part", part)
    line.field("parts", parts)
    line.field("id", identifier)
    let bytes = (0..<text.count).map { text[$0] }
    line.field("text", bytes: bytes.span)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "parts", "part", "id", "text")
  }
}
