import LocationCore

/// Maps replay time (``ReplayItem/offset``) to the monotonic clock and back. Pure.
///
/// Deadlines are absolute: start + offset / speed. A late item makes none of the following late, so nothing
/// drifts; only a pause or a change of speed sets a new starting point.
package struct ReplayClock: Hashable, Sendable {
  /// When an item is to be handed out.
  package enum Deadline: Hashable, Sendable {
    /// At that instant; at once if it has passed.
    case at(MonotonicInstant)
    /// At once, on virtual time.
    case now
    /// Not before ``ReplayClock/resume(at:)``.
    case paused
  }

  /// How fast it runs.
  package private(set) var speed: ReplaySpeed
  /// Whether it stands.
  package private(set) var isPaused = false
  /// The starting point: this offset was reached at that instant.
  private var offset: Duration = .zero
  private var instant: MonotonicInstant

  /// A clock that starts now.
  package init(speed: ReplaySpeed, at instant: MonotonicInstant) {
    self.speed = speed
    self.instant = instant
  }

  /// When the item of that offset is due.
  package func deadline(of offset: Duration) -> Deadline {
    if isPaused { return .paused }
    guard case .times(let multiple) = speed else { return .now }
    let wait = Double((offset - self.offset).nanoseconds) / multiple
    return .at(instant + .nanoseconds(Int64(min(max(wait.rounded(), -9e18), 9e18))))
  }

  /// The offset that an instant has reached. At `max` it is the offset of the newest item.
  package func offset(at instant: MonotonicInstant) -> Duration {
    guard !isPaused, case .times(let multiple) = speed else { return offset }
    let ridden = Double((instant - self.instant).nanoseconds) * multiple
    return offset + .nanoseconds(Int64(min(max(ridden.rounded(), 0), 9e18)))
  }

  /// An item of that offset has been handed out: virtual time follows.
  package mutating func reached(_ offset: Duration) {
    if case .max = speed, offset > self.offset { self.offset = offset }
  }

  /// Stops.
  package mutating func pause(at instant: MonotonicInstant) {
    restart(at: instant)
    isPaused = true
  }

  /// Goes on from where it stopped.
  package mutating func resume(at instant: MonotonicInstant) {
    restart(at: instant)
    isPaused = false
  }

  /// Runs at another speed from now on.
  package mutating func run(_ speed: ReplaySpeed, at instant: MonotonicInstant) {
    restart(at: instant)
    self.speed = speed
  }

  private mutating func restart(at instant: MonotonicInstant) {
    offset = offset(at: instant)
    self.instant = instant
  }
}
