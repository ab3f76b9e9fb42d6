/// Where one source stands. Holds exactly what is legal in each state.
package enum SourceState: Hashable, Sendable {
  /// Not in use: not started, or ended as it should.
  case idle
  /// Being opened for the first time.
  case opening
  /// Open, no valid fix yet.
  case acquiring
  /// Delivers valid fixes.
  case tracking(FixMode)
  /// Had fixes and has none now; when the last valid one came.
  case lost(since: MonotonicInstant)
  /// Delivers nothing for a known reason; the phase in which that happened.
  case failed(SourceError, previous: SourcePhase)

  /// The state without its data.
  package var phase: SourcePhase {
    switch self {
    case .idle: .idle
    case .opening: .opening
    case .acquiring: .acquiring
    case .tracking: .tracking
    case .lost: .lost
    case .failed: .failed
    }
  }
}

/// The name of a source's state; the raw values are the protocol's.
public enum SourcePhase: String, Hashable, Sendable, CaseIterable {
  /// Not in use.
  case idle
  /// Being opened for the first time.
  case opening
  /// Open, no valid fix yet.
  case acquiring
  /// Delivers valid fixes.
  case tracking
  /// Had fixes and has none now.
  case lost
  /// Delivers nothing for a known reason.
  case failed
}
