/// The rule that keeps the jitter of a receiver at rest from looking like a ride.
enum Standstill {
  /// A speed from here on (m/s) is a ride.
  static let speed = 0.7
  /// The error circle counts no further than this, metres, so that no one is held back for good.
  static let largestCircle = 50.0
  /// The circle of a fix that tells no error, metres: 95 % at the worst site, GPS Standard Positioning Service
  /// Performance Standard, 5th edition (2020).
  static let assumedCircle = 15.0
  /// How far two epochs that agree are apart, in parts of their way from the reference.
  static let agreement = 0.35

  /// Whether the rider may be standing: slow, or of unknown speed.
  static func isPossible(_ fix: Fix) -> Bool {
    fix.speed.map { $0 < speed } ?? true
  }

  /// How far off a fix may be by its error alone, metres.
  static func circle(of fix: Fix) -> Double {
    min(fix.horizontalAccuracy ?? assumedCircle, largestCircle)
  }
}
