package enum SourceState: Hashable, Sendable {
  /// Not in use: not started, or ended normally.
  case idle
  case opening
  case acquiring
  case tracking(FixMode)
  /// Without a valid fix since the time of the last one.
  case lost(since: MonotonicInstant)
  case failed(SourceError, previous: SourcePhase)

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

  /// The state after an event; `nil` when the event is illegal in this state, which is a programming error.
  /// - Attempts to reopen do not change `lost` and `failed`; only their success or another error does.
  /// - `failed` keeps the phase of the first error.
  /// - A fix ends `failed` only for `noNMEA`, because the transport is open in that case.
  package func after(_ event: SourceEvent) -> SourceState? {
    switch (self, event) {
    case (_, .closed): .idle
    case (.failed(_, let previous), .failed(let error)): .failed(error, previous: previous)
    case (_, .failed(let error)): .failed(error, previous: phase)
    case (.idle, .opening): .opening
    case (.lost, .opening), (.failed, .opening): self
    case (.opening, .opened), (.lost, .opened), (.failed, .opened): .acquiring
    case (.acquiring, .fix(let mode)), (.tracking, .fix(let mode)), (.lost, .fix(let mode)): .tracking(mode)
    case (.failed(.noNMEA, _), .fix(let mode)): .tracking(mode)
    case (.tracking, .lost(let since)): .lost(since: since)
    default: nil
    }
  }
}

/// Name of a source's state; the raw values are the protocol's.
package enum SourcePhase: String, Hashable, Sendable, CaseIterable {
  case idle
  case opening
  case acquiring
  case tracking
  case lost
  case failed
}

package enum SourceEvent: Hashable, Sendable {
  case opening
  case opened
  case fix(FixMode)
  /// Timeout, or no-fix epochs, since the time of the last valid fix.
  case lost(since: MonotonicInstant)
  case failed(SourceError)
  case closed
}
