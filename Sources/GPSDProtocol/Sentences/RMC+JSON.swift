import LocationCore

extension RMC: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.letter("status", status?.rawValue)
    line.position(position)
    line.speed("speed", speed)
    line.degrees("track", course)
    line.field("date", date)
    line.degrees("magvar", magneticVariation)
    line.letter("mode", mode?.rawValue)
    line.letter("navStatus", navStatus?.rawValue)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "time", "status", "lat", "lat", "lon", "lon", "speed", "track", "date", "magvar", "magvar", "mode",
      "navStatus")
  }
}
