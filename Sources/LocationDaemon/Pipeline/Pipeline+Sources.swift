import LocationCore
import Logging

/// What the lanes tell.
extension Pipeline {
  func laneIsOpening(_ lane: Lane, at instant: MonotonicInstant) {
    perform(supervisor.opening(lane.index, at: instant), at: instant)
  }

  func laneDidOpen(_ lane: Lane, at instant: MonotonicInstant) {
    recordReturn(of: lane, at: instant)
    perform(supervisor.opened(lane.index, at: instant), at: instant)
  }

  func laneDidFail(_ lane: Lane, _ error: SourceError, at instant: MonotonicInstant) {
    perform(supervisor.failed(lane.index, error, at: instant), at: instant)
  }

  func laneDidLose(_ lane: Lane, _ error: SourceError, at instant: MonotonicInstant) {
    recordLoss(of: lane, at: instant)
    perform(supervisor.unplugged(lane.index, error, at: instant), at: instant)
  }

  func laneDidEnd(_ lane: Lane, at instant: MonotonicInstant) {
    perform(supervisor.closed(lane.index, at: instant), at: instant)
  }

  func laneDidReceive(_ lane: Lane, at instant: MonotonicInstant) {
    supervisor.bytes(lane.index, at: instant)
  }

  /// An epoch is complete; `isNewest` when none behind it is.
  func laneDidClose(_ lane: Lane, _ epoch: Epoch, isNewest: Bool, at instant: MonotonicInstant) {
    var sky = epoch.sky
    if sky != nil {
      if lane.timeShift != .zero, let measured = sky?.measured { sky?.measured = measured + lane.timeShift }
      lane.sky = sky
    }
    switch epoch.outcome {
    case .fix(let fix, let suspect):
      perform(supervisor.epoch(lane.index, fix: fix.mode, at: instant), at: instant)
      guard supervisor.lead == lane.index else { return }
      lane.noise = epoch.noise
      publish(fix, suspect: suspect, sky: sky, noise: epoch.noise, from: lane, isNewest: isNewest, at: instant)
    case .noFix:
      perform(supervisor.epoch(lane.index, fix: nil, at: instant), at: instant)
      if let sky, supervisor.lead == lane.index { sink?.pipelineDidSee(sky, from: lane, at: instant) }
    case .dropped, .held:
      if case .held = epoch.outcome { perform(supervisor.held(lane.index, at: instant), at: instant) }
      if let sky, supervisor.lead == lane.index { sink?.pipelineDidSee(sky, from: lane, at: instant) }
    }
  }

  func perform(_ actions: [SupervisorAction], at instant: MonotonicInstant) {
    for action in actions {
      switch action {
      case .state(let source, let state): didEnter(state, lane: lanes[source], at: instant)
      case .lead(_, let to, let reason):
        stateSince = instant
        changes.sourceChanged()
        follow.sourceChanged(at: instant)
        log.notice("another source leads", metadata: ["SOURCE": "\(lanes[to].name)", "REASON": "\(reason.rawValue)"])
        sink?.pipelineDidChangeState(leads: reason, at: instant)
        onStateChange()
      }
    }
  }

  func loseFix(of lane: Lane, at instant: MonotonicInstant) {
    changes.lost()
    follow.lost(at: instant)
    sink?.pipelineDidLoseFix(of: lane, at: instant)
  }

  private func didEnter(_ state: SourceState, lane: Lane, at instant: MonotonicInstant) {
    logChange(to: state, of: lane)
    recorder?.sync()
    answer(locate.hopeless(supervisor.hopeless, at: instant), at: instant)
    guard lane.index == supervisor.lead else { return }
    stateSince = instant
    switch state {
    case .lost, .failed, .idle: loseFix(of: lane, at: instant)
    case .opening, .acquiring, .tracking: break
    }
    sink?.pipelineDidChangeState(leads: nil, at: instant)
    onStateChange()
  }

  private func logChange(to state: SourceState, of lane: Lane) {
    var facts: Logger.Metadata = ["SOURCE": "\(lane.name)", "DEVICE": "\(lane.uri.device)"]
    switch state {
    case .failed(let error, _):
      facts["REASON"] = "\(error.code)"
      log.warning("\(error); \(error.remedy)", metadata: facts)
    case .lost: log.notice("fix lost", metadata: facts)
    case .tracking(let mode): log.info("tracking", metadata: facts.merging(["MODE": "\(mode.rawValue)"]) { $1 })
    case .idle, .opening, .acquiring: log.info("source is \(state.phase.rawValue)", metadata: facts)
    }
  }
}
