import LocationCore

extension GPXWriter {
  /// More bytes than a point can have.
  private static let longestPoint = 1024

  /// Writes a `wptType` element, in the order of the schema.
  mutating func point(_ element: Element, _ fix: Fix) {
    bytes.append(atMost: Self.longestPoint) { text in
      text.put(element == .track ? "<trkpt lat=\"" : "<rtept lat=\"")
      text.put(fixed: fix.position.latitude, decimals: 9)
      text.put("\" lon=\"")
      text.put(fixed: Self.below180(fix.position.longitude), decimals: 9)
      text.put("\">")
      text.put("<ele>", fix.altitudeMSL, decimals: 3, "</ele>")
      if let measured = fix.measured {
        text.put("<time>")
        text.put(iso8601: measured)
        text.put("</time>")
      }
      text.put("<magvar>", Self.angle(fix.magneticVariation), decimals: 2, "</magvar>")
      text.put("<geoidheight>", fix.geoidSeparation, decimals: 3, "</geoidheight>")
      text.put("<fix>")
      text.put(Self.kind(fix.mode, fix.status))
      text.put("</fix>")
      if let satellites = fix.satellitesUsed, satellites >= 0 {
        text.put("<sat>")
        text.put(decimal: Int64(satellites))
        text.put("</sat>")
      }
      text.put("<hdop>", fix.hdop, decimals: 2, "</hdop>")
      text.put("<vdop>", fix.vdop, decimals: 2, "</vdop>")
      text.put("<pdop>", fix.pdop, decimals: 2, "</pdop>")
      text.put("<ageofdgpsdata>", fix.dgpsAge, decimals: 1, "</ageofdgpsdata>")
      if let station = fix.dgpsStation, (0...1023).contains(station) {
        text.put("<dgpsid>")
        text.put(decimal: Int64(station))
        text.put("</dgpsid>")
      }
      if fix.speed != nil || fix.course != nil {
        text.put("<extensions><gpxtpx:TrackPointExtension>")
        text.put("<gpxtpx:speed>", fix.speed, decimals: 3, "</gpxtpx:speed>")
        text.put("<gpxtpx:course>", Self.angle(fix.course), decimals: 2, "</gpxtpx:course>")
        text.put("</gpxtpx:TrackPointExtension></extensions>")
      }
      text.put(element == .track ? "</trkpt>\n" : "</rtept>\n")
    }
  }

  /// What a point is one of.
  enum Element {
    case track, route
  }

  /// The schema's five kinds of fix.
  private static func kind(_ mode: FixMode, _ status: FixStatus) -> StaticString {
    switch status {
    case .dgps, .rtkFixed, .rtkFloat: "dgps"
    case .pps: "pps"
    case .normal, .deadReckoning, .gnssDeadReckoning, .surveyed, .simulated: mode == .threeD ? "3d" : "2d"
    }
  }

  /// Degrees from 0 to below 360, after rounding to two decimals too; `nil` for none.
  private static func angle(_ value: Double?) -> Double? {
    guard let value, value.isFinite else { return nil }
    let rest = value.magnitude < 360 ? value : value.truncatingRemainder(dividingBy: 360)
    let positive = rest < 0 ? rest + 360 : rest
    return positive >= 359.995 ? 0 : positive
  }
}

extension TextCursor {
  /// Writes an element with a number; nothing if that is none.
  @inline(always)
  fileprivate mutating func put(_ open: StaticString, _ value: Double?, decimals: Int, _ close: StaticString) {
    guard let value, value.isFinite else { return }
    put(open)
    put(fixed: value, decimals: decimals)
    put(close)
  }
}
