/// State and timing of one source under supervision.
struct SupervisedSource: Sendable {
  var state = SourceState.idle
  var rhythm = SupervisionRhythm()
  /// Time of the last valid fix.
  var lastValid: MonotonicInstant?
  /// Time since which all epochs were valid, without a gap.
  var validSince: MonotonicInstant?
  /// Number of no-fix epochs since the last valid one.
  var voidEpochs = 0
  /// Whether the mode of the last fix differed from that of the state.
  private var modeDiffered = false
  /// Time of the last bytes, valid or not.
  var lastBytes: MonotonicInstant?

  /// Whether it has a fix.
  var isTracking: Bool {
    if case .tracking = state { true } else { false }
  }

  /// When the source counts as lost without another valid fix; `nil` unless tracking.
  var lossDeadline: MonotonicInstant? {
    guard case .tracking = state, let lastValid else { return nil }
    return lastValid.later(by: rhythm.timeout)
  }

  /// Registers a fix. Returns its mode if the state is to change: at once unless tracking, otherwise with the second
  /// consecutive epoch of another mode.
  mutating func modeChange(to new: FixMode) -> FixMode? {
    voidEpochs = 0
    if case .tracking(let current) = state, current == new || !modeDiffered {
      modeDiffered = current != new
      return nil
    }
    modeDiffered = false
    return new
  }

  /// Whether it delivers recent valid fixes.
  func isAvailable(at instant: MonotonicInstant) -> Bool {
    guard let lossDeadline else { return false }
    return instant < lossDeadline
  }

  /// Reason for the lack of a valid fix.
  func leadLossReason(at instant: MonotonicInstant) -> LeadReason {
    switch state.phase {
    case .idle, .opening, .failed: return .failed
    case .acquiring, .tracking, .lost:
      guard let lastBytes else { return .silent }
      return instant < lastBytes.later(by: rhythm.timeout) ? .noFix : .silent
    }
  }
}

/// Epoch period of a source, learned from the last five intervals, and the timeout derived from it.
struct SupervisionRhythm: Sendable {
  /// Shortest time without a valid fix that counts as a loss, nanoseconds.
  static let shortestTimeout: Int64 = 3_000_000_000
  /// Longest interval that counts, nanoseconds; longer ones are interruptions.
  static let longestPeriod: Int64 = 20_000_000_000

  private var gaps: InlineArray<5, Int64> = .init(repeating: 0)
  private var count = 0
  private var last: MonotonicInstant?
  /// The longer of 3 s and three periods, nanoseconds.
  private(set) var timeout = Self.shortestTimeout

  /// Registers an epoch, valid or not.
  mutating func epoch(at instant: MonotonicInstant) {
    defer { last = instant }
    guard let last else { return }
    let gap = instant.nanoseconds &- last.nanoseconds
    guard gap > 0, gap <= Self.longestPeriod else { return }
    gaps[count % gaps.count] = gap
    count = count == 2 * gaps.count - 1 ? gaps.count : count + 1
    timeout = max(Self.shortestTimeout, (period ?? 0) * 3)
  }

  /// Registers that the transport was reopened; the interval to the next epoch does not count.
  mutating func interrupt() { last = nil }

  /// Median of the last five intervals, nanoseconds; `nil` with fewer than three.
  var period: Int64? {
    let known = min(count, gaps.count)
    guard known >= 3 else { return nil }
    var sorted = gaps
    for end in 1..<known {
      var at = end
      while at > 0, sorted[at - 1] > sorted[at] {
        sorted.swapAt(at - 1, at)
        at -= 1
      }
    }
    return sorted[(known - 1) / 2]
  }
}
