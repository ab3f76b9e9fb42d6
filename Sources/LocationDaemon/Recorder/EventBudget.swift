import LocationCore

/// How many events clients may have recorded: a renderer that reports at every frame, or one that is mad, must not
/// fill the disk.
struct EventBudget {
  /// Events a second in the long run.
  static let rate = 30.0
  /// Events at once.
  static let burst = 120.0

  /// Events that were not recorded.
  private(set) var refused = 0
  private var left = Self.burst
  private var last: MonotonicInstant?

  /// Whether one more is to be recorded.
  mutating func spend(at instant: MonotonicInstant) -> Bool {
    let seconds = max(0, last.map { instant.seconds(since: $0) } ?? 0)
    last = max(instant, last ?? instant)
    left = min(Self.burst, left + seconds * Self.rate)
    guard left >= 1 else {
      refused += 1
      return false
    }
    left -= 1
    return true
  }
}
