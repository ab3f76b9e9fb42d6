import LocationCore

extension VTG: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.degrees("track", course)
    line.degrees("magtrack", courseMagnetic)
    line.speed("speed", speed)
    line.letter("mode", mode?.rawValue)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "track", "track", "magtrack", "magtrack", "speed", "speed", "speed", "speed", "mode")
  }
}
