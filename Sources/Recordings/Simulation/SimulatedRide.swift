import LocationCore

/// Everything that makes a simulated ride: the same values give the same bytes on every machine.
package struct SimulatedRide: Sendable {
  /// Where it leads.
  package var route: Route
  /// How much speed the rider gains, m/s².
  package var acceleration = 2.0
  /// How much speed the rider loses, m/s².
  package var braking = 2.5
  /// What is on the handlebar.
  package var receiver: ReceiverProfile
  /// The first epoch: a whole period of the receiver.
  package var start: UTCInstant
  /// Draws errors, sky and damage.
  package var seed: UInt64
  /// What is out of the ordinary.
  package var conditions = RideConditions()
  /// What happens besides riding.
  package var script = RideScript()
  /// What its recording says of itself.
  package var header = RecordingHeader()

  /// An ordinary ride.
  package init(along route: Route, receiver: ReceiverProfile, start: UTCInstant, seed: UInt64) {
    self.route = route
    self.receiver = receiver
    self.start = start
    self.seed = seed
  }

  /// What is true of it.
  package var truth: RideTruth { motion.truth }

  /// Where the rider is when.
  package var motion: Motion { Motion(along: route, acceleration: acceleration, braking: braking) }

  /// Its recording, whole in memory.
  package var recording: SimulatedRecording { SimulatedRecording(of: self) }
}
