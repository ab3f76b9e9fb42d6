/// Follows the state of each source and decides which one leads.
///
/// The order of the sources is the order of preference. Only the leading source's fixes are published:
/// two are never interleaved. An event that is illegal in a source's state is the caller's mistake: it traps in a
/// debug build; in a release build it changes nothing and is counted.
package struct SourceSupervisor: Sendable {
  /// How long a preferred source must be valid without a break to get the lead back.
  static let probation = Duration.seconds(10)
  /// Epochs in a row that say "no fix" and so announce the loss at once.
  static let voidEpochsToLose = 2

  /// The index of the leading source; the most preferred one until another takes over.
  package internal(set) var lead = 0
  /// Events that were illegal in their source's state.
  package internal(set) var illegalEvents = 0

  var sources: [SupervisedSource]
  /// Since when the leading source leads.
  var leadSince: MonotonicInstant

  /// A supervisor of that many sources (at least one), all idle.
  package init(count: Int, at instant: MonotonicInstant) {
    sources = Array(repeating: SupervisedSource(), count: max(count, 1))
    leadSince = instant
  }

  /// The state of each source, in the configured order.
  package var states: [SourceState] { sources.map(\.state) }

  /// The state of the leading source.
  package var leadState: SourceState { sources[lead].state }

  /// Whether the leading source has a fix.
  package var leadIsTracking: Bool { sources[lead].isTracking }

  /// The error that leaves no hope: every source has failed for a reason that does not pass by itself. The most
  /// preferred source's.
  package var hopeless: SourceError? {
    var first: SourceError?
    for source in sources {
      guard case .failed(let error, _) = source.state, !error.isTransient else { return nil }
      first = first ?? error
    }
    return first
  }

  /// An attempt to open a source begins.
  package mutating func opening(_ source: Int, at instant: MonotonicInstant) -> [SupervisorAction] {
    apply(.opening, to: source) + electLead(at: instant)
  }

  /// A source's transport is open.
  package mutating func opened(_ source: Int, at instant: MonotonicInstant) -> [SupervisorAction] {
    guard sources.indices.contains(source) else { return [] }
    sources[source].rhythm.interrupt()
    sources[source].voidEpochs = 0
    return apply(.opened, to: source) + electLead(at: instant)
  }

  /// Bytes came from a source that did not complete an epoch, whatever they are.
  package mutating func bytes(_ source: Int, at instant: MonotonicInstant) {
    guard sources.indices.contains(source) else { return }
    sources[source].lastBytes = instant
  }

  /// An epoch of a source is complete, with the mode of its fix if that is valid.
  ///
  /// Ask `lead` afterwards whether the fix is to be published.
  package mutating func epoch(_ source: Int, fix mode: FixMode?, at instant: MonotonicInstant) -> [SupervisorAction] {
    guard sources.indices.contains(source) else { return [] }
    var actions = expire(at: instant)
    sources[source].rhythm.epoch(at: instant)
    sources[source].lastBytes = instant
    if let mode {
      sources[source].lastValid = instant
      sources[source].validSince = sources[source].validSince ?? instant
      // Nearly always: nothing changes, and no state need be copied to see that.
      if let mode = sources[source].modeToTell(mode) { actions += apply(.fix(mode), to: source) }
    } else {
      sources[source].validSince = nil
      sources[source].voidEpochs += 1
      if sources[source].voidEpochs >= Self.voidEpochsToLose { actions += lose(source) }
    }
    electLead(at: instant, behind: &actions)
    return actions
  }

  /// An epoch of a source has a fix that is held back as suspect: the source is neither lost by it nor proven valid.
  package mutating func held(_ source: Int, at instant: MonotonicInstant) -> [SupervisorAction] {
    guard sources.indices.contains(source) else { return [] }
    let actions = expire(at: instant)
    sources[source].rhythm.epoch(at: instant)
    sources[source].lastBytes = instant
    if case .tracking = sources[source].state { sources[source].lastValid = instant }
    return actions
  }

  /// A source was unplugged while it may come back: lost at once if it had a fix, or the error otherwise.
  ///
  /// Complete or drop the epoch under way before: a fix after this would be one of a source that is back.
  package mutating func unplugged(
    _ source: Int, _ error: SourceError, at instant: MonotonicInstant
  ) -> [SupervisorAction] {
    guard sources.indices.contains(source) else { return [] }
    switch sources[source].state {
    case .tracking:
      sources[source].validSince = nil
      return lose(source) + electLead(at: instant)
    case .lost: return electLead(at: instant)
    case .idle, .opening, .acquiring, .failed: return failed(source, error, at: instant)
    }
  }

  /// A source cannot deliver, for a known reason.
  package mutating func failed(
    _ source: Int, _ error: SourceError, at instant: MonotonicInstant
  ) -> [SupervisorAction] {
    guard sources.indices.contains(source) else { return [] }
    sources[source].validSince = nil
    return apply(.failed(error), to: source) + electLead(at: instant)
  }

  /// A source ended as it should, or was told to stop.
  package mutating func closed(_ source: Int, at instant: MonotonicInstant) -> [SupervisorAction] {
    guard sources.indices.contains(source) else { return [] }
    sources[source].validSince = nil
    return apply(.closed, to: source) + electLead(at: instant)
  }

  /// Lets time pass: losses and changes of the lead that are due.
  package mutating func expire(at instant: MonotonicInstant) -> [SupervisorAction] {
    var actions: [SupervisorAction] = []
    for index in sources.indices {
      guard let deadline = sources[index].lossDeadline, instant >= deadline else { continue }
      sources[index].validSince = nil
      actions += lose(index)
    }
    electLead(at: instant, behind: &actions)
    return actions
  }

  /// Takes over another list of sources (at least one): each place tells which one of before stands there, or `nil` for
  /// a new one, which is idle. Without its leading source the lead goes to the most preferred one that has a fix.
  package mutating func rearrange(_ places: [Int?], at instant: MonotonicInstant) -> [SupervisorAction] {
    let old = sources
    let oldLead = lead
    sources = places.map { place in
      guard let place, old.indices.contains(place) else { return SupervisedSource() }
      return old[place]
    }
    if sources.isEmpty { sources = [SupervisedSource()] }
    if let place = places.firstIndex(of: oldLead) {
      lead = place
      return electLead(at: instant)
    }
    lead = sources.firstIndex { $0.isAvailable(at: instant) } ?? 0
    leadSince = instant
    return [.lead(from: oldLead, to: lead, .removed)]
  }

  /// When `expire(at:)` has something to do; `nil` = only after the next event.
  package var deadline: MonotonicInstant? {
    var earliest: MonotonicInstant?
    for index in sources.indices {
      guard let due = sources[index].lossDeadline else { continue }
      earliest = earliest.map { min($0, due) } ?? due
      if index != lead, due > leadPatienceEnd { earliest = min(earliest ?? due, leadPatienceEnd) }
    }
    return earliest
  }
}

extension SourceSupervisor {
  /// Until when the leading source may be without a valid fix.
  var leadPatienceEnd: MonotonicInstant {
    max(sources[lead].lastValid ?? leadSince, leadSince).later(by: sources[lead].rhythm.timeout)
  }

  /// Gives the lead to the source that deserves it.
  mutating func electLead(at instant: MonotonicInstant) -> [SupervisorAction] {
    for index in 0..<lead {
      guard let since = sources[index].validSince, instant - since >= Self.probation,
        sources[index].isAvailable(at: instant)
      else { continue }
      return [take(index, .preferred, at: instant)]
    }
    guard instant >= leadPatienceEnd else { return [] }
    for index in sources.indices where index != lead && sources[index].isAvailable(at: instant) {
      return [take(index, sources[lead].reasonOfAbsence(at: instant), at: instant)]
    }
    return []
  }

  /// As `electLead(at:)`; nearly always there is nothing to add, and then nothing is touched.
  mutating func electLead(at instant: MonotonicInstant, behind actions: inout [SupervisorAction]) {
    let elected = electLead(at: instant)
    if !elected.isEmpty { actions += elected }
  }

  /// The loss of a source that has fixes; nothing in any other state.
  mutating func lose(_ index: Int) -> [SupervisorAction] {
    guard case .tracking = sources[index].state, let lastValid = sources[index].lastValid else { return [] }
    return apply(.lost(since: lastValid), to: index)
  }

  mutating func apply(_ event: SourceEvent, to index: Int) -> [SupervisorAction] {
    guard sources.indices.contains(index), let next = sources[index].state.after(event) else {
      illegalEvents += 1
      assertionFailure("source \(index): \(event) is illegal in this state")
      return []
    }
    guard next != sources[index].state else { return [] }
    sources[index].state = next
    return [.state(source: index, next)]
  }

  private mutating func take(_ index: Int, _ reason: LeadReason, at instant: MonotonicInstant) -> SupervisorAction {
    defer {
      lead = index
      leadSince = instant
    }
    return .lead(from: lead, to: index, reason)
  }
}

/// Why the lead went to another source; the raw values are the protocol's.
package enum LeadReason: String, Hashable, Sendable, CaseIterable {
  /// The old one sends nothing.
  case silent
  /// The old one sends, but no valid fix.
  case noFix
  /// The old one failed, or ended.
  case failed
  /// A preferred one has been valid for long enough.
  case preferred
  /// The old one is not configured any more.
  case removed
}

/// What the supervisor asks to be done.
package enum SupervisorAction: Hashable, Sendable {
  /// Tell everyone: a source changed its state.
  case state(source: Int, SourceState)
  /// Tell everyone: fixes come from another source now. For the reason `removed`, `from` is a place in the old order.
  case lead(from: Int, to: Int, LeadReason)
}
