import LocationCore
import Recordings

/// A writer of rides as GPX 1.1: an optional route, then one track with a segment for each stretch without a loss.
///
/// `ele` is the altitude above mean sea level, `geoidheight` the height of the geoid above the ellipsoid. GPX 1.1 has
/// neither speed nor course: they are in Garmin's TrackPointExtension v2, in m/s and degrees, with what the rider's
/// sensors measured; `power` stands beside it, where Strava and others read it. Elements are in the schema's order;
/// unknown values are left out.
package struct GPXWriter: TrackWriter {
  package static let name = "GPX"
  package static let help = "Write GPX 1.1."
  package static let features: Set<ExportFeature> = [.bounds, .route, .preface, .simplification, .stopFilter]

  package var bytes: [UInt8] = []

  private enum State { case beforeTrack, betweenSegments, inSegment }

  private let title: String
  private let region: MapRegion?
  private let route: [Fix]
  private var state = State.beforeTrack

  package init(_ options: ExportOptions, _ survey: RideSurvey) {
    title = options.title
    region = options.hasBounds ? survey.bounds.region?.padded : nil
    route = survey.route
  }

  package mutating func add(_ fix: TrackFix) {
    switch state {
    case .beforeTrack:
      begin(at: fix.fix.measured)
      fallthrough
    case .betweenSegments:
      bytes.append("<trkseg>\n")
      state = .inSegment
    case .inSegment: break
    }
    point(.track, fix.fix, fix.sensed.rider)
  }

  package mutating func endSegment() {
    guard state == .inSegment else { return }
    bytes.append("</trkseg>\n")
    state = .betweenSegments
  }

  /// Ends the file. The route precedes the track, so `route` is ignored.
  package mutating func finish(route: [Fix]) {
    if state == .beforeTrack { begin(at: nil) }
    endSegment()
    bytes.append("</trk>\n</gpx>\n")
  }

  private mutating func begin(at start: UTCInstant?) {
    let name = "<name>\(String { $0.append(xml: title) })</name>"
    var head = """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" version="1.1" creator="handlebarctl">
      <metadata>\(name)
      """
    if let start { head += "<time>\(String(iso8601: start))</time>" }
    if let region {
      // The schema's longitudes are below 180.
      let edges = [region.south, Self.below180(region.west), region.north, min(region.east, 179.999_999_9)]
      let texts = edges.map { String(fixed: $0, decimals: 7) }
      head += "<bounds minlat=\"\(texts[0])\" minlon=\"\(texts[1])\" maxlat=\"\(texts[2])\" maxlon=\"\(texts[3])\"/>"
    }
    bytes.append(contentsOf: "\(head)</metadata>\n".utf8)
    if !route.isEmpty {
      bytes.append(contentsOf: "<rte>\(name)\n".utf8)
      for fix in route { point(.route, fix) }
      bytes.append("</rte>\n")
    }
    bytes.append(contentsOf: "<trk>\(name)\n".utf8)
    state = .betweenSegments
  }

  /// A longitude of the schema: 180 becomes −180.
  static func below180(_ degrees: Double) -> Double { degrees >= 180 - 0.5e-9 ? -180 : degrees }

  /// Writes a `wptType` element.
  mutating func point(_ element: Element, _ fix: Fix, _ rider: SensorValues = SensorValues()) {
    bytes.append(element == .track ? "<trkpt lat=\"" : "<rtept lat=\"")
    bytes.append(fixed: fix.position.latitude, decimals: 9)
    bytes.append("\" lon=\"")
    bytes.append(fixed: Self.below180(fix.position.longitude), decimals: 9)
    bytes.append("\">")
    number("ele", fix.altitudeMSL, decimals: 3)
    if let measured = fix.measured { tag("time") { $0.append(iso8601: measured) } }
    number("magvar", Self.angle(fix.magneticVariation), decimals: 2)
    number("geoidheight", fix.geoidSeparation, decimals: 3)
    tag("fix") { $0.append(Self.kind(fix.mode, fix.status)) }
    if let satellites = fix.satellitesUsed, satellites >= 0 {
      tag("sat") { $0.append(decimal: Int64(satellites)) }
    }
    number("hdop", fix.hdop, decimals: 2)
    number("vdop", fix.vdop, decimals: 2)
    number("pdop", fix.pdop, decimals: 2)
    number("ageofdgpsdata", fix.dgpsAge, decimals: 1)
    if let station = fix.dgpsStation, (0...1023).contains(station) {
      tag("dgpsid") { $0.append(decimal: Int64(station)) }
    }
    if fix.speed != nil || fix.course != nil || !rider.isEmpty {
      bytes.append("<extensions>")
      whole("power", rider.power)
      bytes.append("<gpxtpx:TrackPointExtension>")
      number("gpxtpx:atemp", rider.temperature, decimals: 1)
      whole("gpxtpx:hr", rider.heartRate)
      // The schema ends there.
      whole("gpxtpx:cad", rider.cadence.map { min($0, 254) })
      number("gpxtpx:speed", fix.speed, decimals: 3)
      number("gpxtpx:course", Self.angle(fix.course), decimals: 2)
      bytes.append("</gpxtpx:TrackPointExtension></extensions>")
    }
    bytes.append(element == .track ? "</trkpt>\n" : "</rtept>\n")
  }

  /// Writes an element, or nothing without a finite number.
  private mutating func number(_ name: StaticString, _ value: Double?, decimals: Int) {
    guard let value, value.isFinite else { return }
    tag(name) { $0.append(fixed: value, decimals: decimals) }
  }

  private mutating func whole(_ name: StaticString, _ value: Int?) {
    if let value { tag(name) { $0.append(decimal: Int64(value)) } }
  }

  private mutating func tag(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
    bytes.append("<")
    bytes.append(name)
    bytes.append(">")
    write(&bytes)
    bytes.append("</")
    bytes.append(name)
    bytes.append(">")
  }

  enum Element { case track, route }

  /// The type of fix in the schema's terms.
  private static func kind(_ mode: FixMode, _ status: FixStatus) -> StaticString {
    switch status {
    case .dgps, .rtkFixed, .rtkFloat: "dgps"
    case .pps: "pps"
    case .normal, .deadReckoning, .gnssDeadReckoning, .surveyed, .simulated: mode == .threeD ? "3d" : "2d"
    }
  }

  /// Degrees from 0 to below 360, also after rounding to two decimals; `nil` without a finite number.
  private static func angle(_ value: Double?) -> Double? {
    guard let value, value.isFinite else { return nil }
    let rest = value.magnitude < 360 ? value : value.truncatingRemainder(dividingBy: 360)
    let positive = rest < 0 ? rest + 360 : rest
    return positive >= 359.995 ? 0 : positive
  }
}
