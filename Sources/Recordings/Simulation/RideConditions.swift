/// What is out of the ordinary on a simulated ride.
package struct RideConditions: Hashable, Sendable {
  /// The receiver's errors, as a multiple of the ordinary ones; 0 for none.
  package var noise = 1.0
  /// Whether the first midnight (UTC) of the ride has a leap second before it.
  package var hasLeapSecond = false
  /// Whether the receiver counts weeks in ten bits and is one round behind: its dates lie 1024 weeks back.
  package var hasRolledOver = false
  /// How many of the sentences have one wrong bit, 0 to 1.
  package var corrupted = 0.0
  /// How many of the sentences lose their end, line end included, 0 to 1.
  package var truncated = 0.0

  /// An ordinary ride.
  package init() {}
}
