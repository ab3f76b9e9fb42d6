import LocationCore

extension GGA: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.position(position)
    line.field("quality", quality.map { Int($0.rawValue) })
    line.field("nSat", satellitesUsed)
    line.dilution("hdop", hdop)
    line.metres("altMSL", altitudeMSL)
    line.metres("geoidSep", geoidSeparation)
    line.seconds("dgpsAge", dgpsAge)
    line.field("dgpsSta", dgpsStation)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "time", "lat", "lat", "lon", "lon", "quality", "nSat", "hdop", "altMSL", "altMSL", "geoidSep",
      "geoidSep", "dgpsAge", "dgpsSta")
  }
}
