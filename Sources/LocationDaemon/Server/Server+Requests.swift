import GPSDProtocol
import LocationCore
import NIOCore

// Handling requests of clients.
extension Server {
  func handle(_ request: Request, from session: ClientSession, at instant: MonotonicInstant) {
    if let name = request.addition, !session.mayUseAdditions {
      return refuse(
        "\(name)",
        "?\(name) is an addition to gpsd's protocol; enable the additions first: ?WATCH={\"handlebar\":true}",
        to: session)
    }
    if session.dialect == .gpsd, request.isControl, configuration.tcpControl != true {
      return refuse(
        "\(request.name)",
        "?\(request.name) with a value is refused on TCP; use the Unix socket, or set tcp-control = true for every TCP client",
        code: .forbidden, to: session)
    }
    switch request {
    case .version: session.enqueue(line { Self.version.write(into: &$0) })
    case .devices: session.enqueue(line { devicesReport(for: session).write(into: &$0) })
    case .device(let path): sendDevice(path, to: session)
    case .watch(nil): session.enqueue(line { watchReport(of: session).write(into: &$0) })
    case .watch(.some(let watch)): subscribe(session, watch, at: instant)
    case .poll:
      if !session.mayUseAdditions {
        session.readsGPSDFields = true
        updateGPSDFields()
      }
      session.enqueue(pollLine(for: session, at: instant))
    case .status: session.enqueue(line { statusReport(at: instant).write(counters: counters, into: &$0) })
    case .follow(let view): sendFollow(view, to: session)
    case .targets: sendTargets(to: session)
    case .record(let record): handle(record, from: session)
    case .receiver(let receiver): handle(receiver, from: session)
    case .playback(let playback): handle(playback, from: session, at: instant)
    case .view, .setFollow, .restoreFollow, .locate, .setTarget, .removeTarget:
      let sent = session.subscription?.filter.reference?.seq
      guard let engineRequest = EngineRequest(request, sent: sent) else { return }
      let follow = host.engine.follow
      session.isRenderer = session.isRenderer || request.isOfRenderer
      do throws(RequestRefusal) {
        try host.engine.handle(engineRequest, from: session.id, at: instant, into: &host.events)
        host.publishEvents()
        answer(request, to: session, follow)
        if let effect = recorded(request, since: follow) { host.recordRequest(effect, at: instant) }
      } catch {
        refuse("\(request.name)", "\(error)", to: session)
      }
      if case .locate = request { noteInterest() }
    }
  }

  /// Answers a request that the engine has handled, unless an event was the answer; `before` is the follow mode before.
  private func answer(_ request: Request, to session: ClientSession, _ before: FollowRegistry) {
    let follow = host.engine.follow
    switch request {
    case .view(let view):
      let isFirst = before.renderer(of: view.view) != session.id && follow.renderer(of: view.view) == session.id
      let isPublished = follow.state(of: view.view) != before.state(of: view.view)
      if isFirst || host.engine.newest == nil, !isPublished { sendFollow(view.view, to: session) }
    case .setFollow(let view, _), .restoreFollow(let view, _):
      let isPublished = follow.state(of: view) != before.state(of: view)
      if !isPublished || session.subscription == nil { sendFollow(view, to: session) }
    case .setTarget(let target): sendTargets(to: session, named: target.name)
    case .removeTarget(let name):
      if session.subscription?.extensions != true { session.enqueue(removal(of: name)) }
    case .version, .devices, .device, .watch, .poll, .status, .follow, .locate, .targets, .record, .playback, .receiver:
      break
    }
  }

  /// What is recorded of a request that the engine has handled; `nil` for nothing. The end of a target is an event.
  private func recorded(_ request: Request, since before: FollowRegistry) -> Request? {
    switch request {
    case .view, .setFollow, .setTarget: return request
    case .restoreFollow(let view, _):
      let isRestored = host.engine.follow.state(of: view) != before.state(of: view)
      return isRestored ? .setFollow(view: view, enable: false) : nil
    default: return nil
    }
  }

  private func subscribe(_ session: ClientSession, _ watch: WatchRequest, at instant: MonotonicInstant) {
    if let device = watch.device, !device.isEmpty, !host.feeds.contains(where: { $0.uri.device == device }) {
      let known = host.feeds.map(\.uri.device).joined(separator: ", ")
      return refuse("WATCH", "no such device as \(device); there is \(known)", to: session)
    }
    if let poses = watch.poses, poses > 0, session.dialect != .handlebar {
      return refuse("WATCH", "poses are sent on the Unix socket only", to: session)
    }
    session.watch.merge(
      watch, defaultFilter: session.dialect == .handlebar ? configuration.distanceFilter : 0)
    let settings = session.watch
    session.readsGPSDFields = settings.enable && !session.mayUseAdditions
    guard settings.enable else {
      session.subscription = nil
      updateGPSDFields()
      updateMotion(at: instant)
      return session.enqueue(line { watchReport(of: session).write(into: &$0) })
    }
    do throws(FilterError) {
      let heartbeat = settings.heartbeat.flatMap { $0 > 0 ? Duration(finiteSeconds: $0) : nil }
      let filter = DistanceFilter(
        try FilterConfiguration(distance: settings.distanceFilter ?? configuration.distanceFilter, heartbeat: heartbeat)
      )
      session.subscription =
        settings.json
        ? Subscription(filter: filter, extensions: session.mayUseAdditions, poses: settings.poses, at: instant) : nil
    } catch {
      return refuse("WATCH", "\(error)", to: session)
    }
    updateMotion(at: instant)
    updateGPSDFields()
    session.enqueue(
      line {
        devicesReport(for: session).write(into: &$0)
        watchReport(of: session).write(into: &$0)
      })
    guard let subscription = session.subscription else { return noteInterest() }
    if subscription.extensions { sendSnapshot(to: session, at: instant) }
    noteInterest()
  }

  private func sendSnapshot(to session: ClientSession, at instant: MonotonicInstant) {
    if let newest = host.engine.newest, session.isSubscribed(to: fixLines.device(of: newest)) {
      session.subscription?.filter.delivered(newest, at: instant)
      session.enqueue(
        fixLines.line(of: newest, for: .snapshot, age: instant.seconds(since: newest.fix.received)))
    }
    session.enqueue(line { writeState(at: instant, into: &$0) })
  }

  /// Sends the current state in place of discarded events.
  func sendState(to session: ClientSession) {
    host.turn { instant in
      guard session.takeStateDue(), session.subscription?.extensions == true else { return }
      session.enqueue(
        line { line in
          watchReport(of: session).write(into: &line)
          writeState(at: instant, into: &line)
          if host.recorder != nil { recordReport().write(into: &line) }
          if let player = host.lead.source?.player { player.playback.write(into: &line) }
        })
    }
  }

  private func writeState(at instant: MonotonicInstant, into line: inout JSONLine) {
    stateReport(host.engine.leadStatus(at: instant), at: instant).write(counters: leadCounters, into: &line)
    for state in followStates { FollowReport(state).write(into: &line) }
    for arrival in host.engine.targets.states { ArrivalReport(arrival).write(into: &line) }
  }

  private func sendFollow(_ view: String?, to session: ClientSession) {
    let states = view.map { [host.engine.follow.state(of: $0)] } ?? followStates
    session.enqueue(line { line in for state in states { FollowReport(state).write(into: &line) } })
  }

  /// The states of all views; before any report, that of the default view, which follows from the start.
  private var followStates: [FollowState] {
    let states = host.engine.follow.states
    return states.isEmpty ? [host.engine.follow.state(of: Request.defaultView)] : states
  }

  /// Sends the answer to a `?LOCATE`.
  func send(_ answer: LocateAnswer, to session: ClientSession) {
    let age = answer.age?.inSeconds
    switch answer.outcome {
    case .fix(let fix):
      session.enqueue(fixLines.line(of: fix, for: .requested, age: age))
    case .timedOut:
      let report = ErrorReport(
        message: "no fix in time; the receiver is \(host.engine.supervisor.leadState.phase.rawValue)", code: .timedOut,
        request: "LOCATE")
      session.enqueue(line { withLastKnown(report, answer).write(into: &$0) })
    case .failed(let error):
      session.enqueue(line { withLastKnown(ErrorReport(error, request: "LOCATE"), answer).write(into: &$0) })
    }
  }

  private func withLastKnown(_ report: ErrorReport, _ answer: LocateAnswer) -> ErrorReport {
    guard let fix = answer.lastKnown, let age = answer.age else { return report }
    return report.lastKnown(fix, age: age, source: fixLines.name(of: fix))
  }

  private func sendTargets(to session: ClientSession, named name: String? = nil) {
    let targets = host.engine.targets.states.filter { name == nil || $0.name == name }
    if targets.isEmpty {
      let report = ErrorReport(message: "no target is set", code: .noTarget, request: "TARGET")
      return session.enqueue(line { report.write(into: &$0) })
    }
    session.enqueue(line { line in for target in targets { ArrivalReport(target).write(into: &line) } })
  }

  func refuse(_ request: String, _ message: String, code: ErrorCode = .request, to session: ClientSession) {
    clients.countBadRequest()
    session.enqueue(line { ErrorReport(message: message, code: code, request: request).write(into: &$0) })
  }
}

extension Request {
  /// The name of a request that is an addition to gpsd's protocol; `nil` for gpsd's own.
  fileprivate var addition: StaticString? {
    switch self {
    case .version, .devices, .device, .watch, .poll: nil
    default: name
    }
  }

  /// Whether only a renderer sends it.
  fileprivate var isOfRenderer: Bool {
    switch self {
    case .view, .setFollow, .restoreFollow: true
    default: false
    }
  }

  /// Whether it changes what other clients see, or what is recorded.
  fileprivate var isControl: Bool {
    switch self {
    case .view, .setFollow, .restoreFollow, .setTarget, .removeTarget, .playback(.some), .record(.some): true
    case .version, .devices, .device, .watch, .poll, .status, .follow, .locate, .targets, .playback(nil), .record(nil):
      false
    case .receiver(let receiver): receiver?.action != nil
    }
  }
}
