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

/// Ascent and descent of a sequence of altitudes.
///
/// Altitudes are smoothed over ``memory`` seconds. A climb counts in full once it is ``threshold`` metres high, a
/// descent likewise; what goes up and down by less does not count. What the altitude drifts by at a stop does not
/// count either: after the stop it goes on from where it was.
struct Climb: Hashable, Sendable {
  /// The height, metres, below which up and down are the receiver's noise.
  static let threshold = 10.0
  /// What is averaged over, seconds.
  static let memory = 5.0

  /// Climbs that have ended, metres.
  private(set) var up = 0.0
  /// Descents that have ended, metres.
  private(set) var down = 0.0
  /// 1 while it goes up, −1 while it goes down, 0 while neither is sure.
  var direction = 0
  /// The highest and the lowest since the last turn; `nil` before the first altitude.
  var high: Double?
  var low: Double?
  /// The newest altitude, smoothed.
  var smoothed: Double?
  /// What is added to each altitude for what it drifted by at stops.
  var offset = 0.0
  /// It stands: altitudes are drift.
  var isParked = false

  init() {}

  /// One that goes on from kept values.
  init(up: Double, down: Double) {
    self.up = up
    self.down = down
  }

  /// All climbs, the one under way included; `nil` before the first altitude.
  var ascent: Double? {
    guard let high, let low else { return nil }
    return direction > 0 ? up + high - low : up
  }

  /// All descents, the one under way included.
  var descent: Double? {
    guard let high, let low else { return nil }
    return direction < 0 ? down + high - low : down
  }

  /// It came to a stand, or goes on.
  mutating func park(_ stands: Bool) { isParked = stands }

  /// Takes an altitude, metres, so many seconds after the one before.
  mutating func add(_ altitude: Double, after seconds: Double) {
    guard let previous = smoothed, let top = high, let bottom = low else {
      smoothed = altitude + offset
      high = smoothed
      low = smoothed
      return
    }
    if isParked {
      offset = previous - altitude
      return
    }
    let weight = min(max(seconds / (seconds + Self.memory), 0), 1)
    let value = previous + (altitude + offset - previous) * weight
    smoothed = value
    switch direction {
    case 1:
      high = max(top, value)
      guard value <= top - Self.threshold else { return }
      up += top - bottom
      (direction, low) = (-1, value)
    case -1:
      low = min(bottom, value)
      guard value >= bottom + Self.threshold else { return }
      down += top - bottom
      (direction, high) = (1, value)
    default:
      high = max(top, value)
      low = min(bottom, value)
      if value >= bottom + Self.threshold { direction = 1 }
      if value <= top - Self.threshold { direction = -1 }
    }
  }
}
