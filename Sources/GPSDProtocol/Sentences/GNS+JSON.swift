import LocationCore

extension GNS: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.position(position)
    line.field("modes", modes?.description)
    line.field("nSat", satellitesUsed)
    line.dilution("hdop", hdop)
    line.metres("altMSL", altitudeMSL)
    line.metres("geoidSep", geoidSeparation)
    line.seconds("dgpsAge", dgpsAge)
    line.field("dgpsSta", dgpsStation)
    line.letter("navStatus", navStatus?.rawValue)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "time", "lat", "lat", "lon", "lon", "modes", "nSat", "hdop", "altMSL", "geoidSep", "dgpsAge",
      "dgpsSta", "navStatus")
  }
}

extension PositioningModes {
  /// The letters.
  fileprivate var description: String {
    var text = ""
    for index in 0..<count { text.unicodeScalars.append(Unicode.Scalar(letters[index])) }
    return text
  }
}
