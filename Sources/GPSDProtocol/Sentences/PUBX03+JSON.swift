import LocationCore

extension PUBX03: SentenceObject {
  /// `PRN` is u-blox's number; `use` is `U` used, `e` ephemeris at hand, `-` not used; `lock` is in seconds.
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
