import Synchronization

/// Where the connection leaves updates and the consumer takes them: never blocks the one, wakes the other.
final class UpdateMailbox: Sendable {
  private typealias Waiter = CheckedContinuation<LocationClient.Update?, Never>

  private struct State {
    var queue = UpdateQueue()
    var waiters: [(id: UInt64, waiter: Waiter)] = []
    var nextID: UInt64 = 0
    var isFinished = false
  }

  private let state = Mutex(State())

  func push(_ update: LocationClient.Update) {
    let waiter = state.withLock { state -> Waiter? in
      guard !state.isFinished else { return nil }
      guard !state.waiters.isEmpty else {
        state.queue.push(update)
        return nil
      }
      return state.waiters.removeFirst().waiter
    }
    waiter?.resume(returning: update)
  }

  /// The next update; `nil` after `finish()` when everything has been taken, and when the task is cancelled.
  func next() async -> LocationClient.Update? {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: Waiter) in
        let ready = state.withLock { state -> LocationClient.Update?? in
          if Task.isCancelled { return .some(nil) }
          if let update = state.queue.pop() { return update }
          if state.isFinished { return .some(nil) }
          state.waiters.append((id, waiter))
          return nil
        }
        if let ready { waiter.resume(returning: ready) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return state.waiters.remove(at: index).waiter
      }
      waiter?.resume(returning: nil)
    }
  }

  func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      defer { state.waiters.removeAll() }
      return state.waiters
    }
    for (_, waiter) in waiters { waiter.resume(returning: nil) }
  }

  var missed: Int { state.withLock { $0.queue.missed } }
}
