import LocationCore

/// How many events may be recorded: renderers tell where their view stands up to 60 times a second, and a client that
/// never stops asking must not fill the disk.
struct EventBudget {
  /// Events that may come at once.
  static let burst = 200
  /// Events in a second, for ever.
  static let perSecond = 100

  /// Events that came too fast to be recorded.
  private(set) var refused: UInt64 = 0
  private var left = burst
  private var since: MonotonicInstant?

  /// Whether one more may be recorded.
  mutating func take(at instant: MonotonicInstant) -> Bool {
    let way = since.map { instant.nanoseconds &- $0.nanoseconds } ?? 0
    let nanosecondsPerEvent: Int64 = 1_000_000_000 / Int64(Self.perSecond)
    let gained = way / nanosecondsPerEvent
    if since == nil || gained < 0 || gained >= Int64(Self.burst) {
      left = Self.burst
      since = instant
    } else if gained > 0 {
      left = min(Self.burst, left + Int(gained))
      since = since.map { $0 + .nanoseconds(gained * nanosecondsPerEvent) }
    }
    guard left > 0 else {
      refused &+= 1
      return false
    }
    left -= 1
    return true
  }
}
