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
