import GPSDProtocol
import LocationCore
import NIOCore

extension Server {
  /// The newest measured position, else that of an earlier run.
  func lastKnown(at instant: MonotonicInstant, _ engine: borrowing LocationEngine) -> LastKnown? {
    guard let fix = engine.desk.newestMeasured else { return positions?.lastKnown(at: instant) }
    return LastKnown(fix, age: instant - fix.fix.received, source: fixLines.name(of: fix))
  }

  func stateReport(
    _ status: LeadStatus, at instant: MonotonicInstant, _ engine: borrowing LocationEngine
  ) -> StateReport {
    let source = sources[status.source]
    var report = StateReport(status, at: instant)
    report.source = source?.name
    report.device = source?.device
    report.recordingError = rides.recorder?.status.failure
    if status.state.phase != .tracking { report.lastKnown = lastKnown(at: instant, engine) }
    return report
  }

  func watchReport(of session: ClientSession) -> WatchReport {
    var report = WatchReport(session.watch)
    if session.watch.json != true || session.usesDefaultFilter && !session.usesAdditions {
      report.settings.distanceFilter = nil
    }
    report.latency = session.feed?.usesAdditions == true ? configuration.latency : nil
    return report
  }

  func pollLine(
    for session: ClientSession, at instant: MonotonicInstant, _ engine: borrowing LocationEngine
  ) -> ByteBuffer {
    let active = sources.all.count { [.acquiring, .tracking, .lost].contains(sources.state(of: $0, in: engine).phase) }
    let lead = sources.lead(in: engine)
    let newest = engine.hasFix ? engine.desk.newest : nil
    let noise = newest?.source == engine.lead.setup.id ? engine.lead.noise : nil
    let sky = engine.lead.sky
    let time = engine.utc(at: instant) ?? WallClock.now
    return line {
      POLL.write(
        time: time, active: active, device: lead.device, fix: newest?.fix, noise: noise, sky: sky,
        derived: session.usesAdditions
          ? nil : gpsdFields.map { ($0.model.newest, $0.model.dilution) }, into: &$0)
    }
  }

  func statusReport(at instant: MonotonicInstant, _ engine: borrowing LocationEngine)
    -> StatusReport
  {
    let state = engine.supervisor.leadState
    var report = StatusReport(
      release: Daemon.release, uptime: EngineClock.machine - started, phase: .init(state.phase),
      clients: clients.sessions.count)
    report.mode = state.mode
    report.source = sources.lead(in: engine).name
    report.reason = engine.leadStatus(at: instant).absence.map { .init(rawValue: $0.reason.rawValue) }
    report.seq = engine.desk.newest?.seq
    report.age = engine.desk.newest.map { instant - $0.fix.received }
    report.clientLimit = clients.maxClients
    report.recording = rides.recorder?.status.path
    report.recordingError = rides.recorder?.status.failure
    if state.phase != .tracking { report.lastKnown = lastKnown(at: instant, engine) }
    report.firstFix = firstFix(engine)
    report.sources = sources.all.map { configured in
      let serial = configured.serial
      let state = sources.state(of: configured, in: engine)
      var source = SourceReport(configured, state.phase, state.error)
      source.mode = state.mode
      source.bitRate = serial?.open?.speed
      source.load = serial?.open?.load
      source.cycle = sources.index(of: configured, in: engine).flatMap { engine.sources[$0].period }
      source.overruns = serial?.lineOverruns.map { Int(clamping: $0) }
      source.receiver = serial?.receiver?.report.state
      if let index = sources.index(of: configured, in: engine) {
        let faults = engine.sources[index].faults(inLastMinuteAt: instant)
        source.noise = faults.map { Int(clamping: $0.noise) }
        source.badChecksums = faults.map { Int(clamping: $0.badChecksum) }
        let interference = engine.sources[index].interference
        source.apply(interference)
        source.datum = interference.datum
        source.resetReason = interference.resetReason.map { "\($0)" }
      }
      return source
    }
    report.sensors = sensors.all.map { SourceReport($0, $0.sensor.phase, $0.sensor.error) }
    return report
  }

  /// The first fix of the leading source, if it is live.
  private func firstFix(_ engine: borrowing LocationEngine) -> FirstFix? {
    guard engine.lead.setup.isLive, let duration = engine.lead.firstFix?.duration else { return nil }
    var fix = FirstFix(duration: duration)
    if let quickStart = sources.lead(in: engine).serial?.receiver?.quickStart {
      fix.aids = quickStart.aids.map { .init(rawValue: $0.rawValue) }
      switch quickStart.outcome {
      case .needless: fix.start = .warm
      case .running, .unanswered: fix.start = fix.aids.isEmpty ? nil : .aided
      case .nothing, .sent, .late, .refused: fix.start = fix.aids.isEmpty ? .cold : .aided
      }
    }
    return fix
  }

  func leadCounts(_ engine: borrowing LocationEngine) -> [Count] {
    let counters = engine.lead.counters
    return [
      Count("sentences", counters.nmea.sentences),
      Count("rejected", counters.nmea.rejected),
      Count("epochs", counters.epochs),
      Count("fixes", counters.fixes),
    ]
  }

  func counts(_ engine: borrowing LocationEngine) -> [Count] {
    let lead = engine.lead.counters
    let clients = clients.totals
    let follow = engine.desk.follow.counters
    let links = sources.all.compactMap { $0.transport?.link }
    func link(_ counter: KeyPath<LinkCounters, UInt64>) -> UInt64 {
      links.reduce(0) { $0 &+ $1[keyPath: counter] }
    }
    let rest: [Count] = [
      Count("bytes", lead.nmea.bytes),
      Count("badChecksum", lead.nmea.checksum),
      Count("noChecksum", lead.nmea.noChecksum),
      Count("overlong", lead.nmea.overlong),
      Count("notASCII", lead.nmea.notASCII),
      Count("truncated", lead.nmea.truncated),
      Count("fieldCount", lead.nmea.fieldCount),
      Count("malformedFields", lead.nmea.malformedFields),
      Count("noise", lead.nmea.noise),
      Count("ubxMessages", lead.nmea.ubxFrames),
      Count("unknownMessages", lead.unknownMessages),
      Count("malformedMessages", lead.malformedMessages),
      Count("voidEpochs", lead.void),
      Count("epochsWithoutPosition", lead.noPosition),
      Count("epochsWithoutStatus", lead.noStatus),
      Count("rolloverSuspects", lead.rolloverSuspects),
      Count("lateSentences", lead.late),
      Count("incompleteGSV", lead.droppedSets),
      Count("contradictedMotion", lead.contradicted),
      Count("overflows", lead.overflows),
      Count("receiverStarts", lead.starts),
      Count("outOfOrder", lead.judge.outOfOrder),
      Count("duplicates", lead.judge.duplicate),
      Count("outOfRange", lead.judge.outOfRange),
      Count("zeroPosition", lead.judge.nullIsland),
      Count("suspects", lead.judge.held),
      Count("unconfirmedJumps", lead.judge.jump),
      Count("lateFixes", lead.superseded),
      Count("clockSteps", lead.judge.clockSteps),
      Count("overlapping", engine.handover.overlapping),
      Count("connections", link(\.connections)),
      Count("reports", link(\.reports)),
      Count("malformedReports", link(\.malformed)),
      Count("overlongReports", link(\.overlong)),
      Count("unknownReports", link(\.unknown)),
      Count("nestedObjects", link(\.nested)),
      Count("gpsdErrors", link(\.errors)),
      Count("ignoredViews", follow.superseded),
      Count("viewsOfUnknownFix", follow.unknownSeq),
      Count("refusedViews", follow.refused),
      Count("clientsAccepted", clients.accepted),
      Count("clientsRefused", clients.refused),
      Count("clientsStalled", clients.stalled),
      Count("replacedFixes", clients.replacedFixes),
      Count("discardedEvents", clients.discardedEvents),
      Count("badRequests", clients.badRequests),
      Count("foreignProtocols", clients.foreignProtocols),
      Count("recordedBytes", rides.recorder?.status.bytesWritten ?? 0),
      Count("unrecordedReads", rides.recorder?.status.droppedReads ?? 0),
      Count("unrecordedEvents", rides.budget.refused + rides.sensorBudget.refused),
    ]
    return leadCounts(engine) + rest
  }
}

extension ErrorReport {
  init(_ error: SourceError, request: String) {
    self.init(
      message: "\(error)", code: .init(rawValue: error.code), request: request, remedy: error.remedy
    )
  }
}

extension SourceReport {
  fileprivate init(_ source: ConfiguredSource, _ phase: SourcePhase, _ error: SourceError?) {
    self.init(source: source.name, phase: .init(phase))
    device = source.device
    self.error = error.map { .init(rawValue: $0.code) }
    message = error.map { "\($0)" }
    remedy = error?.remedy
  }
}

extension StateReport.Phase {
  fileprivate init(_ phase: SourcePhase) { self.init(rawValue: phase.rawValue) }
}

extension SourceState {
  /// The number of dimensions, 2 or 3, while tracking.
  var mode: Int? { if case .tracking(let mode) = self { mode.rawValue } else { nil } }
  var error: SourceError? { if case .failed(let error, _) = self { error } else { nil } }
}
