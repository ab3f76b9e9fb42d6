/// What the supervisor knows about one source.
struct SupervisedSource: Sendable {
  var state = SourceState.idle
  var rhythm = SupervisionRhythm()
  /// The last valid fix.
  var lastValid: MonotonicInstant?
  /// Since when every epoch was valid, without a gap.
  var validSince: MonotonicInstant?
  /// Epochs since the last valid one that said "no fix".
  var voidEpochs = 0
  /// The last fix had another mode than the state tells.
  private var modeDiffered = false
  /// The last bytes, whatever they were.
  var lastBytes: MonotonicInstant?

  /// Whether it has a fix.
  var isTracking: Bool {
    if case .tracking = state { true } else { false }
  }

  /// When the source counts as lost if no valid fix comes; `nil` unless tracking.
  var lossDeadline: MonotonicInstant? {
    guard case .tracking = state, let lastValid else { return nil }
    return lastValid.later(by: rhythm.timeout)
  }

  /// Takes a fix: the mode to tell from now on, another one with its second epoch in a row; `nil` when the state
  /// tells it as it should.
  mutating func modeToTell(_ new: FixMode) -> FixMode? {
    voidEpochs = 0
    if case .tracking(let told) = state, told == new || !modeDiffered {
      modeDiffered = told != new
      return nil
    }
    modeDiffered = false
    return new
  }

  /// Whether it delivers fresh valid fixes.
  func isAvailable(at instant: MonotonicInstant) -> Bool {
    guard let lossDeadline else { return false }
    return instant < lossDeadline
  }

  /// Why it has no valid fix.
  func reasonOfAbsence(at instant: MonotonicInstant) -> LeadReason {
    switch state.phase {
    case .idle, .opening, .failed: return .failed
    case .acquiring, .tracking, .lost:
      guard let lastBytes else { return .silent }
      return instant < lastBytes.later(by: rhythm.timeout) ? .noFix : .silent
    }
  }
}

/// How often a source delivers epochs, learned from the last five gaps.
struct SupervisionRhythm: Sendable {
  /// The shortest time without a valid fix that counts as a loss, nanoseconds.
  static let shortestTimeout: Int64 = 3_000_000_000
  /// Longer gaps are interruptions and teach nothing, nanoseconds.
  static let longestPeriod: Int64 = 20_000_000_000

  private var gaps: InlineArray<5, Int64> = .init(repeating: 0)
  private var count = 0
  private var last: MonotonicInstant?
  /// 3 s, or three periods if that is longer, nanoseconds.
  private(set) var timeout = Self.shortestTimeout

  /// Takes an epoch, valid or not.
  mutating func epoch(at instant: MonotonicInstant) {
    defer { last = instant }
    guard let last else { return }
    let gap = instant.nanoseconds &- last.nanoseconds
    guard gap > 0, gap <= Self.longestPeriod else { return }
    gaps[count % gaps.count] = gap
    count = count == 2 * gaps.count - 1 ? gaps.count : count + 1
    timeout = max(Self.shortestTimeout, (period ?? 0) * 3)
  }

  /// The transport was opened anew: the next gap is none.
  mutating func interrupt() { last = nil }

  /// The middle one of the last five gaps, nanoseconds; `nil` before there are three.
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
