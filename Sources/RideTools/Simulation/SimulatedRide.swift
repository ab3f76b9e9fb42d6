import LocationCore
import Recordings

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

/// UTC on a simulated ride.
package struct SimulatedClock: Sendable {
  /// What a receiver's date is off by when its week number has run over.
  static let rollover = Duration.seconds(-1024 * 7 * 86_400)

  /// The first epoch.
  let start: UTCInstant
  /// The midnight before which a leap second is inserted.
  let leap: UTCInstant?

  /// So much later on the ride: its UTC, and whether that is the second 23:59:60.
  package func time(after elapsed: Duration) -> (utc: UTCInstant, isLeapSecond: Bool) {
    let plain = start + elapsed
    guard let leap, plain >= leap else { return (plain, false) }
    return plain < leap + .seconds(1) ? (plain, true) : (plain + .seconds(-1), false)
  }
}

extension SimulatedRide {
  /// Its clock.
  package var clock: SimulatedClock {
    var leap: UTCInstant?
    if conditions.hasLeapSecond {
      let nextDay = Int64(start.date.daysSince1970 + 1)
      leap = UTCInstant(nanosecondsSince1970: nextDay * TimeOfDay.day)
    }
    return SimulatedClock(start: start, leap: leap)
  }
}

/// The recording of a simulated ride, as the recorder would have written it.
package struct SimulatedRecording: Sendable {
  /// The file.
  package private(set) var bytes: [UInt8] = []
  /// Every epoch with its truth, whether it was received or not.
  package private(set) var epochs: [SimulatedEpoch] = []

  /// Rides the whole route.
  package init(of ride: SimulatedRide) {
    var writer = SimulatedWriter(of: ride)
    while let epoch = writer.next(into: &bytes) { epochs.append(epoch) }
  }
}

/// Writes the recording of a simulated ride piece by piece, in bounded memory.
package struct SimulatedWriter: Sendable {
  /// The monotonic clock when the ride starts, as on a unit that was switched on shortly before.
  private static let bootToStart = Duration.milliseconds(41_250)

  private let clock: SimulatedClock
  private var header: RecordingHeader?
  private var feed: RideFeed
  private var writer = RecordingWriter()

  /// The ride from its start.
  package init(of ride: SimulatedRide) {
    clock = ride.clock
    header = ride.header
    feed = RideFeed(ride)
  }

  /// Appends the records of the next epoch and hands it out; `nil` when the ride is over and everything is written.
  package mutating func next(into bytes: inout [UInt8]) -> SimulatedEpoch? {
    if let header {
      bytes += header.lines
      self.header = nil
    }
    while let item = feed.next() {
      switch item {
      case .epoch(let epoch): return epoch
      case .read(let read, let received):
        writer.burst(read, from: 0, at: instant(received), utc: clock.time(after: received).utc, into: &bytes)
      case .event(let json, let time, let source):
        let stamp = RecordingStamp(instant: instant(time), utc: clock.time(after: time).utc, source: source)
        writer.event(RecordedEvent(stamp: stamp, json: json), into: &bytes)
      }
    }
    writer.finish(into: &bytes)
    return nil
  }

  private func instant(_ time: Duration) -> MonotonicInstant { .zero + Self.bootToStart + time }
}
