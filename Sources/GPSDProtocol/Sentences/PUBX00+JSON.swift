import LocationCore

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
