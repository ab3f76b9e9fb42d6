import LocationCore

extension GLL: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.position(position)
    line.field("time", time)
    line.letter("status", status?.rawValue)
    line.letter("mode", mode?.rawValue)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "lat", "lat", "lon", "lon", "time", "status", "mode")
  }
}
