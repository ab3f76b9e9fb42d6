import LocationCore
import Recordings

/// A writer of rides as GPX 1.1: an optional route, then one track with a segment for each stretch without a loss.
///
/// `ele` is the altitude above mean sea level, `geoidheight` the height of the geoid above the ellipsoid. GPX 1.1 has
/// neither speed nor course: they are in Garmin's TrackPointExtension v2, in m/s and degrees, with what the rider's
/// sensors measured; `power` is beside it, where Strava and others read it. Elements are in the schema's order;
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

  mutating func point(_ element: Element, _ fix: Fix, _ rider: SensorValues = SensorValues()) {
    bytes.append(element == .track ? "<trkpt lat=\"" : "<rtept lat=\"")
    bytes.append(fixed: fix.position.latitude, decimals: 9)
    bytes.append("\" lon=\"")
    bytes.append(fixed: Self.below180(fix.position.longitude), decimals: 9)
    bytes.append("\">")
    bytes.append(element: "ele", fix.altitudeMSL, decimals: 3)
    if let measured = fix.measured { bytes.append(element: "time") { $0.append(iso8601: measured) } }
    bytes.append(element: "magvar", Self.angle(fix.magneticVariation), decimals: 2)
    bytes.append(element: "geoidheight", fix.geoidSeparation, decimals: 3)
    bytes.append(element: "fix") { $0.append(Self.kind(fix.mode, fix.status)) }
    bytes.append(element: "sat", fix.satellitesUsed.flatMap { $0 >= 0 ? Double($0) : nil }, decimals: 0)
    bytes.append(element: "hdop", fix.hdop, decimals: 2)
    bytes.append(element: "vdop", fix.vdop, decimals: 2)
    bytes.append(element: "pdop", fix.pdop, decimals: 2)
    bytes.append(element: "ageofdgpsdata", fix.dgpsAge, decimals: 1)
    let station = fix.dgpsStation.flatMap { (0...1023).contains($0) ? Double($0) : nil }
    bytes.append(element: "dgpsid", station, decimals: 0)
    if fix.speed != nil || fix.course != nil || !rider.isEmpty {
      bytes.append("<extensions>")
      bytes.append(element: "power", rider.power.map(Double.init), decimals: 0)
      bytes.append("<gpxtpx:TrackPointExtension>")
      bytes.append(element: "gpxtpx:atemp", rider.temperature, decimals: 1)
      bytes.append(element: "gpxtpx:hr", rider.heartRate.map(Double.init), decimals: 0)
      // The schema ends there.
      bytes.append(element: "gpxtpx:cad", rider.cadence.map { Double(min($0, 254)) }, decimals: 0)
      bytes.append(element: "gpxtpx:speed", fix.speed, decimals: 3)
      bytes.append(element: "gpxtpx:course", Self.angle(fix.course), decimals: 2)
      bytes.append("</gpxtpx:TrackPointExtension></extensions>")
    }
    bytes.append(element == .track ? "</trkpt>\n" : "</rtept>\n")
  }

  enum Element { case track, route }

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
