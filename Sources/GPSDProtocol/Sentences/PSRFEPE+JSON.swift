import LocationCore

extension PSRFEPE: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.letter("status", status?.rawValue)
    line.dilution("hdop", hdop)
    line.metres("eph", horizontal)
    line.metres("epv", vertical)
    line.speed("eps", velocity)
    line.degrees("epd", heading)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "time", "status", "hdop", "eph", "epv", "eps", "epd")
  }
}
