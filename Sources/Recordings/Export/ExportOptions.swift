/// What a ride is written as.
package enum ExportFormat: Hashable, Sendable {
  /// GPX 1.1.
  case gpx
  /// GeoJSON, RFC 7946.
  case geoJSON
  /// A table.
  case csv
}

/// How a ride is written.
package struct ExportOptions: Sendable {
  /// As what.
  package var format: ExportFormat
  /// Under which name.
  package var title: String
  /// A route beside the track; `nil` = none.
  package var sampler: RouteSampler?
  /// What may be left out; `nil` = nothing.
  package var simplifier: TrackSimplifier?
  /// Whether it names the region that a map would zoom to.
  package var hasBounds: Bool

  package init(
    format: ExportFormat, title: String, sampler: RouteSampler? = nil, simplifier: TrackSimplifier? = nil,
    hasBounds: Bool = false
  ) {
    self.format = format
    self.title = title
    self.sampler = sampler
    self.simplifier = simplifier
    self.hasBounds = hasBounds
  }

  /// Whether the ride must be surveyed before it is written: GPX has bounds and route before the track.
  package var needsSurvey: Bool { format == .gpx && (hasBounds || sampler != nil) }
}
