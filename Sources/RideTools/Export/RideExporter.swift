import Recordings

package struct RideExporter: Sendable {
  package private(set) var count = 0
  private var writer: any RideWriter
  private var simplifier: TrackSimplifier?
  /// Chooses the route while the track is written, unless it precedes that.
  private var sampler: RouteSampler?

  /// Begins a ride, with its survey if ``ExportOptions/needsSurvey`` or if its format has one.
  package init(_ options: ExportOptions, _ survey: RideSurvey = RideSurvey()) {
    writer = options.format.writer.init(options, survey)
    simplifier = options.simplifier
    sampler = options.needsSurvey ? nil : options.sampler
  }

  package mutating func add(_ moment: RideMoment) {
    guard case .fix(let fix) = moment else { return writer.add(moment) }
    count += 1
    sampler?.add(fix.fix)
    guard simplifier != nil else { return writer.add(moment) }
    if fix.beginsSegment { endSegment() }
    simplifier?.add(fix) { writer.add(.fix($0)) }
  }

  package mutating func finish() {
    endSegment()
    writer.finish(route: sampler?.route ?? [])
  }

  /// The bytes written since the last call, or `nil` while they are fewer than `size`.
  package mutating func taken(atLeast size: Int) -> [UInt8]? {
    guard writer.bytes.count >= size else { return nil }
    let written = writer.bytes
    writer.bytes = []
    writer.bytes.reserveCapacity(written.count)
    return written
  }

  private mutating func endSegment() { simplifier?.endSegment { writer.add(.fix($0)) } }
}

package struct ExportOptions: Sendable {
  package var format: ExportFormat
  package var title: String
  /// Chooses the points of a route in addition to the track; `nil` for no route.
  package var sampler: RouteSampler?
  package var simplifier: TrackSimplifier?
  package var hasBounds = false

  /// Whether bounds or route must be known before the track is written.
  package var needsSurvey: Bool { format.has(.preface) && (hasBounds || sampler != nil) }
}

extension ExportOptions {
  package init(_ format: ExportFormat, title: String) { self.init(format: format, title: title) }
}
