import NIOCore

/// The time by which a client waits and times out: any clock's, on the scale of the continuous one. All are equal.
package struct ClientClock: Hashable, Sendable {
  private let read: @Sendable () -> ContinuousClock.Instant
  /// Returns what sleeps for a duration from now, whenever it is called.
  private let sleep: @Sendable (Duration) -> @Sendable () async throws -> Void

  package init(_ clock: some Clock<Duration>) {
    let (start, begin) = (clock.now, ContinuousClock.now)
    read = {
      let now = clock.now
      return now as? ContinuousClock.Instant ?? begin + start.duration(to: now)
    }
    sleep = { duration in
      let deadline = clock.now.advanced(by: duration)
      return { try await clock.sleep(until: deadline, tolerance: nil) }
    }
  }

  package var now: ContinuousClock.Instant { read() }

  /// Calls `body` on the event loop after a duration from now, unless the result is cancelled before.
  @discardableResult
  package func schedule(
    in duration: Duration, on eventLoop: any EventLoop, _ body: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    let sleep = sleep(duration)
    return Task {
      do { try await sleep() } catch { return }
      eventLoop.execute(body)
    }
  }

  package static func == (left: Self, right: Self) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}
