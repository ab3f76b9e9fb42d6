import LocationCore

// JSON of the standard sentences about position, course, heading and time.

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

extension HDT: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.degrees("heading", heading)
  }

  func name(ofField number: Int, of count: Int) -> StaticString { "heading" }
}

extension THS: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.degrees("heading", heading)
    line.letter("mode", mode?.rawValue)
  }

  func name(ofField number: Int, of count: Int) -> StaticString { pick(number, "heading", "mode") }
}

extension ZDA: SentenceObject {
  /// `zone` is in minutes east of UTC.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.field("date", date)
    line.field("zone", zoneMinutes)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "time", "date", "date", "date", "zone")
  }
}

extension DTM: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("datum", datum?.description)
    line.field("subdivision", subdivision?.description)
    line.field("latOffset", latitudeOffset, decimals: 9)
    line.field("lonOffset", longitudeOffset, decimals: 9)
    line.metres("altOffset", altitudeOffset)
    line.field("reference", reference?.description)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "datum", "subdivision", "latOffset", "latOffset", "lonOffset", "lonOffset", "altOffset", "reference")
  }
}

extension TXT: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("part", part)
    line.field("parts", parts)
    line.field("id", identifier)
    line.field("text", bytes: TXT.text(in: fields).span)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "parts", "part", "id", "text")
  }
}
