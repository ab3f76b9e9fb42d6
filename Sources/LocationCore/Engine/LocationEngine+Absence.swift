// Why the leading source has no fix.
extension LocationEngine {
  /// Reports why there is no fix, and whether the position is estimated, if that has changed.
  mutating func reportAbsence(into events: inout EngineEvents) {
    let instant = events.instant
    guard !supervisor.leadIsTracking,
      noteAbsence(isDue: false, at: instant) || isEstimating != reportedEstimating
    else { return }
    reportedEstimating = isEstimating
    events.append(.lead(leadStatus(at: instant)))
  }

  /// Updates why there is no fix; returns whether that is to be reported. `isDue` is whether a report is made in any case.
  mutating func noteAbsence(isDue: Bool, at instant: MonotonicInstant) -> Bool {
    let (reason, until) = reasonOfAbsence(at: instant)
    absenceDeadline = until
    guard let reason else {
      defer { absence = nil }
      return absence != nil
    }
    var new = FixAbsence(reason: reason, since: instant)
    if reason == .searching, let signals = sources[supervisor.lead].sky?.signals {
      (new.signals, new.strongSignals) = (signals.all, signals.strong)
    }
    if let old = absence, old.reason == reason {
      new.since = old.since
      guard new != old, isDue || instant - absenceReported >= FixAbsence.pause else { return false }
    }
    (absence, absenceReported) = (new, instant)
    return true
  }

  private mutating func reasonOfAbsence(at instant: MonotonicInstant) -> (
    reason: AbsenceReason?, until: MonotonicInstant?
  ) {
    let state = supervisor.leadState
    switch state {
    case .idle, .opening, .tracking: return (nil, nil)
    case .failed(let error, _): return (AbsenceReason(error), nil)
    case .lost where !sources[supervisor.lead].isOpen:
      return (sources[supervisor.lead].setup.device.hasPrefix("/") ? .noDevice : .unavailable, nil)
    case .acquiring, .lost:
      let (reason, until) = sources[supervisor.lead].activity.absence(
        after: supervisor.timeoutOfLead, wasTracking: state.phase == .lost, at: instant)
      if reason == .silent || reason == .noNMEA { return (reason, until) }
      let stated = sources[supervisor.lead].interference
      if stated.antenna?.state == .short { return (.antenna, until) }
      if stated.jamming?.state == .critical { return (.jammed, until) }
      guard reason == .searching, stated.antenna?.state == .open else { return (reason, until) }
      // A passive antenna takes no current either, and has signals.
      return (sources[supervisor.lead].sky.map { $0.signals.strong > 0 } ?? false ? .searching : .antenna, until)
    }
  }
}
