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
    apply(supervisor.rearrange(old, at: instant), at: instant, into: &events)
    desk.setPermanentError(supervisor.permanentError, at: instant, into: &events)
    if hadFix, !hasFix { loseFix(at: instant, into: &events) }
    reportAbsence(at: instant, into: &events)
    noteDeadline()
  }

  mutating func open(_ index: Int, at instant: MonotonicInstant, into events: inout EngineEvents) {
    if !sources[index].isOpen { reopen(index, at: instant, into: &events) }
  }

  mutating func reopen(_ index: Int, at instant: MonotonicInstant, into events: inout EngineEvents) {
    if !sources[index].isOpen {
      sources[index].firstFix = FirstFixSearch(begin: instant)
      sources[index].activity.open(sources[index].messageCount, at: instant)
    }
    sources[index].isOpen = true
    sources[index].messageCountAtNoNMEA = nil
    switch supervisor.states[index].phase {
    case .idle: apply(supervisor.note(.opening, of: index, at: instant), at: instant, into: &events)
    case .lost, .failed: events.append(.reopened(source: sources[index].setup.id), at: instant)
    case .opening, .acquiring, .tracking: break
    }
    apply(supervisor.note(.opened, of: index, at: instant), at: instant, into: &events)
  }

  mutating func close(_ index: Int) {
    sources[index].isOpen = false
    sources[index].messageCountAtNoNMEA = nil
  }

  mutating func lose(
    _ index: Int, _ error: SourceError, at instant: MonotonicInstant,
    into events: inout EngineEvents
  ) {
    close(index)
    events.append(.unplugged(source: sources[index].setup.id), at: instant)
    apply(supervisor.unplugged(index, error, at: instant), at: instant, into: &events)
  }

  package func leadStatus(_ reason: LeadReason? = nil, at instant: MonotonicInstant) -> LeadStatus {
    LeadStatus(
      source: sources[supervisor.lead].setup.id, state: supervisor.leadState, reason: reason,
      since: stateSince,
      time: utc(at: instant), seq: desk.newest?.seq, interference: sources[supervisor.lead].interference,
      absence: absence, isEstimating: isEstimating)
  }

  private mutating func reportLead(
    _ reason: LeadReason? = nil, at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    _ = noteAbsence(isDue: true, at: instant)
    reportedEstimating = isEstimating
    events.append(.lead(leadStatus(reason, at: instant)), at: instant)
  }

  /// Reports a change of what the receiver states about itself and its signals.
  mutating func reportInterference(
    _ index: Int, at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    let interference = sources[index].interference
    guard interference != sources[index].reportedInterference else { return }
    let before = sources[index].reportedInterference
    sources[index].reportedInterference = interference
    let id = sources[index].setup.id
    if before.overflows == 0, interference.overflows > 0 { events.append(.overflow(source: id), at: instant) }
    if let datum = interference.datum, interference.datumCode != before.datumCode {
      events.append(.datum(datum, source: id), at: instant)
    }
    // Of the source since it was opened: one that starts with its line has had no fix.
    if before.starts != interference.starts, !sources[index].hasReportedRestart, sources[index].firstFix?.end != nil {
      sources[index].hasReportedRestart = true
      events.append(.restarted(source: id), at: instant)
    }
    guard
      interference.jamming?.state != before.jamming?.state
        || interference.spoofing?.state != before.spoofing?.state
        || interference.antenna?.state != before.antenna?.state
    else { return }
    events.append(.interference(interference, source: id), at: instant)
    if supervisor.lead == index { reportLead(at: instant, into: &events) }
  }

  /// Reports the first malformed message of a receiver; further ones are only counted.
  mutating func reportMalformed(
    _ index: Int, at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    guard !sources[index].hasReportedMalformed, let type = sources[index].firstMalformed else { return }
    sources[index].hasReportedMalformed = true
    events.append(.malformed(type, source: sources[index].setup.id), at: instant)
  }

  mutating func reportRollover(
    of epoch: borrowing Epoch, _ index: Int, at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    guard epoch.rolloverSuspect, !sources[index].hasReportedRollover, let date = epoch.measured?.date else { return }
    sources[index].hasReportedRollover = true
    events.append(.rollover(date, source: sources[index].setup.id), at: instant)
  }

  mutating func apply(
    _ actions: [SupervisorAction], at instant: MonotonicInstant, into events: inout EngineEvents
  ) {
    for action in actions {
      switch action {
      case .state(let index, let state): enter(state, index, at: instant, into: &events)
      case .lead(_, _, let reason):
        stateSince = instant
        changes.sourceChanged()
        desk.follow.sourceChanged(at: instant)
        absence = nil
        reportLead(reason, at: instant, into: &events)
      }
    }
  }

  private mutating func enter(
    _ state: SourceState, _ index: Int, at instant: MonotonicInstant,
    into events: inout EngineEvents
  ) {
    events.append(.state(state, source: sources[index].setup.id), at: instant)
    if case .tracking = state { sources[index].firstFix?.didEnd(at: instant) }
    desk.setPermanentError(supervisor.permanentError, at: instant, into: &events)
    guard index == supervisor.lead else { return }
    stateSince = instant
    switch state {
    case .lost, .failed, .idle: loseFix(at: instant, into: &events)
    case .opening, .acquiring, .tracking: break
    }
    reportLead(at: instant, into: &events)
  }

  private mutating func loseFix(at instant: MonotonicInstant, into events: inout EngineEvents) {
    changes.lost()
    rates.lost()
    let utc = utc(at: instant)
    for index in motions.indices { motions[index].lose(at: instant, utc: utc) }
    desk.lost(at: instant, into: &events)
    moveOn(at: instant)
    events.append(.fixLost(source: sources[supervisor.lead].setup.id, time: utc), at: instant)
  }
}
