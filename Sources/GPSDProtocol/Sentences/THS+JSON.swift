import LocationCore

extension THS: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.degrees("heading", heading)
    line.letter("mode", mode?.rawValue)
  }

  func name(ofField number: Int, of count: Int) -> StaticString { pick(number, "heading", "mode") }
}
