import LocationCore

/// Writes a ride as GPX 1.1: one track, a segment for each stretch without a loss, before it an optional route.
///
/// `ele` is the altitude above mean sea level, as GPX receivers and maps have it, `geoidheight` what leads from there
/// to the ellipsoid. GPX 1.1 knows no speed and no course: they stand in Garmin's TrackPointExtension v2, m/s and
/// degrees. Elements come in the schema's order, what is unknown is left out.
package struct GPXWriter: TrackWriter {
  /// What has been written; the owner takes it away now and then.
  package var bytes: [UInt8] = []

  private enum Place { case beforeTrack, betweenSegments, inSegment }

  private let title: String
  private let region: MapRegion?
  private let route: [Fix]
  private var place = Place.beforeTrack

  /// A ride of that name.
  ///
  /// - Parameters:
  ///   - region: what a map is to show, for `bounds`.
  ///   - route: the points of a route.
  package init(title: String, region: MapRegion? = nil, route: [Fix] = []) {
    self.title = title
    self.region = region
    self.route = route
  }

  /// Writes the next point of the track.
  package mutating func take(_ fix: Fix) {
    switch place {
    case .beforeTrack:
      begin(at: fix.measured)
      fallthrough
    case .betweenSegments:
      bytes.append("<trkseg>\n")
      place = .inSegment
    case .inSegment: break
    }
    point(.track, fix)
  }

  /// Ends the segment; there is none without a point.
  package mutating func endSegment() {
    guard place == .inSegment else { return }
    bytes.append("</trkseg>\n")
    place = .betweenSegments
  }

  /// Ends the file; its route stands before the track.
  package mutating func finish(route: [Fix] = []) {
    if place == .beforeTrack { begin(at: nil) }
    endSegment()
    bytes.append("</trk>\n</gpx>\n")
  }

  private mutating func begin(at start: UTCInstant?) {
    bytes.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" version="1.1" creator="handlebarctl">
      <metadata>
      """)
    name()
    if let start { time(start) }
    if let region { bounds(region) }
    bytes.append("</metadata>\n")
    if !route.isEmpty {
      bytes.append("<rte>")
      name()
      bytes.append("\n")
      for fix in route { point(.route, fix) }
      bytes.append("</rte>\n")
    }
    bytes.append("<trk>")
    name()
    bytes.append("\n")
    place = .betweenSegments
  }

  private mutating func name() {
    bytes.append("<name>")
    bytes.append(xml: title)
    bytes.append("</name>")
  }

  private mutating func time(_ instant: UTCInstant) {
    bytes.append("<time>")
    bytes.append(iso8601: instant)
    bytes.append("</time>")
  }

  private mutating func bounds(_ region: MapRegion) {
    bytes.append("<bounds minlat=\"")
    bytes.append(fixed: region.south, decimals: 7)
    bytes.append("\" minlon=\"")
    longitude(region.west, decimals: 7)
    bytes.append("\" maxlat=\"")
    bytes.append(fixed: region.north, decimals: 7)
    bytes.append("\" maxlon=\"")
    // The schema's longitudes end before 180.
    bytes.append(fixed: min(region.east, 179.999_999_9), decimals: 7)
    bytes.append("\"/>")
  }

  /// Writes a longitude below 180: there it is −180.
  private mutating func longitude(_ degrees: Double, decimals: Int) {
    bytes.append(fixed: Self.below180(degrees), decimals: decimals)
  }

  static func below180(_ degrees: Double) -> Double { degrees >= 180 - 0.5e-9 ? -180 : degrees }
}

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
