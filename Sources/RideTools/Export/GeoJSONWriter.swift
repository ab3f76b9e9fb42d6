import GPSDProtocol
import LocationCore
import Recordings

/// A writer of rides as GeoJSON (RFC 7946): a FeatureCollection with a LineString for each stretch without a loss, a
/// Point for a stretch of one fix, and an optional route.
///
/// Heights are above the ellipsoid, as the RFC requires, and left out if the receiver did not report the geoid. Times
/// and speeds are in `coordinateProperties`, one for each position. To bound the memory, lines of more than 20 000
/// positions are cut at a fix, which is in both parts. The antimeridian cuts lines at an interpolated point. `bbox`
/// comes last.
package struct GeoJSONWriter: TrackWriter {
  package static let name = "GeoJSON"
  package static let help = "Write GeoJSON (RFC 7946)."
  package static let features: Set<ExportFeature> = [.bounds, .route, .simplification]
  static let longestLine = 20_000

  package var bytes: [UInt8] = []
  let title: String
  /// Whether the `bbox` is the region that a map would show, not the smallest one.
  let pads: Bool
  var bounds = TrackBounds()
  var segment = 1
  private var line: [GeoJSONPosition] = []
  private var hasFeature = false

  package init(_ options: ExportOptions, _ survey: RideSurvey) {
    title = options.title
    pads = options.hasBounds
    bytes.append("{\"type\":\"FeatureCollection\",\"features\":[")
  }

  package mutating func add(_ trackFix: TrackFix) {
    let fix = trackFix.fix
    bounds.add(fix.position, height: fix.altitudeHAE)
    let position = GeoJSONPosition(fix)
    if let last = line.last, let cut = last.cut(to: position) {
      line.append(cut.near)
      endLine()
      line.append(cut.far)
    } else if line.count == Self.longestLine, let last = line.last {
      endLine()
      line.append(last)
    }
    line.append(position)
  }

  package mutating func endSegment() {
    guard !line.isEmpty else { return }
    endLine()
    segment += 1
  }

  /// Ends the file with the route, if it has at least two points.
  package mutating func finish(route: [Fix]) {
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
    let low = [region.west, region.south] + (bounds.heights.map { [$0.lowerBound] } ?? [])
    let high = [region.east, region.north] + (bounds.heights.map { [$0.upperBound] } ?? [])
    bytes.append(",\n\"bbox\":")
    list(low + high) { $0.append(fixed: $1, decimals: 9) }
  }

  private mutating func endLine() {
    if line.count == 1 {
      beginFeature("Point")
      line[0].write(into: &bytes)
    } else {
      beginFeature("LineString")
      list(line) { $1.write(into: &$0) }
    }
    beginProperties()
    bytes.append(",\"segment\":")
    bytes.append(decimal: Int64(segment))
    bytes.append(",\"coordinateProperties\":{\"times\":")
    list(line) { bytes, position in
      guard let time = position.time else { return bytes.append("null") }
      bytes.append("\"")
      bytes.append(iso8601: time)
      bytes.append("\"")
    }
    bytes.append(",\"speeds\":")
    list(line) { bytes, position in
      guard let speed = position.speed, speed.isFinite else { return bytes.append("null") }
      bytes.append(fixed: speed, decimals: 3)
    }
    bytes.append("}}}")
    line.removeAll(keepingCapacity: true)
  }

  /// Writes the route as a MultiLineString, cut at the antimeridian.
  mutating func write(route: [Fix]) {
    beginFeature("MultiLineString")
    bytes.append("[[")
    var last: GeoJSONPosition?
    for fix in route {
      let position = GeoJSONPosition(fix)
      if let last {
        bytes.append(",")
        if let cut = last.cut(to: position) {
          cut.near.write(into: &bytes)
          bytes.append("],[")
          cut.far.write(into: &bytes)
          bytes.append(",")
        }
      }
      position.write(into: &bytes)
      last = position
    }
    bytes.append("]]")
    beginProperties()
    bytes.append(",\"route\":true}}")
  }

  private mutating func beginProperties() {
    bytes.append("},\"properties\":{\"name\":")
    var name = JSONLine()
    name.value(title)
    bytes += name.bytes
  }

  private mutating func list<Value>(_ values: [Value], _ write: (inout [UInt8], Value) -> Void) {
    bytes.append("[")
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(",") }
      write(&bytes, value)
    }
    bytes.append("]")
  }
}

/// A position of a GeoJSON line with its properties: degrees, metres, m/s.
struct GeoJSONPosition: Hashable, Sendable {
  var longitude: Double
  var latitude: Double
  /// Above the ellipsoid, metres.
  var height: Double?
  var time: UTCInstant?
  var speed: Double?

  init(_ fix: Fix) {
    longitude = fix.position.longitude
    latitude = fix.position.latitude
    height = fix.altitudeHAE
    time = fix.measured
    speed = fix.speed
  }

  /// Where the shorter way to another position crosses the antimeridian, seen from either side; `nil` if nowhere.
  func cut(to next: GeoJSONPosition) -> (near: GeoJSONPosition, far: GeoJSONPosition)? {
    guard abs(next.longitude - longitude) > 180 else { return nil }
    let before = 180 - abs(longitude)
    let whole = before + 180 - abs(next.longitude)
    let share = whole > 0 ? before / whole : 0
    var near = self
    near.longitude = longitude < 0 ? -180 : 180
    near.latitude += (next.latitude - latitude) * share
    near.height = height.flatMap { from in next.height.map { from + ($0 - from) * share } }
    near.speed = speed.flatMap { from in next.speed.map { from + ($0 - from) * share } }
    near.time = time.flatMap { from in
      // A fraction of the time between two recorded times is far from the type's bounds.
      next.time.map { from + .nanoseconds(Int64(exactly: (($0 - from) / .nanoseconds(1) * share).rounded()) ?? 0) }
    }
    var far = near
    far.longitude = -near.longitude
    return (near, far)
  }

  func write(into bytes: inout [UInt8]) {
    bytes.append("[")
    bytes.append(fixed: longitude, decimals: 9)
    bytes.append(",")
    bytes.append(fixed: latitude, decimals: 9)
    if let height, height.isFinite {
      bytes.append(",")
      bytes.append(fixed: height, decimals: 3)
    }
    bytes.append("]")
  }
}
