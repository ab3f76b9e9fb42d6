/// What one measurement instant of a receiver came to; there is exactly one of these per epoch.
///
/// A fix that is held as suspect gives `held` when its epoch closes; if it is accepted later, it follows as
/// one more value with its own, earlier times.
package struct Epoch: Sendable {
  /// What is known now that the epoch is over.
  package enum Outcome: Sendable {
    /// Its fix, to be published. `suspect` when it was held for an implausible jump.
    case fix(Fix, suspect: Bool)
    /// The receiver has no fix.
    case noFix(NoFixReason)
    /// It has a fix that must not be published.
    case dropped(FixRejection)
    /// Its fix is suspect and waits for confirmation.
    case held
  }

  /// What is known now that the epoch is over.
  package let outcome: Outcome
  /// The epoch's key: UTC time of day; `nil` when no sentence carried one.
  package let timeOfDay: TimeOfDay?
  /// UTC; `nil` as long as the receiver has told no date.
  package let measured: UTCInstant?
  /// Monotonic instant of the last byte that went into the fix.
  package let received: MonotonicInstant
  /// The satellites in view, once all of a receiver's GSV sets have arrived. When sets trail behind what
  /// closes their epoch, they come with the epoch after it and say so in their own time. Of NMEA
  /// there is one per UTC second: nobody is told of more.
  package let sky: Sky?
  /// The errors that the receiver estimates.
  package let noise: PseudorangeNoise?
  /// Whether the date lies before the floor date, as it does behind a 1024-week rollover.
  package let rolloverSuspect: Bool
}
