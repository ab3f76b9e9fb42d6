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
