/// State machine of the sources: the state of each, and which one leads. Their order is the order of preference. Only
/// the leading source's fixes are published; two sources are never interleaved. An event that is illegal in a source's
/// state is a programming error: it traps in a debug build, and is ignored in a release build.
package struct SourceSupervisor: Sendable {
  /// How long a preferred source must be valid without a gap to regain the lead.
  static let probation = Duration.seconds(10)
  /// Number of consecutive no-fix epochs that count as a loss.
  static let voidEpochsToLose = 2

  /// Index of the leading source; initially the most preferred one.
  package private(set) var lead = 0
  private var sources: [SupervisedSource]
  private var leadSince: MonotonicInstant

  package init(count: Int, at instant: MonotonicInstant) {
    sources = Array(repeating: SupervisedSource(), count: max(count, 1))
    leadSince = instant
  }

  package var states: [SourceState] { sources.map(\.state) }
  package var leadState: SourceState { sources[lead].state }
  package var leadIsTracking: Bool { sources[lead].state.phase == .tracking }
  /// Time without a valid fix that counts as the loss of the leading source, nanoseconds.
  var timeoutOfLead: Int64 { sources[lead].rhythm.timeout }

  /// The most preferred source's error if all sources have failed with errors that are not transient, otherwise `nil`.
  package var permanentError: SourceError? {
    var first: SourceError?
    for source in sources {
      guard case .failed(let error, _) = source.state, !error.isTransient else { return nil }
      first = first ?? error
    }
    return first
  }

  package mutating func note(
    _ event: SourceEvent, of source: Int, at instant: MonotonicInstant
  ) -> [SupervisorAction] {
    switch event {
    case .opened:
      sources[source].rhythm.interrupt()
      sources[source].voidEpochs = 0
    case .failed, .closed: sources[source].validSince = nil
    case .opening, .fix, .lost: break
    }
    return apply(event, to: source) + electLead(at: instant)
  }

  package mutating func bytes(_ source: Int, ofTrack isTrack: Bool = false, at instant: MonotonicInstant) {
    sources[source].lastBytes = instant
    sources[source].rhythm.reads(track: isTrack)
  }

  /// Registers a complete epoch and the mode of its valid fix, which is published if `source` is the `lead` afterwards.
  package mutating func epoch(_ source: Int, fix mode: FixMode?, at instant: MonotonicInstant) -> [SupervisorAction] {
    var actions = expire(at: instant)
    sources[source].rhythm.epoch(at: instant)
    sources[source].lastBytes = instant
    if let mode {
      sources[source].lastValid = instant
      sources[source].validSince = sources[source].validSince ?? instant
      if let mode = sources[source].modeChange(to: mode) { actions += apply(.fix(mode), to: source) }
    } else {
      sources[source].validSince = nil
      sources[source].voidEpochs += 1
      if sources[source].voidEpochs >= Self.voidEpochsToLose { actions += lose(source) }
    }
    electLead(at: instant, appendingTo: &actions)
    return actions
  }

  /// Registers an epoch whose fix is held or doubted: no source is lost by it, and none begins to track.
  package mutating func held(_ source: Int, at instant: MonotonicInstant) -> [SupervisorAction] {
    let actions = expire(at: instant)
    sources[source].rhythm.epoch(at: instant)
    sources[source].lastBytes = instant
    if case .tracking = sources[source].state { sources[source].lastValid = instant }
    return actions
  }

  /// Lost if it had a fix, else failed. Complete or discard its epoch first: a later fix means that the source is back.
  package mutating func unplugged(
    _ source: Int, _ error: SourceError, at instant: MonotonicInstant
  ) -> [SupervisorAction] {
    switch sources[source].state {
    case .tracking:
      sources[source].validSince = nil
      return lose(source) + electLead(at: instant)
    case .lost: return electLead(at: instant)
    case .idle, .opening, .acquiring, .failed: return note(.failed(error), of: source, at: instant)
    }
  }

  package mutating func expire(at instant: MonotonicInstant) -> [SupervisorAction] {
    var actions: [SupervisorAction] = []
    for index in sources.indices {
      guard let deadline = sources[index].lossDeadline, instant >= deadline else { continue }
      sources[index].validSince = nil
      actions += lose(index)
    }
    electLead(at: instant, appendingTo: &actions)
    return actions
  }

  /// Former indexes of the sources, `nil` for a new, idle one. After a removed lead, the first one with a fix leads.
  package mutating func rearrange(_ places: [Int?], at instant: MonotonicInstant) -> [SupervisorAction] {
    let old = sources
    sources = places.map { place in
      guard let place, old.indices.contains(place) else { return SupervisedSource() }
      return old[place]
    }
    if sources.isEmpty { sources = [SupervisedSource()] }
    if let place = places.firstIndex(of: lead) {
      lead = place
      return electLead(at: instant)
    }
    return [changeLead(to: sources.firstIndex { $0.isAvailable(at: instant) } ?? 0, .removed, at: instant)]
  }

  /// When `expire(at:)` is due; `nil` = only after the next event.
  package var deadline: MonotonicInstant? {
    var earliest: MonotonicInstant?
    for index in sources.indices {
      guard let due = sources[index].lossDeadline else { continue }
      earliest = earliest.earlier(index != lead && due > leadTimeout ? min(due, leadTimeout) : due)
    }
    return earliest
  }

  /// When the leading source loses the lead without another valid fix.
  private var leadTimeout: MonotonicInstant {
    max(sources[lead].lastValid ?? leadSince, leadSince).later(by: sources[lead].rhythm.timeout)
  }

  /// Changes the lead if a preferred source has passed probation, or the leading one has timed out.
  private mutating func electLead(at instant: MonotonicInstant) -> [SupervisorAction] {
    for index in 0..<lead {
      guard let since = sources[index].validSince, instant - since >= Self.probation,
        sources[index].isAvailable(at: instant)
      else { continue }
      return [changeLead(to: index, .preferred, at: instant)]
    }
    guard instant >= leadTimeout else { return [] }
    for index in sources.indices where index != lead && sources[index].isAvailable(at: instant) {
      return [changeLead(to: index, sources[lead].leadLossReason(at: instant), at: instant)]
    }
    return []
  }

  /// Appends the actions of `electLead(at:)`, without touching the array when there are none, as in most epochs.
  private mutating func electLead(at instant: MonotonicInstant, appendingTo actions: inout [SupervisorAction]) {
    let elected = electLead(at: instant)
    if !elected.isEmpty { actions += elected }
  }

  /// Reports the loss of a tracking source; no effect in other states.
  private mutating func lose(_ index: Int) -> [SupervisorAction] {
    guard case .tracking = sources[index].state, let lastValid = sources[index].lastValid else { return [] }
    return apply(.lost(since: lastValid), to: index)
  }

  private mutating func apply(_ event: SourceEvent, to index: Int) -> [SupervisorAction] {
    guard let next = sources[index].state.after(event) else {
      assertionFailure("source \(index): \(event) is illegal in this state")
      return []
    }
    guard next != sources[index].state else { return [] }
    sources[index].state = next
    return [.state(source: index, next)]
  }

  private mutating func changeLead(to index: Int, _ reason: LeadReason, at instant: MonotonicInstant)
    -> SupervisorAction
  {
    defer {
      lead = index
      leadSince = instant
    }
    return .lead(from: lead, to: index, reason)
  }
}

/// Reason for a change of the lead; the raw values are the protocol's.
package enum LeadReason: String, Hashable, Sendable, CaseIterable {
  /// The previous source sends nothing.
  case silent
  /// The previous source sends data without a valid fix.
  case noFix
  case failed
  /// A preferred source has been valid for long enough.
  case preferred
  /// The previous source was removed from the configuration.
  case removed
}

package enum SupervisorAction: Hashable, Sendable {
  case state(source: Int, SourceState)
  /// The lead changed. For the reason `removed`, `from` is an index in the previous list.
  case lead(from: Int, to: Int, LeadReason)
}
