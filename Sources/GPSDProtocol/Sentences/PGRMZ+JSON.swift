import LocationCore

extension PGRMZ: SentenceObject {
  /// `source` is 1 none, 2 user or barometer, 3 satellites.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.metres("altMSL", altitudeMSL)
    line.field("source", kind.map { Int($0.rawValue) })
  }

  func name(ofField number: Int, of count: Int) -> StaticString { pick(number, "altMSL", "altMSL", "source") }
}
