import LocationCore

/// One epoch of a simulated ride: what is true, and what the receiver makes of it.
package struct SimulatedEpoch: Sendable {
  /// What the receiver knows.
  package enum Solution: Hashable, Sendable {
    /// Nothing, not even the time.
    case nothing
    /// The time.
    case time
    /// The time and a fix of that mode.
    case fix(FixMode)
  }

  /// Since the start of the ride.
  package let elapsed: Duration
  /// The epoch's instant.
  package let measured: UTCInstant
  /// Whether that is the second 23:59:60, which shares its number with the one that follows it.
  package let isLeapSecond: Bool
  /// Where the rider is.
  package let truth: Motion.State
  /// What the receiver knows.
  package let solution: Solution
  /// Where the receiver says that the rider is, degrees, in full precision. `nil` without a fix.
  package let reported: Coordinate?
  /// Where the receiver says that the rider is going, degrees from true north.
  package let course: Double
  /// The standard deviation that the receiver believes in along each axis, metres.
  package let sigma: Double
  /// The sentences.
  package let sentences: [UInt8]

  /// Whether it has a fix.
  package var hasFix: Bool { reported != nil }

  /// Where the rider is.
  package var position: Coordinate? {
    Coordinate(latitude: truth.place.latitude, longitude: truth.place.longitude)
  }
}
