struct SupervisedSource: Sendable {
  var state = SourceState.idle
  var rhythm = SupervisionRhythm()
  var lastValid: MonotonicInstant?
  /// Time since which all epochs were valid, without a gap.
  var validSince: MonotonicInstant?
  var voidEpochs = 0
  private var debounce = ModeDebounce()
  var lastBytes: MonotonicInstant?

  /// When the source counts as lost without another valid fix; `nil` unless tracking.
  var lossDeadline: MonotonicInstant? {
    guard case .tracking = state, let lastValid else { return nil }
    return lastValid.later(by: rhythm.timeout)
  }

  /// Registers a fix. Returns its mode if that changes: at once unless tracking, else with the second epoch of it.
  mutating func modeChange(to new: FixMode) -> FixMode? {
    voidEpochs = 0
    if case .tracking(let current) = state { return debounce.confirms(new, after: current) ? new : nil }
    debounce.reset()
    return new
  }

  func isAvailable(at instant: MonotonicInstant) -> Bool { lossDeadline.map { instant < $0 } ?? false }

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
  /// Shortest time without a valid fix that counts as a loss, nanoseconds, unless epochs without a fix come before.
  static let shortestTimeout: Int64 = 3_000_000_000
  /// Longest interval that counts, nanoseconds; longer ones are interruptions.
  static let longestPeriod: Int64 = 20_000_000_000
  /// The same of a track's points, of which a recorder keeps as many as it likes, and while their period is unknown.
  static let ofTrack = (shortestTimeout: Int64(60_000_000_000), longestPeriod: Int64(600_000_000_000))

  private var gaps = RecentValues<5>()
  private var last: MonotonicInstant?
  private var isOfTrack = false
  /// The longer of 3 s and three periods, nanoseconds; of a track, of a minute and three periods, or 10 min.
  private(set) var timeout = Self.shortestTimeout

  mutating func epoch(at instant: MonotonicInstant) {
    defer { last = instant }
    guard let last else { return }
    let gap = instant.nanoseconds &- last.nanoseconds
    guard gap > 0, gap <= (isOfTrack ? Self.ofTrack.longestPeriod : Self.longestPeriod) else { return }
    gaps.append(gap)
    update()
  }

  /// Registers whether the source's input are the points of a track.
  mutating func reads(track: Bool) {
    guard isOfTrack != track else { return }
    isOfTrack = track
    update()
  }

  private mutating func update() {
    let times = (period ?? 0) * 3
    timeout =
      isOfTrack
      ? period == nil ? Self.ofTrack.longestPeriod : max(Self.ofTrack.shortestTimeout, times)
      : max(Self.shortestTimeout, times)
  }

  /// Registers that the transport was reopened; the interval to the next epoch does not count.
  mutating func interrupt() { last = nil }
  /// Median of the last five intervals, nanoseconds; `nil` with fewer than three.
  var period: Int64? { gaps.count >= 3 ? gaps.median : nil }
}
