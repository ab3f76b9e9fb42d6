import LocationCore

extension PTNLGGK: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.field("date", date)
    line.position(position)
    line.field("quality", quality)
    line.field("nSat", satellitesUsed)
    line.dilution("dop", dop)
    line.metres("altHAE", altitudeHAE)
    line.metres("altMSL", altitudeMSL)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "message", "time", "date", "lat", "lat", "lon", "lon", "quality", "nSat", "dop", "altHAE", "altHAE")
  }
}
