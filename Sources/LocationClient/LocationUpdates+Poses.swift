import LocationCore
import Synchronization

extension LocationUpdates {
  /// Where the rider is at an instant, for every frame of a renderer: predicted from the fixes received so far, with
  /// corrections drawn in smoothly. `nil` before the first position.
  ///
  /// It needs a subscription with a distance filter of 0. The daemon draws the same poses from the same fixes, to the
  /// bit. Safe from any thread, and fast enough for 120 frames a second on the thread that draws: it neither waits for
  /// the network nor allocates. Instants lie in the past or up to a frame ahead; a pose of the future is a prediction,
  /// and for more than 3 s without a fix the position is held. Without a daemon, of updates from a sequence, the fixes
  /// taken from the iterator count.
  public func pose(at instant: ContinuousClock.Instant = .now) -> Pose? { poses.pose(at: instant) }
}

/// The motion between the positions of a subscription. Written by the connection, read by renderers.
final class PoseTracker: Sendable {
  private struct State {
    var motion = MotionEstimator()
    var newest: (seq: UInt64, source: String?)?
    /// Rises with every change of the source.
    var source: Int32 = 0
  }

  private let state = Mutex(State())
  private let clock: ClientClock
  private let origin: ContinuousClock.Instant

  init(clock: ClientClock = ClientClock(ContinuousClock())) {
    self.clock = clock
    origin = clock.now
  }

  func pose(at instant: ContinuousClock.Instant) -> Pose? {
    let instant = monotonic(instant)
    return state.withLock { $0.motion.pose(at: instant) }
  }

  func set(latency: Double) {
    guard let latency = Duration(finiteSeconds: latency) else { return }
    state.withLock { state in
      guard state.motion.clock.latency != latency.nanoseconds else { return }
      state = State()
      state.motion = MotionEstimator(latency: latency)
    }
  }

  func add(_ update: LocationClient.Update, at instant: ContinuousClock.Instant? = nil) {
    switch update {
    // Another daemon, or a restarted one, starts its numbers again.
    case .connected: state.withLock { $0.newest?.seq = 0 }
    case .position(let position): add(position, at: monotonic(instant ?? position.received))
    case .state(let report):
      guard [.lost, .failed, .idle].contains(report.phase) else { return }
      let instant = monotonic((instant ?? clock.now) - (report.elapsed ?? .zero))
      state.withLock { $0.motion.lose(at: instant, utc: report.time) }
    default: break
    }
  }

  private func add(_ position: Position, at instant: MonotonicInstant) {
    let fix = Fix(position, received: monotonic(position.received))
    state.withLock { state in
      let last = state.newest
      // A snapshot, heartbeat or requested position is no new fix, and an estimate has no number.
      let seq = position.reason == .estimated ? last?.seq ?? 0 : position.seq ?? (last?.seq ?? 0) + 1
      guard seq != last?.seq || position.reason == .estimated else { return }
      if let last, last.source != position.source { state.source += 1 }
      state.newest = (seq, position.source)
      var published = PublishedFix(fix: fix, seq: seq, source: SourceID(configured: state.source))
      published.bend = position.bend
      state.motion.receive(published, at: instant)
    }
  }

  private func monotonic(_ instant: ContinuousClock.Instant) -> MonotonicInstant { .zero + (instant - origin) }
}
