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

/// What happens to a source.
package enum SourceEvent: Hashable, Sendable {
  /// An attempt to open begins.
  case opening
  /// The transport is open.
  case opened
  /// A valid fix came.
  case fix(FixMode)
  /// No valid fix since then: too long, or the receiver says so.
  case lost(since: MonotonicInstant)
  /// It cannot deliver, for a known reason.
  case failed(SourceError)
  /// It ended as it should, or was told to stop.
  case closed
}

extension SourceState {
  /// The state after an event; `nil` when the event is illegal in this state, which is the caller's mistake.
  ///
  /// - Attempts to reopen do not show: `lost` and `failed` stay until the transport is open again, or until the
  ///   attempt fails for another reason.
  /// - `failed` keeps the phase in which the trouble began.
  /// - A fix leaves `failed` only for `noNMEA`, where the transport is open all the time.
  package func after(_ event: SourceEvent) -> SourceState? {
    switch (self, event) {
    case (.idle, .opening): .opening
    case (.idle, .failed(let error)): .failed(error, previous: .idle)
    case (.idle, .closed): .idle
    case (.idle, .opened), (.idle, .fix), (.idle, .lost): nil

    case (.opening, .opened): .acquiring
    case (.opening, .failed(let error)): .failed(error, previous: .opening)
    case (.opening, .closed): .idle
    case (.opening, .opening), (.opening, .fix), (.opening, .lost): nil

    case (.acquiring, .fix(let mode)): .tracking(mode)
    case (.acquiring, .failed(let error)): .failed(error, previous: .acquiring)
    case (.acquiring, .closed): .idle
    case (.acquiring, .opening), (.acquiring, .opened), (.acquiring, .lost): nil

    case (.tracking, .fix(let mode)): .tracking(mode)
    case (.tracking, .lost(let since)): .lost(since: since)
    case (.tracking, .failed(let error)): .failed(error, previous: .tracking)
    case (.tracking, .closed): .idle
    case (.tracking, .opening), (.tracking, .opened): nil

    case (.lost, .opening): self
    case (.lost, .opened): .acquiring
    case (.lost, .fix(let mode)): .tracking(mode)
    case (.lost, .failed(let error)): .failed(error, previous: .lost)
    case (.lost, .closed): .idle
    case (.lost, .lost): nil

    case (.failed, .opening): self
    case (.failed, .opened): .acquiring
    case (.failed(.noNMEA, _), .fix(let mode)): .tracking(mode)
    case (.failed(_, let previous), .failed(let error)): .failed(error, previous: previous)
    case (.failed, .closed): .idle
    case (.failed, .fix), (.failed, .lost): nil
    }
  }
}
