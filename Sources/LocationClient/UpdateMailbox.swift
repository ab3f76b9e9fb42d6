import Synchronization

/// The handover of updates from the connection to the consumer. Writing never blocks, and reading waits.
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

  /// The next update; `nil` once the mailbox is finished and empty, and when the task is cancelled.
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
      return exchange(&state.waiters, with: [])
    }
    for (_, waiter) in waiters { waiter.resume(returning: nil) }
  }

  var missed: Int { state.withLock { $0.queue.missed } }
}

/// The pending updates of a slow consumer in order: the newest position, satellites, figures of each trip, reading of
/// each sensor, place on each course in each state, and at most 64 events, among them positions at transitions.
struct UpdateQueue {
  /// Most pending events; the oldest makes room.
  static let maximumEvents = 64
  private var updates: [LocationClient.Update] = []
  private var events = 0
  private(set) var missed = 0

  mutating func push(_ update: LocationClient.Update) {
    switch update {
    case .position: updates.removeAll { if case .position = $0 { !$0.isEvent } else { false } }
    case .sky: updates.removeAll { if case .sky = $0 { true } else { false } }
    case .trip(let trip):
      updates.removeAll { if case .trip(let old) = $0 { old.name == trip.name && !$0.isEvent } else { false } }
    case .sensor(let sensor):
      updates.removeAll {
        if case .sensor(let old) = $0 { old.sensor == sensor.sensor && old.source == sensor.source } else { false }
      }
    case .course(let course):
      updates.removeAll {
        if case .course(let old) = $0 { old.name == course.name && old.state == course.state } else { false }
      }
    default: break
    }
    if update.isEvent {
      if events == Self.maximumEvents, let oldest = updates.firstIndex(where: \.isEvent) {
        updates.remove(at: oldest)
        events -= 1
        missed += 1
      }
      events += 1
    }
    updates.append(update)
  }

  mutating func pop() -> LocationClient.Update? {
    guard !updates.isEmpty else { return nil }
    let update = updates.removeFirst()
    if update.isEvent { events -= 1 }
    return update
  }
}
