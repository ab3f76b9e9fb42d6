import Synchronization

/// A clock for tests that moves only when it is advanced, for ``FakeDaemon`` and its client: no test waits for real
/// seconds.
///
///     let clock = ManualClock()
///     let daemon = try FakeDaemon(clock: clock)
///     clock.advance(by: .seconds(5))
public final class ManualClock: Clock {
  /// An instant that compares with ``Position/received``.
  public typealias Instant = ContinuousClock.Instant

  private struct Sleeper {
    let id: UInt64
    let deadline: Instant
    let waiter: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = ContinuousClock.now
    var sleepers: [Sleeper] = []
    var nextID: UInt64 = 0
  }

  private let state = Mutex(State())

  /// A clock that shows the time of its creation.
  public init() {}

  /// The time that it shows.
  public var now: Instant { state.withLock { $0.now } }
  /// None is too short.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Moves the time on, and wakes whatever is due by then.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.deadline <= state.now }
      state.sleepers.removeAll { $0.deadline <= state.now }
      return due
    }
    for sleeper in due.sorted(by: { $0.deadline < $1.deadline }) { sleeper.waiter.resume() }
  }

  /// Returns once the clock has been advanced to an instant; throws when the task is cancelled before.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers.append(Sleeper(id: id, deadline: deadline, waiter: waiter))
          return nil
        }
        if let result { waiter.resume(with: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.waiter.resume(throwing: CancellationError())
    }
  }
}
