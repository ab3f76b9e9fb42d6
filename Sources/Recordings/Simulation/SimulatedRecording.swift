import LocationCore

/// The recording of a simulated ride, as the recorder would have written it.
package struct SimulatedRecording: Sendable {
  /// The file.
  package private(set) var bytes: [UInt8]
  /// Every epoch with its truth, whether it was received or not.
  package private(set) var epochs: [SimulatedEpoch] = []

  /// The monotonic clock when the ride starts, as on a unit that was switched on shortly before.
  private static let bootToStart = Duration.milliseconds(41_250)
  private static let latencyJitter = 9.0

  private let start: UTCInstant
  private let goal: Route.Point
  private var writer = RecordingWriter()
  private var script: ArraySlice<(seconds: Double, action: RideScript.Action)>
  private var shown: [RideScript.Shown] = []
  private var isPlugged = true

  /// Rides the whole route.
  package init(
    of route: Route, receiver: ReceiverProfile, start: UTCInstant, seed: UInt64, script: RideScript = RideScript(),
    header: RecordingHeader
  ) {
    self.start = start
    goal = route.points[route.points.count - 1]
    self.script = script.steps[...]
    bytes = header.lines
    var simulator = RideSimulator(along: route, receiver: receiver, start: start, seed: seed)
    var random = SeededRandom(seed: seed, stream: 4)
    while let epoch = simulator.next() {
      receive(epoch, by: receiver, jitter: Int64(random.uniform() * Self.latencyJitter))
    }
    writer.finish(into: &bytes)
  }

  private mutating func receive(_ epoch: SimulatedEpoch, by receiver: ReceiverProfile, jitter: Int64) {
    let first = (epoch.measured - start) + .milliseconds(Int64(receiver.latency) + jitter)
    var received = first
    var rest = epoch.sentences[...]
    while !rest.isEmpty {
      let read = Array(rest.prefix(max(1, receiver.readSize)))
      rest = rest.dropFirst(read.count)
      if let speed = receiver.lineSpeed {
        received += .nanoseconds(Int64(read.count) * 10 * 1_000_000_000 / Int64(max(1, speed)))
      }
      play(until: received)
      guard isPlugged else { continue }
      writer.burst(read, from: 0, at: instant(received), utc: start + received, into: &bytes)
    }
    epochs.append(epoch)
    guard isPlugged, let position = epoch.reported else { return }
    shown.append(
      RideScript.Shown(
        sequence: shown.count + 1, received: received.inSeconds, position: position, course: epoch.course))
  }

  /// Writes the events that come before that time.
  private mutating func play(until received: Duration) {
    while let step = script.first, step.seconds <= received.inSeconds {
      script = script.dropFirst()
      let json = RideScript.json(of: step.action, at: step.seconds, shown: shown, goal: goal)
      guard let json, let time = Duration(finiteSeconds: step.seconds) else { continue }
      var source: Int?
      switch step.action {
      case .unplug: (isPlugged, source) = (false, 0)
      case .plug: (isPlugged, source) = (true, 0)
      case .view, .follow, .target: break
      }
      let stamp = RecordingStamp(instant: instant(time), utc: start + time, source: source)
      writer.event(RecordedEvent(stamp: stamp, json: json), into: &bytes)
    }
  }

  private func instant(_ time: Duration) -> MonotonicInstant { .zero + Self.bootToStart + time }
}
