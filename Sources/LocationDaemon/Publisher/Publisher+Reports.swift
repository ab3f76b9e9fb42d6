import GPSDProtocol
import LocationCore
import NIOCore

/// The state of things, as clients see it.
extension Publisher {
  func stateReport(leads reason: LeadReason?, at instant: MonotonicInstant) -> StateReport {
    let lane = pipeline.lead
    let state = pipeline.supervisor.leadState
    var report = StateReport(state: state.phase.rawValue)
    report.time = pipeline.utc(at: instant)
    report.mode = state.mode
    report.source = lane.name
    report.device = lane.uri.device
    report.leads = reason?.rawValue
    report.since = instant.seconds(since: pipeline.stateSince)
    report.seq = pipeline.newest?.seq
    report.recordingError = pipeline.recorder?.failure
    if case .failed(let error, let previous) = state {
      report.error = error.code
      report.message = "\(error)"
      report.remedy = error.remedy
      report.previous = previous.rawValue
    }
    return report
  }

  func watchReport(of session: Session) -> WatchReport {
    let settings = session.watch
    var report = WatchReport(enable: settings.enable, json: settings.json)
    report.nmea = settings.nmea
    report.device = settings.device
    report.handlebar = settings.handlebar
    report.distanceFilter = settings.enable && settings.json ? settings.distanceFilter : nil
    report.heartbeat = settings.enable ? settings.heartbeat : nil
    return report
  }

  func devicesReport() -> DevicesReport {
    DevicesReport(
      devices: zip(pipeline.lanes, pipeline.supervisor.states).map { lane, state in
        var device = DeviceReport(path: lane.uri.device)
        device.driver = "NMEA0183"
        device.source = lane.name
        device.flags = state.phase == .tracking ? 1 : nil
        device.cycle = lane.period?.inSeconds
        return device
      })
  }

  func pollLine(at instant: MonotonicInstant) -> ByteBuffer {
    let active = pipeline.supervisor.states.count { state in
      switch state.phase {
      case .acquiring, .tracking, .lost: true
      case .idle, .opening, .failed: false
      }
    }
    let lane = pipeline.lead
    let source = POLLLine.Source(
      device: lane.uri.device, fix: pipeline.hasFix ? pipeline.newest?.fix : nil,
      noise: pipeline.hasFix && pipeline.newest?.source == lane.id ? lane.noise : nil, sky: lane.sky)
    let time = pipeline.utc(at: instant) ?? WallClock.now
    return line { POLLLine.write(time: time, active: active, sources: [source], into: &$0) }
  }

  func statusReport(at instant: MonotonicInstant) -> StatusReport {
    let state = pipeline.supervisor.leadState
    var report = StatusReport(
      release: Daemon.release, uptime: PipelineClock.machine.seconds(since: started), state: state.phase.rawValue,
      clients: audience.sessions.count)
    report.mode = state.mode
    report.source = pipeline.lead.name
    report.seq = pipeline.newest?.seq
    report.age = pipeline.newest.map { instant.seconds(since: $0.fix.received) }
    report.clientLimit = audience.maxClients
    report.recording = pipeline.recorder?.path
    report.recordingError = pipeline.recorder?.failure
    report.sources = zip(pipeline.lanes, pipeline.supervisor.states).map { lane, state in
      var source = SourceReport(source: lane.name, state: state.phase.rawValue)
      source.device = lane.uri.device
      source.mode = state.mode
      source.error = state.error?.code
      source.message = state.error.map { "\($0)" }
      source.remedy = state.error?.remedy
      return source
    }
    return report
  }
}
