import LocationCore

extension PSTI030: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.letter("status", status?.rawValue)
    line.position(position)
    line.metres("altMSL", altitudeMSL)
    line.speed("velE", velocityEast)
    line.speed("velN", velocityNorth)
    line.speed("velU", velocityUp)
    line.field("date", date)
    line.letter("mode", mode?.rawValue)
    line.seconds("rtkAge", rtkAge)
    line.field("rtkRatio", rtkRatio, decimals: 3)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "message", "time", "status", "lat", "lat", "lon", "lon", "altMSL", "velE", "velN", "velU", "date",
      "mode", "rtkAge", "rtkRatio")
  }
}
