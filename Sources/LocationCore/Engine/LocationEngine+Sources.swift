// Opening, losing and electing sources.
extension LocationEngine {
  /// Replaces the list of sources (at least one). A source with a known identifier keeps running, at its new position.
  package mutating func rearrange(
    _ setups: [SourceSetup], at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    advance(to: instant, into: &events)
    let hadFix = hasFix
    let old = setups.map { index(of: $0.id) }
    sources = zip(setups, old).map { setup, index in
      index.map { sources[$0] } ?? SourceReceiver(setup)
    }
    apply(supervisor.rearrange(old, at: instant), into: &events)
    desk.setPermanentError(supervisor.permanentError, into: &events)
    if hadFix, !hasFix { loseFix(into: &events) }
    reportAbsence(into: &events)
    noteDeadline()
  }

  mutating func open(_ index: Int, into events: inout EngineEvents) {
    if !sources[index].isOpen { reopen(index, into: &events) }
  }

  mutating func reopen(_ index: Int, into events: inout EngineEvents) {
    if !sources[index].isOpen {
      sources[index].firstFix = FirstFixSearch(begin: events.instant)
      sources[index].activity.open(sources[index].messageCount, at: events.instant)
    }
    sources[index].isOpen = true
    sources[index].messageCountAtNoNMEA = nil
    switch supervisor.states[index].phase {
    case .idle: apply(supervisor.note(.opening, of: index, at: events.instant), into: &events)
    case .lost, .failed: events.append(.reopened(source: sources[index].setup.id))
    case .opening, .acquiring, .tracking: break
    }
    apply(supervisor.note(.opened, of: index, at: events.instant), into: &events)
  }

  mutating func close(_ index: Int) {
    sources[index].isOpen = false
    sources[index].messageCountAtNoNMEA = nil
  }

  mutating func lose(_ index: Int, _ error: SourceError, into events: inout EngineEvents) {
    close(index)
    events.append(.unplugged(source: sources[index].setup.id))
    apply(supervisor.unplugged(index, error, at: events.instant), into: &events)
  }

  package func leadStatus(_ reason: LeadReason? = nil, at instant: MonotonicInstant) -> LeadStatus {
    LeadStatus(
      source: sources[supervisor.lead].setup.id, state: supervisor.leadState, reason: reason,
      since: stateSince,
      time: utc(at: instant), seq: desk.newest?.seq, interference: sources[supervisor.lead].interference,
      absence: absence, isEstimating: isEstimating)
  }

  private mutating func reportLead(_ reason: LeadReason? = nil, into events: inout EngineEvents) {
    _ = noteAbsence(isDue: true, at: events.instant)
    reportedEstimating = isEstimating
    events.append(.lead(leadStatus(reason, at: events.instant)))
  }

  mutating func reportInterference(_ index: Int, into events: inout EngineEvents) {
    let interference = sources[index].interference
    guard interference != sources[index].reportedInterference else { return }
    let before = exchange(&sources[index].reportedInterference, with: interference)
    let id = sources[index].setup.id
    if before.overflows == 0, interference.overflows > 0 { events.append(.oddity(.overflow, source: id)) }
    if let datum = interference.datum, interference.datumCode != before.datumCode {
      events.append(.oddity(.datum, facts: ["DATUM": datum], source: id))
    }
    // Of the source since it was opened: one that starts with its line has had no fix.
    if before.starts != interference.starts, sources[index].firstFix?.end != nil, sources[index].isFirst(.restart) {
      events.append(.oddity(.restart, source: id))
    }
    if let reason = interference.resetReason, reason != before.resetReason,
      sources[index].reported.contains(.restart), sources[index].resets.insert(reason).inserted
    {
      events.append(.oddity(.reset, facts: ["REASON": "\(reason)"], source: id))
    }
    guard interference.states.map(\.word) != before.states.map(\.word) else { return }
    events.append(.interference(interference, source: id))
    if supervisor.lead == index { reportLead(into: &events) }
  }

  mutating func apply(_ actions: [SupervisorAction], into events: inout EngineEvents) {
    for action in actions {
      switch action {
      case .state(let index, let state): enter(state, index, into: &events)
      case .lead(_, _, let reason):
        stateSince = events.instant
        changes.sourceChanged()
        desk.follow.sourceChanged(at: events.instant)
        // The fixes of another receiver are not those behind a tunnel.
        if hasFix { desk.outage = nil }
        absence = nil
        reportLead(reason, into: &events)
      }
    }
  }

  private mutating func enter(_ state: SourceState, _ index: Int, into events: inout EngineEvents) {
    events.append(.state(state, source: sources[index].setup.id))
    if case .tracking = state { sources[index].firstFix?.didEnd(at: events.instant) }
    desk.setPermanentError(supervisor.permanentError, into: &events)
    guard index == supervisor.lead else { return }
    stateSince = events.instant
    switch state {
    case .lost, .failed, .idle: loseFix(into: &events)
    case .opening, .acquiring, .tracking: break
    }
    reportLead(into: &events)
  }

  private mutating func loseFix(into events: inout EngineEvents) {
    changes.lost()
    rates.lost()
    let utc = utc(at: events.instant)
    for index in motions.indices { motions[index].lose(at: events.instant, utc: utc) }
    desk.lost(at: events.instant, isOver: supervisor.leadState == .idle, into: &events)
    moveOn(at: events.instant)
    events.append(.fixLost(source: sources[supervisor.lead].setup.id, time: utc))
  }
}
