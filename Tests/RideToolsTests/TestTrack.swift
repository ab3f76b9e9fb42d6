import LocationCore

@testable import Recordings
@testable import RideTools

/// Tracks for tests.
enum TestTrack {
  static let start = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)

  /// A fix without further values, `seconds` after 2026-03-19T12:35:19Z.
  static func fix(_ latitude: Double, _ longitude: Double, seconds: Double = 0) -> Fix {
    let place = Coordinate(latitude: latitude, longitude: longitude) ?? Coordinate.equator
    let later = Duration.nanoseconds(Int64((seconds * 1e9).rounded()))
    return Fix(position: place, mode: .threeD, measured: start + later, received: .zero + later)
  }

  /// A published fix of a ride; its number increases with its time.
  static func trackFix(_ fix: Fix, begins: Bool = false) -> TrackFix {
    let seq = UInt64(fix.received.nanoseconds / 100_000_000) + 1
    return TrackFix(
      fix: fix, published: fix.received, source: 0, seq: seq, number: TrackFix.numbersPerFile + seq,
      beginsSegment: begins)
  }

  static func moment(_ fix: Fix, begins: Bool = false) -> RideMoment { .fix(trackFix(fix, begins: begins)) }

  /// The export of these segments.
  static func export(_ segments: [[Fix]], _ options: ExportOptions) -> String {
    export(moments: segments.flatMap { segment in segment.enumerated().map { moment($1, begins: $0 == 0) } }, options)
  }

  static func export(moments: [RideMoment], _ options: ExportOptions) -> String {
    var survey = RideSurvey(sampler: options.sampler)
    if options.needsSurvey || options.format.has(.survey) { for moment in moments { survey.add(moment) } }
    var exporter = RideExporter(options, survey)
    var bytes: [UInt8] = []
    for moment in moments {
      exporter.add(moment)
      bytes += exporter.taken(atLeast: 4096) ?? []
    }
    exporter.finish()
    bytes += exporter.taken(atLeast: 1) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A track to the east along the equator with a fix every `step` metres.
  static func eastwards(_ count: Int, step: Double = 10, from longitude: Double = 10) -> [Fix] {
    (0..<count).map { fix(0, longitude + Double($0) * step / 111_319.490793, seconds: Double($0)) }
  }
}

extension Coordinate {
  /// 0° N 0° E.
  static let equator: Coordinate = {
    guard let place = Coordinate(latitude: 0, longitude: 0) else { fatalError("in range") }
    return place
  }()
}
