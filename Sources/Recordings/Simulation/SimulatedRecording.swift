import LocationCore

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
