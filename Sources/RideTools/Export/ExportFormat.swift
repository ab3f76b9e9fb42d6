import LocationCore
import Recordings

/// The formats of exported rides. The raw value is the flag that chooses one.
package enum ExportFormat: String, CaseIterable, Sendable {
  case gpx, fit, tcx, geojson, csv

  package var writer: any RideWriter.Type {
    switch self {
    case .gpx: GPXWriter.self
    case .fit: FITWriter.self
    case .tcx: TCXWriter.self
    case .geojson: GeoJSONWriter.self
    case .csv: CSVWriter.self
    }
  }

  package func has(_ feature: ExportFeature) -> Bool { writer.features.contains(feature) }
}

/// What a format has besides its fixes: which options go with it.
package enum ExportFeature: Hashable, Sendable {
  case bounds, route
  /// Bounds and route precede the track: they are collected in a pass of their own.
  case preface
  case simplification
  /// The stops are left out, unless every fix is wanted.
  case stopFilter
  /// What is known at the ride's end alone precedes its fixes: the sums of a lap, the columns that it has.
  case survey
  /// Laps and a timer that stops; every fix needs a date.
  case activity
}

package protocol RideWriter: Sendable {
  static var name: String { get }
  static var help: String { get }
  static var features: Set<ExportFeature> { get }

  /// What is written so far; the caller may remove it.
  var bytes: [UInt8] { get set }

  /// A writer of one ride. `survey` is of the whole ride for a wanted preface, and for a format with that feature.
  init(_ options: ExportOptions, _ survey: RideSurvey)
  mutating func add(_ moment: RideMoment)
  /// Ends the file; formats in which the route follows the track write it.
  mutating func finish(route: [Fix])
}

/// A writer of tracks, fix by fix, in bounded memory.
package protocol TrackWriter: RideWriter {
  mutating func add(_ fix: TrackFix)
  /// Ends the segment, if it has a fix.
  mutating func endSegment()
}

extension TrackWriter {
  package mutating func add(_ moment: RideMoment) {
    guard case .fix(let trackFix) = moment else { return }
    if trackFix.beginsSegment { endSegment() }
    add(trackFix)
  }
}
