import LocationCore

extension TXT: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("part", part)
    line.field("parts", parts)
    line.field("id", identifier)
    line.field("text", bytes: TXT.text(in: fields).span)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "parts", "part", "id", "text")
  }
}
