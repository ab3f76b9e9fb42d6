import LocationCore
import Recordings

/// Writes a ride in one of the formats, moment by moment, in bounded memory.
package struct RideExporter: Sendable {
  /// Found while writing, unless a survey went before.
  private var survey: TrackSurvey
  private let isSurveyed: Bool
  private var simplifier: TrackSimplifier?
  private var writer: any TrackWriter

  /// Begins a ride; `survey` is what was found out about it if ``ExportOptions/needsSurvey``.
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

  /// How many fixes the ride has.
  package var count: Int { survey.count }

  /// Writes what happened next: fixes, and where the way from one to the next is not known.
  package mutating func take(_ moment: RideMoment) {
    guard case .fix(let ridden) = moment else { return }
    if ridden.beginsSegment { endSegment() }
    if !isSurveyed { survey.take(ridden.fix) }
    if simplifier == nil {
      writer.take(ridden.fix)
    } else {
      simplifier?.take(ridden.fix) { writer.take($0) }
    }
  }

  /// Ends the file.
  package mutating func finish() {
    endSegment()
    writer.finish(route: isSurveyed ? [] : survey.route)
  }

  /// What has been written since the last call, once it is at least so many bytes.
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

/// What an export has to know about the whole ride: found in a pass of its own where it stands before the track.
package struct TrackSurvey: Sendable {
  /// What the ride reaches.
  package private(set) var bounds = TrackBounds()
  /// How many fixes it has.
  package private(set) var count = 0
  private var sampler: RouteSampler?

  /// Of nothing yet; with a route of that sampler.
  package init(sampler: RouteSampler? = nil) {
    self.sampler = sampler
  }

  /// Takes the next fix.
  package mutating func take(_ fix: Fix) {
    bounds.take(fix.position)
    sampler?.take(fix)
    count += 1
  }

  /// Takes what happened next.
  package mutating func take(_ moment: RideMoment) {
    if case .fix(let ridden) = moment { take(ridden.fix) }
  }

  /// The route's points, none without a sampler.
  package var route: [Fix] { sampler?.route ?? [] }
}

/// Writes a track in one format, fix by fix, in bounded memory.
package protocol TrackWriter: Sendable {
  /// What has been written; the owner takes it away now and then.
  var bytes: [UInt8] { get set }

  /// Writes the next fix.
  mutating func take(_ fix: Fix)

  /// Ends the segment; one without a fix is none.
  mutating func endSegment()

  /// Ends the file. `route` is for a format that has it behind the track.
  mutating func finish(route: [Fix])
}
