import LocationCore
import Recordings

/// A writer of rides in the formats that need one pass, moment by moment, in bounded memory.
package struct RideExporter: Sendable {
  /// Collected while writing, unless the ride was surveyed before.
  private var survey: TrackSurvey
  private let isSurveyed: Bool
  private var simplifier: TrackSimplifier?
  private var writer: any TrackWriter

  /// Begins a ride. `survey` is its survey if ``ExportOptions/needsSurvey``.
  package init(_ options: ExportOptions, survey: TrackSurvey? = nil) {
    isSurveyed = survey != nil
    self.survey = survey ?? TrackSurvey(sampler: options.sampler)
    simplifier = options.simplifier
    switch options.format {
    case .gpx:
      let region = options.hasBounds ? survey?.bounds.region?.padded : nil
      writer = GPXWriter(title: options.title, region: region, route: survey?.route ?? [])
    case .geoJSON: writer = GeoJSONWriter(title: options.title, pads: options.hasBounds)
    case .csv: writer = CSVWriter()
    }
  }

  package var count: Int { survey.count }

  /// Writes the next moment if it is a fix.
  package mutating func take(_ moment: RideMoment) {
    guard case .fix(let trackFix) = moment else { return }
    if trackFix.beginsSegment { endSegment() }
    if !isSurveyed { survey.take(trackFix.fix) }
    if simplifier == nil { writer.take(trackFix.fix) } else { simplifier?.take(trackFix.fix) { writer.take($0) } }
  }

  package mutating func finish() {
    endSegment()
    writer.finish(route: isSurveyed ? [] : survey.route)
  }

  /// The bytes written since the last call, or `nil` while they are fewer than `size`.
  package mutating func taken(atLeast size: Int) -> [UInt8]? {
    guard writer.bytes.count >= size else { return nil }
    let written = writer.bytes
    writer.bytes = []
    writer.bytes.reserveCapacity(written.count)
    return written
  }

  private mutating func endSegment() {
    simplifier?.endSegment { writer.take($0) }
    writer.endSegment()
  }
}

package enum ExportFormat: Hashable, Sendable {
  case gpx
  case geoJSON
  case csv
}

package struct ExportOptions: Sendable {
  package var format: ExportFormat
  package var title: String
  /// Chooses the points of a route in addition to the track; `nil` for no route.
  package var sampler: RouteSampler?
  package var simplifier: TrackSimplifier?
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

  /// Whether the ride must be surveyed before it is written: in GPX, bounds and route precede the track.
  package var needsSurvey: Bool { format == .gpx && (hasBounds || sampler != nil) }
}

/// The extent, number of fixes and route of a whole ride, collected in a pass of its own if they precede the track.
package struct TrackSurvey: Sendable {
  package private(set) var bounds = TrackBounds()
  package private(set) var count = 0
  private var sampler: RouteSampler?

  package init(sampler: RouteSampler? = nil) { self.sampler = sampler }

  package mutating func take(_ fix: Fix) {
    bounds.take(fix.position)
    sampler?.take(fix)
    count += 1
  }

  package mutating func take(_ moment: RideMoment) {
    if case .fix(let trackFix) = moment { take(trackFix.fix) }
  }

  package var route: [Fix] { sampler?.route ?? [] }
}

/// A writer of tracks in one format, fix by fix, in bounded memory.
package protocol TrackWriter: Sendable {
  var bytes: [UInt8] { get set }

  mutating func take(_ fix: Fix)
  /// Ends the segment, if it has a fix.
  mutating func endSegment()
  /// Ends the file; formats in which the route follows the track write it.
  mutating func finish(route: [Fix])
}
