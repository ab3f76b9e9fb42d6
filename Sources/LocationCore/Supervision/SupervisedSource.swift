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
