import LocationCore

/// Writes a ride in one of the formats, fix by fix, in bounded memory.
package struct RideExporter: Sendable {
  // One of the three; each is changed in its place, which an enum's payload is not.
  private var gpx: GPXWriter?
  private var geoJSON: GeoJSONWriter?
  private var csv: CSVWriter?
  private var simplifier: TrackSimplifier?
  /// Found while writing, unless a survey went before.
  private var survey: TrackSurvey
  private let isSurveyed: Bool

  /// Begins a ride; `survey` is what was found out about it if ``ExportOptions/needsSurvey``.
  package init(_ options: ExportOptions, survey: TrackSurvey? = nil) {
    isSurveyed = survey != nil
    self.survey = survey ?? TrackSurvey(sampler: options.sampler)
    simplifier = options.simplifier
    switch options.format {
    case .gpx:
      let region = options.hasBounds ? survey?.bounds.region?.padded : nil
      gpx = GPXWriter(title: options.title, region: region, route: survey?.route ?? [])
    case .geoJSON: geoJSON = GeoJSONWriter(title: options.title, pads: options.hasBounds)
    case .csv: csv = CSVWriter()
    }
  }

  /// How many fixes the ride has.
  package var count: Int { survey.count }

  /// Writes the next fix.
  package mutating func take(_ fix: Fix) {
    if !isSurveyed { survey.take(fix) }
    guard simplifier != nil else { return write(fix) }
    Self.simplify(&simplifier, fix, &gpx, &geoJSON, &csv)
  }

  /// Ends a segment: what follows is on the other side of a loss.
  package mutating func endSegment() {
    if simplifier != nil { Self.simplify(&simplifier, nil, &gpx, &geoJSON, &csv) }
    gpx?.endSegment()
    geoJSON?.endSegment()
    csv?.endSegment()
  }

  /// Ends the file.
  package mutating func finish() {
    endSegment()
    gpx?.finish()
    geoJSON?.finish(route: survey.route)
  }

  /// Gives away what has been written once it is at least that much.
  package mutating func flush(atLeast size: Int = 1, _ body: (borrowing [UInt8]) -> Void) {
    Self.flush(&gpx, \.bytes, size, body)
    Self.flush(&geoJSON, \.bytes, size, body)
    Self.flush(&csv, \.bytes, size, body)
  }

  private mutating func write(_ fix: borrowing Fix) {
    gpx?.take(fix)
    geoJSON?.take(fix)
    csv?.take(fix)
  }

  private static func simplify(
    _ simplifier: inout TrackSimplifier?, _ fix: Fix?, _ gpx: inout GPXWriter?, _ geoJSON: inout GeoJSONWriter?,
    _ csv: inout CSVWriter?
  ) {
    func keep(_ fix: borrowing Fix) {
      gpx?.take(fix)
      geoJSON?.take(fix)
      csv?.take(fix)
    }
    if let fix { simplifier?.take(fix, keep) } else { simplifier?.endSegment(keep) }
  }

  private static func flush<Writer>(
    _ writer: inout Writer?, _ bytes: WritableKeyPath<Writer, [UInt8]>, _ size: Int, _ body: (borrowing [UInt8]) -> Void
  ) {
    guard let count = writer?[keyPath: bytes].count, count >= size else { return }
    if let written = writer?[keyPath: bytes] { body(written) }
    writer?[keyPath: bytes].removeAll(keepingCapacity: true)
  }
}
