import LocationCore

/// What a ride came to. Everything is of its unfiltered judged fixes, by the rules of ``RideAccumulator``.
package struct RideFigures: Hashable, Sendable {
  /// UTC of the first fix; `nil` while the receiver has told no date.
  package var start: UTCInstant?
  /// UTC of the last fix.
  package var end: UTCInstant?
  /// From the first fix to the last, seconds. A stop at either end that is long enough to part rides is not counted.
  package var duration = 0.0
  /// The time in which it went on, seconds.
  package var movingTime = 0.0
  /// The way, metres.
  package var distance = 0.0
  /// All climbs together, metres; `nil` when no fix told an altitude.
  package var ascent: Double?
  /// All descents together, metres; `nil` when no fix told an altitude.
  package var descent: Double?
  /// The highest speed that two fixes in a row reached, m/s; `nil` when the receiver told none.
  package var maximumSpeed: Double?
  /// Fixes.
  package var fixes = 0
  /// Times without a fix, more than 3 s each, switched off included.
  package var gaps = 0
  /// Those times together, seconds.
  package var gapTime = 0.0

  /// Nothing yet.
  package init() {}

  /// Distance by moving time, m/s; `nil` while nothing has moved.
  package var averageSpeed: Double? { movingTime > 0 ? distance / movingTime : nil }
}
