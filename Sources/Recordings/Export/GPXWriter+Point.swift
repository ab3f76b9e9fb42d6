import LocationCore

extension GPXWriter {
  /// Writes a `wptType` element, in the order of the schema.
  mutating func point(_ element: StaticString, _ fix: borrowing Fix) {
    bytes.append("<")
    bytes.append(element)
    bytes.append(" lat=\"")
    bytes.append(fixed: fix.position.latitude, decimals: 9)
    bytes.append("\" lon=\"")
    longitude(fix.position.longitude, decimals: 9)
    bytes.append("\">")
    number("ele", fix.altitudeMSL, decimals: 3)
    if let measured = fix.measured { time(measured) }
    if let variation = fix.magneticVariation { angle("magvar", variation, decimals: 2) }
    number("geoidheight", fix.geoidSeparation, decimals: 3)
    bytes.append("<fix>")
    bytes.append(Self.kind(fix.mode, fix.status))
    bytes.append("</fix>")
    if let satellites = fix.satellitesUsed, satellites >= 0 { whole("sat", satellites) }
    number("hdop", fix.hdop, decimals: 2)
    number("vdop", fix.vdop, decimals: 2)
    number("pdop", fix.pdop, decimals: 2)
    number("ageofdgpsdata", fix.dgpsAge, decimals: 1)
    if let station = fix.dgpsStation, (0...1023).contains(station) { whole("dgpsid", station) }
    motion(fix)
    bytes.append("</")
    bytes.append(element)
    bytes.append(">\n")
  }

  private mutating func motion(_ fix: borrowing Fix) {
    if fix.speed == nil, fix.course == nil { return }
    bytes.append("<extensions><gpxtpx:TrackPointExtension>")
    number("gpxtpx:speed", fix.speed, decimals: 3)
    if let course = fix.course { angle("gpxtpx:course", course, decimals: 2) }
    bytes.append("</gpxtpx:TrackPointExtension></extensions>")
  }

  /// The schema's five kinds of fix.
  private static func kind(_ mode: FixMode, _ status: FixStatus) -> StaticString {
    switch status {
    case .dgps, .rtkFixed, .rtkFloat: "dgps"
    case .pps: "pps"
    case .normal, .deadReckoning, .gnssDeadReckoning, .surveyed, .simulated: mode == .threeD ? "3d" : "2d"
    }
  }

  private mutating func number(_ element: StaticString, _ value: Double?, decimals: Int) {
    guard let value, value.isFinite else { return }
    open(element)
    bytes.append(fixed: value, decimals: decimals)
    close(element)
  }

  /// Degrees from 0 to below 360, after rounding too.
  private mutating func angle(_ element: StaticString, _ value: Double, decimals: Int) {
    guard value.isFinite else { return }
    let rest = value.truncatingRemainder(dividingBy: 360)
    let positive = rest < 0 ? rest + 360 : rest
    number(element, positive >= 359.995 ? 0 : positive, decimals: decimals)
  }

  private mutating func whole(_ element: StaticString, _ value: Int) {
    open(element)
    bytes.append(decimal: Int64(value))
    close(element)
  }

  private mutating func open(_ element: StaticString) {
    bytes.append("<")
    bytes.append(element)
    bytes.append(">")
  }

  private mutating func close(_ element: StaticString) {
    bytes.append("</")
    bytes.append(element)
    bytes.append(">")
  }
}
