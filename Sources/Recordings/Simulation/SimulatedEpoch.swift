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

  /// The epoch's instant.
  package let measured: UTCInstant
  /// Where the rider is.
  package let truth: Motion.State
  /// What the receiver knows.
  package let solution: Solution
  /// Where the receiver says that the rider is, degrees, in full precision. `nil` without a fix.
  package let reported: Coordinate?
  /// Where the receiver says that the rider is going, degrees from true north.
  package let course: Double
  /// The sentences.
  package let sentences: [UInt8]

  /// Whether it has a fix.
  package var hasFix: Bool { reported != nil }
}

/// What the sentences of an epoch are made of.
struct ReceiverOutput {
  var measured: UTCInstant
  var solution: SimulatedEpoch.Solution
  var position: (latitude: Double, longitude: Double)?
  var altitude: Double
  var speed: Double
  var course: Double
  /// 1 σ in metres.
  var sigma: Double
  var satellites: [[SimulatedSky.Satellite]]
  /// Whether GSA and GSV are due.
  var hasSky: Bool
}
