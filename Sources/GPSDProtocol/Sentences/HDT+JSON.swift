import LocationCore

extension HDT: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.degrees("heading", heading)
  }

  func name(ofField number: Int, of count: Int) -> StaticString { "heading" }
}
