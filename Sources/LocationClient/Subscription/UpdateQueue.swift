/// What a slow consumer has still to hear: the newest position, the newest satellites, and at most 64 events, in the order in which
/// they came. Bounded whatever the daemon sends and however long nobody asks.
struct UpdateQueue {
  /// Most events that wait; the oldest makes room.
  static let maximumEvents = 64

  private var updates: [LocationClient.Update] = []
  private var events = 0
  /// Events that were dropped because nobody took them.
  private(set) var missed = 0

  mutating func push(_ update: LocationClient.Update) {
    switch update {
    case .position: updates.removeAll { if case .position = $0 { true } else { false } }
    case .sky: updates.removeAll { if case .sky = $0 { true } else { false } }
    default:
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

extension LocationClient.Update {
  /// Whether each one counts, and not only the newest.
  var isEvent: Bool {
    switch self {
    case .position, .sky: false
    case .connected, .state, .follow, .arrival, .playback, .error, .disconnected: true
    }
  }
}
