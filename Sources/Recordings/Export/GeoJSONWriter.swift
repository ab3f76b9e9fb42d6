import LocationCore

/// Writes a ride as GeoJSON (RFC 7946): a FeatureCollection with a LineString for each stretch without a loss, a Point
/// for a stretch of one fix, and an optional route.
///
/// Heights are above the ellipsoid, as the RFC has it, left out where the receiver did not tell the geoid. Times and
/// speeds stand in `coordinateProperties`, one for each position. A line over the antimeridian is cut there, at an
/// interpolated point, and one of more than 20 000 positions at a fix, which is then in both parts: so memory is
/// bounded. `bbox` comes last.
package struct GeoJSONWriter: TrackWriter {
  /// The most positions of a line.
  package static let longestLine = 20_000

  /// What has been written; the owner takes it away now and then.
  package var bytes: [UInt8] = []

  let title: String
  let pads: Bool
  var bounds = TrackBounds()
  var segment = 1
  var line = Line.empty
  /// Of the line in progress.
  var times: [UTCInstant?] = []
  var speeds: [Double?] = []
  private var hasFeature = false

  /// What there is of the line in progress.
  enum Line: Sendable {
    case empty
    /// Its first position, not written: it may stay alone.
    case one(GeoJSONPosition)
    /// Positions are written up to this one.
    case open(GeoJSONPosition)
  }

  /// A ride of that name. `pads`: the `bbox` is the region that a map would zoom to, not the smallest one.
  package init(title: String, pads: Bool = false) {
    self.title = title
    self.pads = pads
    bytes.append("{\"type\":\"FeatureCollection\",\"features\":[")
  }

  /// Writes the next fix.
  package mutating func take(_ fix: Fix) {
    bounds.take(fix.position, height: fix.altitudeHAE)
    let position = GeoJSONPosition(fix)
    if let last = end, let cut = last.cut(to: position) {
      add(cut.near)
      endLine()
      add(cut.far)
    } else if times.count == Self.longestLine, let last = end {
      endLine()
      add(last)
    }
    add(position)
  }

  /// Ends the segment.
  package mutating func endSegment() {
    guard end != nil else { return }
    endLine()
    segment += 1
  }

  /// Ends the file, with a route if there is one.
  package mutating func finish(route: [Fix] = []) {
    endSegment()
    if route.count > 1 { write(route: route) }
    bytes.append("\n]")
    box()
    bytes.append("}\n")
  }

  mutating func beginFeature(_ type: StaticString) {
    bytes.append(hasFeature ? ",\n" : "\n")
    hasFeature = true
    bytes.append("{\"type\":\"Feature\",\"geometry\":{\"type\":\"")
    bytes.append(type)
    bytes.append("\",\"coordinates\":")
  }

  private mutating func box() {
    guard let exact = bounds.region else { return }
    let region = pads ? exact.padded : exact
    bytes.append(",\n\"bbox\":[")
    let low = [region.west, region.south] + (bounds.heights.map { [$0.lowerBound] } ?? [])
    let high = [region.east, region.north] + (bounds.heights.map { [$0.upperBound] } ?? [])
    for (index, number) in (low + high).enumerated() {
      if index > 0 { bytes.append(",") }
      bytes.append(fixed: number, decimals: 9)
    }
    bytes.append("]")
  }
}
