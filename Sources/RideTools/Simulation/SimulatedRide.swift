import LocationCore
import Recordings

/// The description of a simulated ride: the same values give the same bytes on every machine.
package struct SimulatedRide: Sendable {
  package var route: Route
  /// Acceleration, m/s².
  package var acceleration = 2.0
  /// Deceleration, m/s².
  package var braking = 2.5
  package var receiver: ReceiverProfile
  /// UTC of the first epoch: a whole period of the receiver.
  package var start: UTCInstant
  package var seed: UInt64
  package var conditions = RideConditions()
  package var script = RideScript()
  package var header = RecordingHeader()

  package init(along route: Route, receiver: ReceiverProfile, start: UTCInstant, seed: UInt64) {
    self.route = route
    self.receiver = receiver
    self.start = start
    self.seed = seed
  }

  package var truth: RideTruth { motion.truth }
  package var motion: Motion { Motion(along: route, acceleration: acceleration, braking: braking) }

  /// UTC at a time since the start, and whether that is the second 23:59:60.
  package func time(after elapsed: Duration) -> (utc: UTCInstant, isLeapSecond: Bool) {
    let plain = start + elapsed
    let midnight = UTCInstant(nanosecondsSince1970: Int64(start.date.daysSince1970 + 1) * TimeOfDay.day)
    guard conditions.hasLeapSecond, plain >= midnight else { return (plain, false) }
    return plain < midnight + .seconds(1) ? (plain, true) : (plain + .seconds(-1), false)
  }
}

package struct RideConditions: Hashable, Sendable {
  /// The receiver's errors as a multiple of the usual ones; 0 for none.
  package var noise = 1.0
  /// Whether there is a leap second before the first midnight (UTC) of the ride.
  package var hasLeapSecond = false
  /// Whether the receiver's week number has rolled over: its dates are 1024 weeks early.
  package var hasRolledOver = false
  /// Share of the sentences with one wrong bit, 0 to 1.
  package var corrupted = 0.0
  /// Share of the sentences that lose their end including the line end, 0 to 1.
  package var truncated = 0.0
  package var sensors = SensorConditions()
}

/// A writer of the recording of a simulated ride, as the recorder would write it, epoch by epoch in bounded memory.
package struct SimulatedWriter: Sendable {
  /// Reading of the monotonic clock at the start, as on a unit that was switched on shortly before.
  private static let bootToStart = Duration.milliseconds(41_250)

  private let ride: SimulatedRide
  private var hasBegun = false
  private var feed: RideFeed
  private var writer = RecordingWriter()

  package init(of ride: SimulatedRide) {
    self.ride = ride
    feed = RideFeed(ride)
  }

  /// Appends the records of the next epoch and returns it; `nil` at the end, after the last record.
  package mutating func next(into bytes: inout [UInt8]) -> SimulatedEpoch? {
    if !hasBegun { bytes += ride.header.lines }
    hasBegun = true
    while let item = feed.next() {
      switch item {
      case .epoch(let epoch): return epoch
      case .read(let read, let received):
        writer.burst(read, from: 0, at: instant(received), utc: ride.time(after: received).utc, into: &bytes)
      case .event(let json, let time, let source):
        let stamp = RecordingStamp(instant: instant(time), utc: ride.time(after: time).utc, source: source)
        writer.event(RecordedEvent(stamp: stamp, json: json), into: &bytes)
      }
    }
    writer.finish(into: &bytes)
    return nil
  }

  private func instant(_ time: Duration) -> MonotonicInstant { .zero + Self.bootToStart + time }
}
