import LocationCore

// JSON of the makers' own sentences.

extension PUBX00: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.position(position)
    line.metres("altHAE", altitudeHAE)
    line.field("status", status?.description)
    line.metres("eph", horizontalAccuracy)
    line.metres("epv", verticalAccuracy)
    line.speed("speed", speed)
    line.degrees("track", course)
    line.speed("velD", velocityDown)
    line.seconds("dgpsAge", dgpsAge)
    line.dilution("hdop", hdop)
    line.dilution("vdop", vdop)
    line.dilution("tdop", tdop)
    line.field("nSat", satellitesUsed)
    line.field("deadReckoning", deadReckoning)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "message", "time", "lat", "lat", "lon", "lon", "altHAE", "status", "eph", "epv", "speed", "track",
      "velD", "dgpsAge", "hdop", "vdop", "tdop", "nSat", "nSat", "deadReckoning")
  }
}

extension PUBXStatus {
  /// The two characters.
  fileprivate var description: String { ShortText(code: UInt64(rawValue)).description }
}

extension PUBX03: SentenceObject {
  /// `PRN` is u-blox's number; `use` is `U` used, `e` with ephemeris, `-` not used; `lock` is in seconds.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("nSat", total)
    line.beginArray("satellites")
    for satellite in Self.satellites(in: fields) { Self.write(satellite, into: &line) }
    line.endArray()
  }

  private static func write(_ satellite: PUBXSatellite, into line: inout JSONLine) {
    line.beginObject()
    line.field("PRN", satellite.number)
    line.letter("use", satellite.use?.rawValue)
    line.field("az", satellite.azimuth, decimals: 3)
    line.field("el", satellite.elevation, decimals: 3)
    line.field("ss", satellite.signal, decimals: 3)
    line.field("lock", satellite.lock)
    line.endObject()
  }

  func name(ofField number: Int, of count: Int) -> StaticString { pick(number, "message", "nSat", "satellites") }
}

extension PUBX04: SentenceObject {
  /// `tow` is in seconds of the UTC week, `clockBias` and `granularity` in ns, `clockDrift` in ns/s.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("time", time)
    line.field("date", date)
    line.field("tow", timeOfWeek, decimals: 3)
    line.field("week", week)
    line.field("leapseconds", leapSeconds)
    line.field("leapReceived", leapSecondsReceived)
    line.field("clockBias", clockBias, decimals: 3)
    line.field("clockDrift", clockDrift, decimals: 3)
    line.field("granularity", pulseGranularity, decimals: 3)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(
      number, "message", "time", "date", "tow", "week", "leapseconds", "clockBias", "clockDrift", "granularity")
  }
}

extension PGRME: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.metres("eph", horizontal)
    line.metres("epv", vertical)
    line.metres("sep", spherical)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    pick(number, "eph", "eph", "epv", "epv", "sep", "sep")
  }
}

extension PGRMZ: SentenceObject {
  /// `source` is 1 none, 2 user or barometer, 3 satellites.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.metres("altMSL", altitudeMSL)
    line.field("source", kind.map { Int($0.rawValue) })
  }

  func name(ofField number: Int, of count: Int) -> StaticString { pick(number, "altMSL", "altMSL", "source") }
}

extension PMTK: SentenceObject {
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("packet", packet)
    line.field("command", command)
    line.field("result", result)
    line.field("message", message)
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    packet == 1 ? pick(number, "command", "result") : "message"
  }
}

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
