import GPSDProtocol
import LocationCore
import NIOCore

/// What clients ask.
extension Publisher {
  func answer(_ request: Request, from session: Session, at instant: MonotonicInstant) {
    if let name = request.addition, !session.mayUseAdditions {
      return refuse(
        name, "?\(name) is an addition to gpsd's protocol; ask for the additions first: ?WATCH={\"handlebar\":true}",
        to: session)
    }
    switch request {
    case .version: session.send(line { Self.version.write(into: &$0) })
    case .devices: session.send(line { devicesReport().write(into: &$0) })
    case .watch(nil): session.send(line { watchReport(of: session).write(into: &$0) })
    case .watch(.some(let watch)): subscribe(session, watch, at: instant)
    case .poll: session.send(pollLine(at: instant))
    case .status:
      session.send(line { statusReport(at: instant).write(counters: counters, into: &$0) })
    case .view(let view): report(view, from: session, at: instant)
    case .follow(let view): tellFollow(view, to: session)
    case .setFollow(let view, let enable): setFollow(view, enable, from: session, at: instant)
    case .locate(let timeout, let maxAge): ask(timeout, maxAge, from: session, at: instant)
    case .targets: tellTargets(to: session)
    case .setTarget(let target): setTarget(target, from: session, at: instant)
    case .removeTarget(let name): removeTarget(name, from: session, at: instant)
    case .record(let record): self.record(record, from: session)
    case .playback(let playback): answer(playback, to: session, at: instant)
    }
  }

  private func subscribe(_ session: Session, _ watch: WatchRequest, at instant: MonotonicInstant) {
    if let device = watch.device, !device.isEmpty, !pipeline.lanes.contains(where: { $0.uri.device == device }) {
      let known = pipeline.lanes.map(\.uri.device).joined(separator: ", ")
      return refuse("WATCH", "no such device as \(device); there is \(known)", to: session)
    }
    session.watch.merge(
      watch, defaultFilter: session.dialect == .handlebar ? configuration.distanceFilter : 0)
    let settings = session.watch
    guard settings.enable else {
      session.subscription = nil
      return session.send(line { watchReport(of: session).write(into: &$0) })
    }
    do throws(FilterError) {
      let heartbeat = settings.heartbeat.flatMap { $0 > 0 ? Duration(finiteSeconds: $0) : nil }
      let filter = DistanceFilter(
        try FilterConfiguration(distance: settings.distanceFilter ?? configuration.distanceFilter, heartbeat: heartbeat)
      )
      session.subscription = settings.json ? Subscription(filter: filter, extensions: session.mayUseAdditions) : nil
    } catch {
      return refuse("WATCH", "\(error)", to: session)
    }
    session.send(
      line {
        devicesReport().write(into: &$0)
        watchReport(of: session).write(into: &$0)
      })
    guard let subscription = session.subscription else { return noteInterest() }
    if subscription.extensions { sendSnapshot(to: session, at: instant) }
    noteInterest()
  }

  private func sendSnapshot(to session: Session, at instant: MonotonicInstant) {
    if let newest = pipeline.newest, session.hears(encoder.device(of: newest)) {
      session.subscription?.filter.delivered(newest, at: instant)
      session.send(
        encoder.encode(newest, reason: .snapshot, age: instant.seconds(since: newest.fix.received)))
    }
    session.send(
      line { line in
        stateReport(leads: nil, at: instant).write(counters: leadCounters, into: &line)
        for state in followStates { FollowReport(state).write(into: &line) }
        for arrival in pipeline.targets.states { ArrivalReport(arrival).write(into: &line) }
      })
  }

  private func report(_ view: ViewRequest, from session: Session, at instant: MonotonicInstant) {
    session.isRenderer = true
    do throws(FollowError) {
      let report = ViewReport(
        view: view.view, coordinate: view.position, seq: view.seq,
        cause: view.cause.flatMap { ViewCause(rawValue: $0.rawValue) })
      let isNew = !pipeline.follow.states.contains { $0.view == view.view }
      let actions = try pipeline.follow.report(report, from: session.id, at: instant)
      pipeline.recordEvent(at: instant) { $0.write(view) }
      pipeline.perform(actions, at: instant)
      if isNew, actions.isEmpty { tellFollow(view.view, to: session) }
    } catch {
      refuse("VIEW", "\(error)", to: session)
    }
  }

  private func setFollow(_ view: String, _ enable: Bool, from session: Session, at instant: MonotonicInstant) {
    session.isRenderer = true
    do throws(FollowError) {
      let actions = try pipeline.follow.set(following: enable, view: view, session: session.id, at: instant)
      pipeline.recordEvent(at: instant) { $0.writeFollow(view: view, enable: enable) }
      pipeline.perform(actions, at: instant)
      let isTold = actions.contains { if case .changed = $0 { true } else { false } }
      if !isTold || session.subscription == nil { tellFollow(view, to: session) }
    } catch {
      refuse("FOLLOW", "\(error)", to: session)
    }
  }

  private func tellFollow(_ view: String?, to session: Session) {
    let told = view.map { [pipeline.follow.state(of: $0)] } ?? followStates
    session.send(line { line in for state in told { FollowReport(state).write(into: &line) } })
  }

  /// Every view, and before one has reported the one that is not named: it follows already.
  private var followStates: [FollowState] {
    let states = pipeline.follow.states
    return states.isEmpty ? [pipeline.follow.state(of: Request.defaultView)] : states
  }

  private func ask(_ timeout: Double?, _ maxAge: Double?, from session: Session, at instant: MonotonicInstant) {
    do throws(LocateError) {
      let question = try LocateRequest(
        id: 0, session: session.id,
        timeout: timeout.flatMap { Duration(finiteSeconds: $0) } ?? .seconds(10),
        maxAge: maxAge.flatMap { Duration(finiteSeconds: $0) } ?? .seconds(2))
      if let answer = try pipeline.locate.request(question, at: instant) {
        reply(answer, to: session, at: instant)
      }
    } catch {
      refuse("LOCATE", "\(error)", to: session)
    }
    noteInterest()
  }

  /// Sends the one answer to a `?LOCATE`.
  func reply(_ answer: LocateAnswer, to session: Session, at instant: MonotonicInstant) {
    let age = answer.age?.inSeconds
    switch answer.outcome {
    case .fix(let fix):
      session.send(encoder.encode(fix, reason: .requested, age: age))
    case .timedOut:
      let report = ErrorReport(
        message: "no fix in time; the receiver is \(pipeline.supervisor.leadState.phase.rawValue)", code: "timedOut",
        request: "LOCATE")
      session.send(line { withLastKnown(report, answer).write(into: &$0) })
    case .failed(let error):
      session.send(line { withLastKnown(ErrorReport(error, request: "LOCATE"), answer).write(into: &$0) })
    }
  }

  private func withLastKnown(_ report: ErrorReport, _ answer: LocateAnswer) -> ErrorReport {
    guard let fix = answer.lastKnown, let age = answer.age else { return report }
    return report.lastKnown(fix, age: age.inSeconds, source: encoder.name(of: fix))
  }

  private func setTarget(_ request: TargetRequest, from session: Session, at instant: MonotonicInstant) {
    do throws(TargetError) {
      try pipeline.targets.set(
        Target(name: request.name, coordinate: request.position, radius: request.radius ?? 100))
      pipeline.recordEvent(at: instant) { $0.write(request) }
    } catch {
      return refuse("TARGET", "\(error)", to: session)
    }
    tellTargets(to: session, named: request.name)
  }

  private func removeTarget(_ name: String, from session: Session, at instant: MonotonicInstant) {
    guard pipeline.targets.remove(name) else {
      return refuse("TARGET", "there is no target \"\(name)\"", to: session)
    }
    pipeline.recordEvent(at: instant) { $0.writeTargetOff(name: name) }
    session.send(line { ArrivalReport(name: name, state: "removed").write(into: &$0) })
  }

  private func tellTargets(to session: Session, named name: String? = nil) {
    let targets = pipeline.targets.states.filter { name == nil || $0.name == name }
    if targets.isEmpty {
      let report = ErrorReport(message: "no target is set", code: "noTarget", request: "TARGET")
      return session.send(line { report.write(into: &$0) })
    }
    session.send(line { line in for target in targets { ArrivalReport(target).write(into: &line) } })
  }

  func refuse(_ request: String, _ message: String, to session: Session) {
    audience.countBadRequest()
    session.send(line { ErrorReport(message: message, code: "request", request: request).write(into: &$0) })
  }
}

extension Request {
  /// The name of a request that gpsd does not have; `nil` for gpsd's own.
  fileprivate var addition: String? {
    switch self {
    case .version, .devices, .watch, .poll: nil
    case .status: "STATUS"
    case .view: "VIEW"
    case .follow, .setFollow: "FOLLOW"
    case .locate: "LOCATE"
    case .targets, .setTarget, .removeTarget: "TARGET"
    case .playback: "PLAYBACK"
    case .record: "RECORD"
    }
  }
}
