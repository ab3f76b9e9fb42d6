import LocationCore

extension GSV: SentenceObject {
  /// `PRN` is the number as received.
  func write(_ fields: SentenceFields, into line: inout JSONLine) {
    line.field("part", part)
    line.field("parts", parts)
    line.field("nSat", total)
    line.beginArray("satellites")
    if let satellites {
      for index in 0..<satellites.count { Self.write(satellites.elements[index], into: &line) }
    }
    line.endArray()
    line.field("signal", signalID)
    line.field("system", systemID)
  }

  private static func write(_ satellite: GSVSatellite, into line: inout JSONLine) {
    line.beginObject()
    line.field("PRN", satellite.number)
    line.field("el", satellite.elevation, decimals: 3)
    line.field("az", satellite.azimuth, decimals: 3)
    line.field("ss", satellite.signal, decimals: 3)
    line.endObject()
  }

  func name(ofField number: Int, of count: Int) -> StaticString {
    let groups = min(max(count - 3, 0) / 4, 4)
    return switch number {
    case 1: "parts"
    case 2: "part"
    case 3: "nSat"
    case ...(3 + 4 * groups): "satellites"
    default: pick(number - 3 - 4 * groups, "signal", "system", "satellites")
    }
  }
}
