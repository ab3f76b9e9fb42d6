import LocationCore

/// A fix as the figures see it, at a time of the ride.
struct RideSample: Hashable, Sendable {
  /// Seconds of the ride: since its first fix.
  var time: Double
  var position: Coordinate
  /// The same, to measure the way to the next.
  var place: EarthCentered
  /// m/s; from the way since the fix before when the receiver tells none.
  var speed: Double
  /// The receiver tells the speed.
  var isMeasured: Bool
  /// UTC by the receiver.
  var measured: UTCInstant?
  /// On the clock of the recorder's run.
  var received: MonotonicInstant
}
