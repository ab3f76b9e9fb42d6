import GPSDProtocol
import LocationCore
import NIOCore

extension Server {
  /// The newest position, else that of an earlier run.
  func lastKnown(at instant: MonotonicInstant, _ engine: borrowing LocationEngine) -> LastKnown? {
    guard let fix = engine.desk.newest else { return positions?.lastKnown(at: instant) }
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
      var source = SourceReport(source: configured.name, phase: .init(state.phase))
      source.device = configured.device
      source.mode = state.mode
      source.bitRate = serial?.lineSpeed
      source.load = serial?.lineLoad
      source.cycle = sources.index(of: configured, in: engine).flatMap { engine.sources[$0].period }
      source.receiver = serial?.receiverReport?.state
      if let index = sources.index(of: configured, in: engine) {
        let interference = engine.sources[index].interference
        source.jamming = interference.jamming.map { .init(rawValue: "\($0.state)") }
        source.jammingSource = interference.jamming?.source
        source.spoofing = interference.spoofing.map { .init(rawValue: "\($0.state)") }
        source.spoofingSource = interference.spoofing?.source
      }
      source.error = state.error.map { .init(rawValue: $0.code) }
      source.message = state.error.map { "\($0)" }
      source.remedy = state.error?.remedy
      return source
    }
    return report
  }
}

extension Server {
  /// The first fix of the leading source, if it is live.
  private func firstFix(_ engine: borrowing LocationEngine) -> FirstFix? {
    guard engine.lead.setup.isLive, let duration = engine.lead.firstFix?.duration else { return nil }
    var fix = FirstFix(duration: duration)
    if let quickStart = sources.lead(in: engine).serial?.quickStart {
      fix.aids = quickStart.aids.map { .init(rawValue: $0.rawValue) }
      switch quickStart.outcome {
      case .needless: fix.start = .warm
      case .running, .unanswered: fix.start = fix.aids.isEmpty ? nil : .aided
      case .nothing, .sent, .late, .refused: fix.start = fix.aids.isEmpty ? .cold : .aided
      }
    }
    return fix
  }

  /// Counters of the leading source, for `STATE`.
  func leadCounters(_ engine: borrowing LocationEngine) -> [Counter] {
    let counters = engine.lead.counters
    return [
      Counter("sentences", Int(clamping: counters.nmea.sentences)),
      Counter("rejected", Int(clamping: counters.nmea.rejected)),
      Counter("epochs", Int(clamping: counters.epochs)),
      Counter("fixes", Int(clamping: counters.fixes)),
    ]
  }

  /// Counters of the daemon, for `STATUS`.
  func counters(_ engine: borrowing LocationEngine) -> [Counter] {
    let lead = engine.lead.counters
    let clients = clients.totals
    let follow = engine.desk.follow.counters
    let links = sources.all.compactMap { $0.transport?.link }
    func link(_ counter: KeyPath<LinkCounters, UInt64>) -> Int {
      Int(clamping: links.reduce(0) { $0 &+ $1[keyPath: counter] })
    }
    return leadCounters(engine) + [
      Counter("bytes", Int(clamping: lead.nmea.bytes)),
      Counter("badChecksum", Int(clamping: lead.nmea.checksum)),
      Counter("noChecksum", Int(clamping: lead.nmea.noChecksum)),
      Counter("overlong", Int(clamping: lead.nmea.overlong)),
      Counter("notASCII", Int(clamping: lead.nmea.notASCII)),
      Counter("truncated", Int(clamping: lead.nmea.truncated)),
      Counter("fieldCount", Int(clamping: lead.nmea.fieldCount)),
      Counter("malformedFields", Int(clamping: lead.nmea.malformedFields)),
      Counter("noise", Int(clamping: lead.nmea.noise)),
      Counter("ubxMessages", Int(clamping: lead.nmea.ubxFrames)),
      Counter("unknownMessages", Int(clamping: lead.unknownMessages)),
      Counter("malformedMessages", Int(clamping: lead.malformedMessages)),
      Counter("voidEpochs", Int(clamping: lead.void)),
      Counter("epochsWithoutPosition", Int(clamping: lead.noPosition)),
      Counter("epochsWithoutStatus", Int(clamping: lead.noStatus)),
      Counter("rolloverSuspects", Int(clamping: lead.rolloverSuspects)),
      Counter("lateSentences", Int(clamping: lead.late)),
      Counter("incompleteGSV", Int(clamping: lead.droppedSets)),
      Counter("contradictedMotion", Int(clamping: lead.contradicted)),
      Counter("outOfOrder", Int(clamping: lead.judge.outOfOrder)),
      Counter("duplicates", Int(clamping: lead.judge.duplicate)),
      Counter("outOfRange", Int(clamping: lead.judge.outOfRange)),
      Counter("zeroPosition", Int(clamping: lead.judge.nullIsland)),
      Counter("suspects", Int(clamping: lead.judge.held)),
      Counter("unconfirmedJumps", Int(clamping: lead.judge.jump)),
      Counter("lateFixes", Int(clamping: lead.superseded)),
      Counter("clockSteps", Int(clamping: lead.judge.clockSteps)),
      Counter("overlapping", Int(clamping: engine.handover.overlapping)),
      Counter("connections", link(\.connections)),
      Counter("reports", link(\.reports)),
      Counter("malformedReports", link(\.malformed)),
      Counter("overlongReports", link(\.overlong)),
      Counter("unknownReports", link(\.unknown)),
      Counter("nestedObjects", link(\.nested)),
      Counter("gpsdErrors", link(\.errors)),
      Counter("ignoredViews", follow.superseded),
      Counter("viewsOfUnknownFix", follow.unknownSeq),
      Counter("refusedViews", follow.refused),
      Counter("clientsAccepted", Int(clamping: clients.accepted)),
      Counter("clientsRefused", Int(clamping: clients.refused)),
      Counter("clientsStalled", Int(clamping: clients.stalled)),
      Counter("replacedFixes", Int(clamping: clients.replacedFixes)),
      Counter("discardedEvents", Int(clamping: clients.discardedEvents)),
      Counter("badRequests", Int(clamping: clients.badRequests)),
      Counter("foreignProtocols", Int(clamping: clients.foreignProtocols)),
      Counter("recordedBytes", rides.recorder?.status.bytesWritten ?? 0),
      Counter("unrecordedReads", rides.recorder?.status.droppedReads ?? 0),
      Counter("unrecordedEvents", Int(clamping: rides.budget.refused)),
    ]
  }
}

extension ErrorReport {
  init(_ error: SourceError, request: String) {
    self.init(
      message: "\(error)", code: .init(rawValue: error.code), request: request, remedy: error.remedy
    )
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
