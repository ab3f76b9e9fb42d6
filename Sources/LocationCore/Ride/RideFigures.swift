/// The figures of a ride, from its unfiltered judged fixes by the rules of ``RideAccumulator``: seconds, metres, m/s.
package struct RideFigures: Hashable, Sendable {
  /// UTC of the first fix; `nil` while no fix has a date.
  package var start: UTCInstant?
  package var end: UTCInstant?
  /// From the first fix to the last, seconds, without a stop at either end that is long enough to separate rides.
  package var duration = 0.0
  package var movingTime = 0.0
  package var distance = 0.0
  /// Sum of all climbs, metres; `nil` without altitudes.
  package var ascent: Double?
  /// Sum of all descents, metres; `nil` without altitudes.
  package var descent: Double?
  /// The highest speed that two consecutive fixes reached, m/s; `nil` without speeds.
  package var maximumSpeed: Double?
  package var fixes = 0
  /// Number of periods of more than 3 s without a fix, including those without power.
  package var gaps = 0
  /// Sum of these periods, seconds.
  package var gapTime = 0.0

  /// Distance divided by moving time, m/s; `nil` without motion.
  package var averageSpeed: Double? { movingTime > 0 ? distance / movingTime : nil }
}

/// Ascent and descent of a sequence of altitudes.
///
/// Altitudes are smoothed over ``memory`` seconds. A climb or descent counts in full from ``threshold`` metres on,
/// otherwise not. Drift during a stop does not count: after it altitudes continue from the value before.
struct Climb: Hashable, Sendable {
  /// Height below which climbs and descents are noise, metres.
  static let threshold = 10.0
  /// Time constant of the smoothing, seconds.
  static let memory = 5.0

  private(set) var up = 0.0
  private(set) var down = 0.0
  /// 1 in a climb, −1 in a descent, 0 before either.
  private var direction = 0
  /// The highest altitude since the last turn; `nil` before the first altitude.
  private var high: Double?
  private var low: Double?
  private var smoothed: Double?
  /// Correction of each altitude for the drift during stops.
  private var offset = 0.0
  /// Whether the rider has stopped: altitudes drift at a stop.
  private var isParked = false

  init() {}

  /// All climbs including the current one; `nil` before the first altitude.
  var ascent: Double? {
    guard let high, let low else { return nil }
    return direction > 0 ? up + high - low : up
  }

  /// All descents including the current one; `nil` before the first altitude.
  var descent: Double? {
    guard let high, let low else { return nil }
    return direction < 0 ? down + high - low : down
  }

  mutating func park(_ stands: Bool) { isParked = stands }

  /// Adds an altitude (metres) so many seconds after the previous one.
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
  mutating func code(_ words: inout StateWords) {
    words.code(&up)
    words.code(&down)
    words.code(&direction)
    for height in [\Climb.high, \.low, \.smoothed] { words.code(&self[keyPath: height]) }
    words.code(&offset)
    words.code(&isParked)
  }
}
