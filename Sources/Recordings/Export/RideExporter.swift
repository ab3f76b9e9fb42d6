import LocationCore

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
