import LocationCore
import Logging
import NIOCore
import Recordings

/// The driver of the engine: owns all positioning state, confined to the event loop.
///
/// Every input of a source, request and deadline is processed in a turn. At the end of a turn the lines queued for
/// clients are written and the timer is set for the next deadline.
package final class EngineHost {
  package let clock: EngineClock
  package internal(set) var engine: LocationEngine
  /// The sources in the order of preference, as in the engine.
  package internal(set) var feeds: [SourceFeed] = []
  package internal(set) var recorder: Recorder?
  /// The way to chronyd; `nil` if it is not configured.
  private var clockSocket: ClockSocket?
  var requestBudget = RequestBudget()
  var unusableEvents = UnusableEvents()
  /// Called when another source takes the lead or the leading one enters another state.
  package var onStateChange: () -> Void = {}
  /// The server that publishes events.
  package weak var server: Server?
  let log: Logger
  /// Number of sources configured so far.
  var feedCount: Int
  var events = EngineEvents()
  private let loop: any EventLoop
  private var timer: (deadline: MonotonicInstant, task: Scheduled<Void>)?
  private var turnDepth = 0
  private var isBatching = false

  /// Creates a host of all configured sources; none is started.
  package init(
    _ configuration: DaemonConfiguration, clock: EngineClock, on loop: any EventLoop, log: Logger
  ) throws(FollowError) {
    self.clock = clock
    self.loop = loop
    self.log = log
    feedCount = configuration.sources.count
    engine = LocationEngine(
      sources: configuration.sources.enumerated().map { $1.setup(id: $0) },
      follow: try FollowConfiguration(driftLimit: configuration.driftLimit),
      latency: .seconds(configuration.latency), at: clock.now)
    let names = Self.names(of: configuration.sources)
    feeds = configuration.sources.enumerated().map { index, uri in
      SourceFeed(id: index, uri: uri, name: names[index], host: self)
    }
    sendTime(to: configuration.chronySocketPath)
  }

  /// The leading source.
  package var lead: SourceFeed { feeds[engine.supervisor.lead] }

  /// The source with this identifier; `nil` once it is removed.
  package func feed(_ id: Int) -> SourceFeed? { feeds.first { $0.id == id } }

  /// Processes an input of a source, at `instant` or now.
  func receive(_ input: SourceInput, from feed: SourceFeed, at instant: MonotonicInstant? = nil) {
    turn(at: instant) { engine.receive(input, from: feed.id, at: $0, into: &events) }
  }

  /// Handles a request of a client, within a turn.
  func handle(
    _ request: EngineRequest, from client: ClientID, at instant: MonotonicInstant
  ) throws(RequestRefusal) {
    try engine.handle(request, from: client, at: instant, into: &events)
    publishEvents()
  }

  /// Replaces the engine's list of sources, within a turn.
  func rearrangeEngine(_ setups: [SourceSetup], at instant: MonotonicInstant) {
    engine.rearrange(setups, at: instant, into: &events)
    publishEvents()
  }

  /// Sends the time of fixes to chronyd's socket at `path`; `nil` ends that.
  func sendTime(to path: String?) {
    guard path != clockSocket?.path else { return }
    clockSocket = path.flatMap { ClockSocket(path: $0, log: log) }
    engine.setClock(clockSocket != nil)
  }

  /// Starts or ends the estimation of poses, within a turn.
  func setMotion(_ isWanted: Bool, at instant: MonotonicInstant) { engine.setMotion(isWanted, at: instant) }

  /// Changes the constant delay of fixes, within a turn.
  func setLatency(_ latency: Duration, at instant: MonotonicInstant) { engine.setLatency(latency, at: instant) }

  /// Runs one turn: due deadlines, then `body`; its events are published and its lines written. A turn within a turn is
  /// a part of it: a source may fail while it is started.
  package func turn(at instant: MonotonicInstant? = nil, _ body: (MonotonicInstant) -> Void) {
    let instant = instant ?? clock.now
    turnDepth += 1
    if turnDepth == 1 { advance(to: instant) }
    events.collectsSentences = server?.wantsSentences == true
    body(instant)
    publishEvents()
    turnDepth -= 1
    guard turnDepth == 0, !isBatching else { return }
    server?.clients.flush()
    arm()
  }

  /// Runs several turns whose lines are written together: at full speed, a write per turn would dominate the cost.
  package func batch(_ body: () -> Void) {
    isBatching = true
    body()
    isBatching = false
    server?.clients.flush()
    arm()
  }

  /// The next deadline of the engine or the server.
  package var deadline: MonotonicInstant? {
    guard let heartbeat = server?.deadline else { return engine.deadline }
    return engine.deadline.map { min($0, heartbeat) } ?? heartbeat
  }

  /// Processes every deadline up to `instant`, each at its own instant.
  package func expire(upTo instant: MonotonicInstant) {
    turn(at: instant) { _ in }
  }

  /// Sets the timer again after the clock's rate changed.
  package func rateDidChange() {
    timer?.task.cancel()
    timer = nil
    if turnDepth == 0, !isBatching { arm() }
  }

  private func advance(to instant: MonotonicInstant) {
    // Outside a batch, the timer is never later than the deadline.
    if !isBatching, let timer, instant < timer.deadline { return }
    // Bounded, in case a deadline does not advance.
    for _ in 0..<1024 {
      guard let due = deadline, due <= instant else { return }
      engine.advance(to: due, into: &events)
      publishEvents()
      server?.sendHeartbeats(at: due)
      server?.sendPoses(at: due)
    }
  }

  /// Sets the timer for the next deadline. An earlier timer is kept: setting it costs more than an idle wake-up.
  private func arm() {
    guard !clock.isStepped, let deadline else {
      timer?.task.cancel()
      timer = nil
      return
    }
    if let timer, timer.deadline <= deadline { return }
    timer?.task.cancel()
    timer = nil
    guard let machine = clock.machineDeadline(of: deadline) else { return }
    let task = loop.assumeIsolated().scheduleTask(deadline: machine) { [weak self] () -> Void in
      self?.timerDidFire(for: deadline)
    }
    timer = (deadline, task)
  }

  private func timerDidFire(for deadline: MonotonicInstant) {
    timer = nil
    guard let horizon = clock.horizon, horizon < deadline else { return expire(upTo: max(clock.now, deadline)) }
    // A recorded read before the deadline is processed first, even if the loop is late.
    let task = loop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { [weak self] () -> Void in
      self?.timerDidFire(for: deadline)
    }
    timer = (deadline, task)
  }

  /// Publishes what the engine has decided so far, within a turn.
  func publishEvents() {
    while !events.isEmpty {
      var batch = EngineEvents()
      swap(&batch, &events)
      batch.drain { entry in
        note(entry.event, at: entry.instant)
        server?.publish(entry.event, at: entry.instant)
      }
      if events.isEmpty { swap(&batch, &events) }
    }
  }

  /// Records and logs an event.
  private func note(_ event: EngineEvent, at instant: MonotonicInstant) {
    switch event {
    case .clock(let sample): clockSocket?.send(sample, age: clock.now - sample.instant)
    case .fix(let fix, _, _): recorder?.published(fix.fix, isSuspect: fix.changes.contains(.suspect), at: instant)
    case .unplugged(let source): recordEvent(RecordedEvent.sourceLost, from: source, at: instant)
    case .reopened(let source): recordEvent(RecordedEvent.sourceFound, from: source, at: instant)
    case .state(let state, let source):
      logChange(to: state, of: source)
      recorder?.sync()
    case .lead(let status):
      if let reason = status.reason, let feed = feed(status.source) {
        log.notice("leading source changed", metadata: ["SOURCE": "\(feed.name)", "REASON": "\(reason.rawValue)"])
      }
      onStateChange()
    case .targetRemoved(let name): recordRequest(.removeTarget(name: name), at: instant)
    case .sky, .noFix, .sentences, .fixLost, .follow, .sendNewest, .arrival, .located: break
    }
  }

  private func logChange(to state: SourceState, of source: Int) {
    guard let feed = feed(source) else { return }
    var facts: Logger.Metadata = ["SOURCE": "\(feed.name)", "DEVICE": "\(feed.uri.device)"]
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
