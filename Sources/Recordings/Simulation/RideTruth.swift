/// What is true of a simulated ride as a whole, whatever its receiver makes of it.
package struct RideTruth: Hashable, Sendable {
  /// A time in which the rider stands.
  package struct Stop: Hashable, Sendable {
    /// Seconds from the start of the ride.
    package let begin: Double
    /// Seconds from the start of the ride.
    package let end: Double
    /// Where on the route, metres from its start.
    package let station: Double
  }

  /// From start to end, stops included, seconds.
  package let duration: Double
  /// The whole way, metres.
  package let distance: Double
  /// The time that is no stop, seconds.
  package internal(set) var movingTime = 0.0
  /// In their order; one at the start and one at the end among them where the rider stands there.
  package internal(set) var stops: [Stop] = []
  /// All climbs together, metres.
  package internal(set) var ascent = 0.0
  /// All descents together, metres, not negative.
  package internal(set) var descent = 0.0
  /// m/s.
  package internal(set) var topSpeed = 0.0
}
