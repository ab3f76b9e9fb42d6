import Libc

/// The climb and the error of the course that follow from two fixes of one source, where the receiver states none.
struct FixRates: Sendable {
  /// Times between two altitudes that give a climb: a longer one only gives a mean of what happened in between.
  private static let intervals: ClosedRange<Int64> = 9_900_000...10_000_000_000

  private var source: SourceID?
  private var place: EarthCentered?
  /// The newest altitude, metres, and its time. Some receivers send one in every second epoch only.
  private var level: (altitude: Double, time: FixTime)?

  mutating func complete(_ fix: inout Fix, of source: SourceID) {
    if source != self.source { lost() }
    self.source = source
    if fix.mode == .threeD, let altitude = fix.altitudeMSL {
      let time = FixTime(fix)
      if fix.climb == nil, let level, let interval = time.nanoseconds(since: level.time),
        Self.intervals.contains(interval)
      {
        fix.climb = (altitude - level.altitude) / (Double(interval) * 1e-9)
      }
      level = (altitude, time)
    }
    let place = EarthCentered(fix.position)
    if fix.course != nil, fix.courseAccuracy == nil, let error = fix.horizontalAccuracy, let previous = self.place {
      fix.courseAccuracy = Self.angle(of: error, at: (place - previous).length)
      fix.isCourseAccuracyDerived = fix.courseAccuracy != nil
    }
    self.place = place
  }

  /// Forgets the fix before: what happened in between is unknown.
  mutating func lost() {
    place = nil
    level = nil
  }

  /// The angle, degrees, of an error seen from a distance, both metres. A step within the error gives no direction.
  static func angle(of error: Double, at distance: Double) -> Double? {
    distance > error ? 2 * atan2(error, distance) * 180 / .pi : nil
  }
}
