import GPSDProtocol
import LocationCore
import NIOCore

// Reports of the current state.
extension Server {
  func stateReport(_ status: LeadStatus, at instant: MonotonicInstant) -> StateReport {
    let feed = host.feed(status.source)
    var report = StateReport(state: .init(status.state.phase))
    report.time = status.time
    report.mode = status.state.mode
    report.source = feed?.name
    report.device = feed?.uri.device
    report.leads = status.reason.map { .init(rawValue: $0.rawValue) }
    report.since = instant - status.since
    report.seq = status.seq
    report.recordingError = host.recorder?.failure
    if case .failed(let error, let previous) = status.state {
      report.error = .init(rawValue: error.code)
      report.message = "\(error)"
      report.remedy = error.remedy
      report.previous = .init(previous)
    }
    return report
  }

  func watchReport(of session: ClientSession) -> WatchReport {
    let settings = session.watch
    var report = WatchReport(enable: settings.enable, json: settings.json)
    report.nmea = settings.nmea
    report.device = settings.device
    report.handlebar = settings.handlebar
    let isFiltered = settings.enable && settings.json && (session.mayUseAdditions || !settings.usesDefaultFilter)
    report.distanceFilter = isFiltered ? settings.distanceFilter : nil
    report.heartbeat = settings.enable ? settings.heartbeat : nil
    report.poses = settings.enable && settings.poses > 0 ? settings.poses : nil
    report.latency = session.subscription?.extensions == true ? configuration.latency : nil
    return report
  }

  func pollLine(for session: ClientSession, at instant: MonotonicInstant) -> ByteBuffer {
    let active = host.engine.supervisor.states.count { state in
      switch state.phase {
      case .acquiring, .tracking, .lost: true
      case .idle, .opening, .failed: false
      }
    }
    let feed = host.lead
    let source = POLL.Source(
      device: feed.uri.device, fix: host.engine.hasFix ? host.engine.newest?.fix : nil,
      noise: host.engine.hasFix && host.engine.newest?.source == feed.id ? host.engine.lead.noise : nil,
      sky: host.engine.lead.sky,
      derived: session.mayUseAdditions ? nil : gpsdFields.map { ($0.model.newest, $0.model.dilution) })
    let time = host.engine.utc(at: instant) ?? WallClock.now
    return line { POLL.write(time: time, active: active, sources: [source], into: &$0) }
  }

  func statusReport(at instant: MonotonicInstant) -> StatusReport {
    let state = host.engine.supervisor.leadState
    var report = StatusReport(
      release: Daemon.release, uptime: EngineClock.machine - started, state: .init(state.phase),
      clients: clients.sessions.count)
    report.mode = state.mode
    report.source = host.lead.name
    report.seq = host.engine.newest?.seq
    report.age = host.engine.newest.map { instant - $0.fix.received }
    report.clientLimit = clients.maxClients
    report.recording = host.recorder?.path
    report.recordingError = host.recorder?.failure
    report.sources = zip(host.feeds, host.engine.supervisor.states).map { feed, state in
      var source = SourceReport(source: feed.name, state: .init(state.phase))
      source.device = feed.uri.device
      source.mode = state.mode
      source.bps = feed.source?.lineSpeed
      source.load = feed.source?.lineLoad
      source.cycle = feed.receiver?.period
      source.receiver = feed.source?.receiverSetup?.report(source: feed.name).state
      source.error = state.error.map { .init(rawValue: $0.code) }
      source.message = state.error.map { "\($0)" }
      source.remedy = state.error?.remedy
      return source
    }
    return report
  }
}

// Counters.
extension Server {
  /// Counters of the leading source, for `STATE`.
  var leadCounters: [Counter] {
    let counters = host.engine.lead.counters
    return [
      Counter("sentences", Int(clamping: counters.nmea.sentences)),
      Counter("rejected", Int(clamping: counters.nmea.rejected)),
      Counter("epochs", Int(clamping: counters.epochs)),
      Counter("fixes", Int(clamping: counters.fixes)),
    ]
  }

  /// Counters of the daemon, for `STATUS`.
  var counters: [Counter] {
    let lead = host.engine.lead.counters
    let clients = clients.counters
    let follow = host.engine.follow.counters
    let link = host.feeds.reduce(LinkCounters()) { $0 + ($1.source?.link ?? LinkCounters()) }
    return leadCounters + [
      Counter("bytes", Int(clamping: lead.nmea.bytes)),
      Counter("badChecksum", Int(clamping: lead.nmea.checksum)),
      Counter("noChecksum", Int(clamping: lead.nmea.noChecksum)),
      Counter("overlong", Int(clamping: lead.nmea.overlong)),
      Counter("notASCII", Int(clamping: lead.nmea.notASCII)),
      Counter("truncated", Int(clamping: lead.nmea.truncated)),
      Counter("fieldCount", Int(clamping: lead.nmea.fieldCount)),
      Counter("malformedFields", Int(clamping: lead.nmea.malformedFields)),
      Counter("noise", Int(clamping: lead.nmea.noise)),
      Counter("voidEpochs", Int(clamping: lead.void)),
      Counter("epochsWithoutPosition", Int(clamping: lead.noPosition)),
      Counter("epochsWithoutStatus", Int(clamping: lead.noStatus)),
      Counter("rolloverSuspects", Int(clamping: lead.rolloverSuspects)),
      Counter("lateSentences", Int(clamping: lead.late)),
      Counter("incompleteGSV", Int(clamping: lead.droppedSets)),
      Counter("outOfOrder", Int(clamping: lead.judge.outOfOrder)),
      Counter("duplicates", Int(clamping: lead.judge.duplicate)),
      Counter("outOfRange", Int(clamping: lead.judge.outOfRange)),
      Counter("zeroPosition", Int(clamping: lead.judge.nullIsland)),
      Counter("suspects", Int(clamping: lead.judge.held)),
      Counter("unconfirmedJumps", Int(clamping: lead.judge.jump)),
      Counter("lateFixes", Int(clamping: lead.superseded)),
      Counter("clockSteps", Int(clamping: lead.judge.clockSteps)),
      Counter("overlapping", Int(clamping: host.engine.handover.overlapping)),
      Counter("connections", Int(clamping: link.connections)),
      Counter("reports", Int(clamping: link.reports)),
      Counter("malformedReports", Int(clamping: link.malformed)),
      Counter("overlongReports", Int(clamping: link.overlong)),
      Counter("unknownReports", Int(clamping: link.unknown)),
      Counter("nestedObjects", Int(clamping: link.nested)),
      Counter("gpsdErrors", Int(clamping: link.errors)),
      Counter("ignoredViews", follow.unknownClient + follow.superseded),
      Counter("viewsOfUnknownFix", follow.unknownSeq),
      Counter("refusedViews", follow.refused),
      Counter("clientsAccepted", Int(clamping: clients.accepted)),
      Counter("clientsRefused", Int(clamping: clients.refused)),
      Counter("clientsStalled", Int(clamping: clients.stalled)),
      Counter("replacedFixes", Int(clamping: clients.replacedFixes)),
      Counter("discardedEvents", Int(clamping: clients.discardedEvents)),
      Counter("badRequests", Int(clamping: clients.badRequests)),
      Counter("foreignProtocols", Int(clamping: clients.foreignProtocols)),
      Counter("recordedBytes", host.recorder?.bytesWritten ?? 0),
      Counter("unrecordedReads", host.recorder?.droppedReads ?? 0),
      Counter("unrecordedEvents", Int(clamping: host.requestBudget.refused)),
    ]
  }
}

extension FollowReport {
  /// Creates the report of a view's state.
  init(_ state: FollowState) {
    self.init(
      view: state.view, following: state.following, reason: .init(rawValue: state.reason.rawValue),
      distance: state.distance,
      seq: state.seq)
  }
}

extension ArrivalReport {
  /// Creates the report of a target's state.
  init(_ arrival: Arrival) {
    self.init(
      name: arrival.name, state: .init(rawValue: arrival.state.rawValue), distance: arrival.distance,
      bearing: arrival.bearing,
      eta: arrival.eta)
  }
}

extension ErrorReport {
  /// Creates the answer to a request that fails because of a source's error.
  init(_ error: SourceError, request: String) {
    self.init(message: "\(error)", code: .init(rawValue: error.code), request: request, remedy: error.remedy)
  }
}

extension StateReport.State {
  fileprivate init(_ phase: SourcePhase) { self.init(rawValue: phase.rawValue) }
}

extension SourceState {
  /// The number of dimensions, 2 or 3, while tracking.
  var mode: Int? {
    if case .tracking(let mode) = self { mode.rawValue } else { nil }
  }

  /// The error of a failed source.
  var error: SourceError? {
    if case .failed(let error, _) = self { error } else { nil }
  }
}
