import LocationCore
import Logging
import NIOCore
import Recordings

/// Drives the engine on the event loop: owner of all positioning state, confined to that loop.
///
/// Everything enters as a turn: input of a source, a request, a deadline. A turn runs to its end; then the lines it
/// queued for clients are written and the timer is set for the next deadline.
package final class EngineHost {
  package let clock: EngineClock
  package internal(set) var engine: LocationEngine
  /// The sources in the order of preference, as the engine has them.
  package internal(set) var feeds: [SourceFeed] = []
  package internal(set) var recorder: Recorder?
  var requestBudget = RequestBudget()
  /// Called when another source leads, or the leading one entered another state.
  package var onStateChange: () -> Void = {}
  /// Where events become lines.
  package weak var server: Server?
  let log: Logger
  /// Sources configured so far.
  var feedCount: Int
  private var events = EngineEvents()
  private let loop: any EventLoop
  private var timer: (deadline: MonotonicInstant, task: Scheduled<Void>)?
  private var isInTurn = false
  private var isBatching = false

  /// A host of every configured source; none is started yet.
  package init(
    _ configuration: DaemonConfiguration, clock: EngineClock, on loop: any EventLoop, log: Logger
  ) throws(FollowError) {
    self.clock = clock
    self.loop = loop
    self.log = log
    feedCount = configuration.sources.count
    engine = LocationEngine(
      sources: configuration.sources.enumerated().map { $1.setup(id: $0) },
      follow: try FollowConfiguration(driftLimit: configuration.driftLimit), at: clock.now)
    let names = Self.names(of: configuration.sources)
    feeds = configuration.sources.enumerated().map { index, uri in
      SourceFeed(id: index, uri: uri, name: names[index], host: self)
    }
  }

  /// The source that leads.
  package var lead: SourceFeed { feeds[engine.supervisor.lead] }

  /// The source with that identifier; `nil` once it is removed.
  package func feed(_ id: Int) -> SourceFeed? { feeds.first { $0.id == id } }

  /// Takes the bytes of one read.
  func receive(_ bytes: ByteBuffer, from feed: SourceFeed, at instant: MonotonicInstant) {
    turn(at: instant) { instant in
      record(bytes, from: feed, at: instant)
      bytes.withUnsafeReadableBytes { receive(.bytes($0), from: feed, at: instant) }
    }
  }

  /// Takes an input of a source, at `instant` or now.
  func receive(_ input: SourceInput, from feed: SourceFeed, at instant: MonotonicInstant? = nil) {
    turn(at: instant) { instant in
      events.collectsSentences = server?.wantsSentences == true
      engine.receive(input, from: feed.id, at: instant, into: &events)
      publishEvents()
    }
  }

  /// Takes a request of a client, within a turn.
  func handle(
    _ request: EngineRequest, from client: ClientID, at instant: MonotonicInstant
  ) throws(RequestRefusal) {
    try engine.handle(request, from: client, at: instant, into: &events)
    publishEvents()
  }

  /// Gives the engine another list of sources, within a turn.
  func rearrangeEngine(_ setups: [SourceSetup], at instant: MonotonicInstant) {
    engine.rearrange(setups, at: instant, into: &events)
    publishEvents()
  }

  /// Runs one turn: what is due first, then `body`.
  package func turn(at instant: MonotonicInstant? = nil, _ body: (MonotonicInstant) -> Void) {
    let instant = instant ?? clock.now
    // A source may fail while it is started from within a turn.
    guard !isInTurn else { return body(instant) }
    isInTurn = true
    advance(to: instant)
    body(instant)
    isInTurn = false
    guard !isBatching else { return }
    server?.flush()
    arm()
  }

  /// Runs several turns whose lines are written together: at full speed a write for each would dominate the cost.
  package func batch(_ body: () -> Void) {
    isBatching = true
    body()
    isBatching = false
    server?.flush()
    arm()
  }

  /// The next instant at which something is due although nothing happens.
  package var deadline: MonotonicInstant? {
    guard let heartbeat = server?.deadline else { return engine.deadline }
    return engine.deadline.map { min($0, heartbeat) } ?? heartbeat
  }

  /// Performs what is due up to `instant`, each at its own instant.
  package func expire(upTo instant: MonotonicInstant) {
    turn(at: instant) { _ in }
  }

  /// The clock runs at another rate, or is paused: the timer was set for the rate before.
  package func rateDidChange() {
    timer?.task.cancel()
    timer = nil
    if !isInTurn, !isBatching { arm() }
  }

  private func advance(to instant: MonotonicInstant) {
    // The timer is never set for later than the deadline, except within a batch, which does not set it.
    if !isBatching, let timer, instant < timer.deadline { return }
    // Bounded even if a deadline did not move on.
    for _ in 0..<1024 {
      guard let due = deadline, due <= instant else { return }
      engine.advance(to: due, into: &events)
      publishEvents()
      server?.sendHeartbeats(at: due)
    }
  }

  /// Sets the timer for the next deadline. A timer that would fire too early stays: setting it costs more than a
  /// wake-up without work.
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
    // A recorded read before the deadline comes first, however late the loop is.
    let task = loop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { [weak self] () -> Void in
      self?.timerDidFire(for: deadline)
    }
    timer = (deadline, task)
  }

  private func publishEvents() {
    while !events.isEmpty {
      var batch = EngineEvents()
      swap(&batch, &events)
      for index in batch.list.indices { perform(batch.list[index].event, at: batch.list[index].instant) }
      batch.removeAll()
      if events.isEmpty { swap(&batch, &events) }
    }
  }

  private func perform(_ event: EngineEvent, at instant: MonotonicInstant) {
    switch event {
    case .fix(let fix, _, _): recorder?.published(fix.fix, isSuspect: fix.changes.contains(.suspect), at: instant)
    case .unplugged(let source): recordEvent(RecordedEvent.sourceLost, from: source, at: instant)
    case .reopened(let source): recordEvent(RecordedEvent.sourceFound, from: source, at: instant)
    case .state(let state, let source):
      logChange(to: state, of: source)
      recorder?.sync()
    case .lead(let status):
      if let reason = status.reason, let feed = feed(status.source) {
        log.notice("another source leads", metadata: ["SOURCE": "\(feed.name)", "REASON": "\(reason.rawValue)"])
      }
      server?.publish(event, at: instant)
      return onStateChange()
    case .sky, .noFix, .sentences, .fixLost, .follow, .sendNewest, .arrival, .located: break
    }
    server?.publish(event, at: instant)
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
