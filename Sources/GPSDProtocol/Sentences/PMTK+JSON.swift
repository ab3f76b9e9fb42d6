import LocationCore

extension PMTK: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("packet", packet)
    line.field("command", command)
    line.field("result", result)
    line.field("message", message)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    packet == 1 ? pick(number, "command", "result") : "message"
  }
}
