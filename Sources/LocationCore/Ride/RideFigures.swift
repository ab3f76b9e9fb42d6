/// The figures of a ride, from its unfiltered judged fixes by the rules of ``RideAccumulator``: seconds, metres, m/s.
package struct RideFigures: Hashable, Sendable {
  /// UTC of the first fix; `nil` while no fix has a date.
  package var start: UTCInstant?
  package var end: UTCInstant?
  /// From the first fix to the last, seconds, without a stop at either end that is long enough to separate rides.
  package var duration = 0.0
  package var movingTime = 0.0
  package var distance = 0.0
  /// Sums of all climbs and descents, metres; `nil` without altitudes.
  package var ascent: Double?
  package var descent: Double?
  /// The highest speed that two consecutive fixes reached, m/s; `nil` without speeds.
  package var maximumSpeed: Double?
  package var fixes = 0
  /// Number of gaps, which are times without a fix as `RideAccumulator` says, including those without power.
  package var gaps = 0
  /// Sum of these periods, seconds.
  package var gapTime = 0.0
  package var sensors = SensorSums()

  /// Distance divided by moving time, m/s; `nil` without motion.
  package var averageSpeed: Double? { movingTime > 0 ? distance / movingTime : nil }
}
