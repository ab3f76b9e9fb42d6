import LocationCore
import Logging
import NIOCore

/// The driver of the engine: owns all positioning state, confined to the event loop. A turn processes an input of a
/// source, a request or a deadline; its events go to the observers. At its end lines are written and the timer is set.
package final class EngineLoop {
  package let clock: EngineClock
  package internal(set) var engine: LocationEngine
  package let sources: SourceList
  /// Whether sensors are read beside the sources, which have the machine's time.
  var hasSensors = false
  package var observers: [any EngineObserver] = []
  let log: Logger
  var unusableEvents = UnusableEvents()
  var interestHandlers: [() -> Void] = []
  var onDrain: () -> Void = {}
  let eventLoop: any EventLoop
  var events = EngineEvents()
  private var timer: (deadline: MonotonicInstant, task: Scheduled<Void>)?
  private var turnDepth = 0
  private var isBatching = false
  /// How often the engine is lent at the moment; nothing may change it then.
  private var lendings = 0
  /// Clients that have disconnected while the engine was lent.
  private var departed: [ClientID] = []

  package init(
    _ sources: SourceList, driftLimit: Double, latency: Double, clock: EngineClock, on loop: any EventLoop, log: Logger
  ) {
    self.clock = clock
    self.sources = sources
    self.log = log
    eventLoop = loop
    engine = LocationEngine(
      sources: sources.all.map(\.setup), driftLimit: driftLimit, latency: .seconds(latency), at: clock.now)
  }

  package func apply(driftLimit: Double, latency: Double, rideStop: Double) {
    engine.desk.follow.driftLimit = driftLimit
    engine.desk.trips.splitStop = rideStop
    turn { engine.setLatency(.seconds(latency), at: $0) }
  }

  /// Replaces the sources by `uris` (at least one). A source in both lists keeps running, at its new position; removed
  /// ones must have been stopped. Returns the added ones, not yet started.
  package func rearrange(_ uris: [SourceURI]) -> [ConfiguredSource] {
    let (all, added) = sources.arranged(uris)
    turn { instant in
      sources.replace(by: all)
      engine.rearrange(all.map(\.setup), at: instant, into: &events)
    }
    return added
  }

  /// Runs one turn: due deadlines, then `body`; its events are published and its lines written. A turn within a turn is
  /// a part of it: a source may fail while it is started.
  package func turn(at instant: MonotonicInstant? = nil, _ body: (MonotonicInstant) -> Void) {
    let instant = instant ?? clock.now
    turnDepth += 1
    if turnDepth == 1 { advance(to: instant) }
    events.collectsSentences = wishes.contains(.sentences)
    body(instant)
    publishEvents(at: instant)
    turnDepth -= 1
    guard turnDepth == 0 else { return }
    let wishes = wishes
    engine.setMotion(wishes.contains(.motion), at: instant)
    engine.setClock(wishes.contains(.clock))
    if !isBatching { finish() }
  }

  /// Runs several turns whose lines are written together: at full speed, a write per turn would dominate the cost.
  package func batch(_ body: () -> Void) {
    isBatching = true
    body()
    isBatching = false
    finish()
  }

  private func finish() {
    for observer in observers { observer.turnDidEnd() }
    arm()
  }

  var wishes: EngineWishes { observers.reduce(into: []) { $0.formUnion($1.wishes) } }

  private func publishEvents(at instant: MonotonicInstant) {
    while !events.isEmpty || !departed.isEmpty {
      if !departed.isEmpty {
        engine.disconnect(departed.removeFirst(), at: instant, into: &events)
      }
      var batch = EngineEvents()
      swap(&batch, &events)
      batch.drain { publish($0.event, at: $0.instant) }
      if events.isEmpty { swap(&batch, &events) }
    }
  }

  func publish(_ event: EngineEvent, at instant: MonotonicInstant) {
    lendings += 1
    observers.observe(event, at: instant, in: engine)
    lendings -= 1
  }

  package var deadline: MonotonicInstant? {
    engine.deadline.earlier(observers.deadline(in: engine))
  }

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
      publishEvents(at: due)
      lendings += 1
      for observer in observers { observer.expire(at: due, in: engine) }
      lendings -= 1
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
    let task = eventLoop.assumeIsolated().scheduleTask(deadline: machine) { [weak self] () -> Void in
      self?.timerDidFire(for: deadline)
    }
    timer = (deadline, task)
  }

  private func timerDidFire(for deadline: MonotonicInstant) {
    timer = nil
    guard let horizon = clock.horizon, horizon < deadline else { return turn(at: max(clock.now, deadline)) { _ in } }
    // A recorded read before the deadline is processed first, even if the loop is late.
    let task = eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1)) { [weak self] () -> Void in
      self?.timerDidFire(for: deadline)
    }
    timer = (deadline, task)
  }

  func observe(_ bytes: ByteBuffer, from source: SourceID, at instant: MonotonicInstant) {
    guard wishes.contains(.input), let number = sources.number(of: source, in: engine) else { return }
    for observer in observers { observer.observe(bytes, from: number, at: instant) }
  }
}

// The engine is lent once for all observers: each time, it is copied out of the loop.
extension [any EngineObserver] {
  fileprivate func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    for observer in self { observer.observe(event, at: instant, in: engine) }
  }

  fileprivate func deadline(in engine: borrowing LocationEngine) -> MonotonicInstant? {
    var earliest: MonotonicInstant?
    for observer in self { earliest = earliest.earlier(observer.deadline(in: engine)) }
    return earliest
  }
}

package protocol ClientInlet: AnyObject {
  /// Runs `body` as a turn, at `instant` or now: all lines that it queues are written together.
  func turn(at instant: MonotonicInstant?, _ body: (MonotonicInstant) -> Void)
  func read(_ body: (borrowing LocationEngine) -> Void)
  func connect(_ client: ClientID, of peer: ClientPeer?)
  /// Handles a request, within a turn; its events, which answer the client, are published before this returns. `sent`
  /// is the number of the newest fix that the client was sent.
  func handle(
    _ request: EngineRequest, from client: ClientID, sent: UInt64?, at instant: MonotonicInstant
  ) throws(RequestRefusal)
  /// A client has disconnected. While the engine is lent, the effects follow afterwards.
  func disconnect(_ client: ClientID)
  func noteInterest()
  func clientsDidDrain()
}

extension EngineLoop: ClientInlet {
  package func read(_ body: (borrowing LocationEngine) -> Void) {
    lendings += 1
    body(engine)
    lendings -= 1
    if !departed.isEmpty, lendings == 0, turnDepth == 0 { turn { _ in } }
  }

  package func connect(_ client: ClientID, of peer: ClientPeer?) { engine.connect(client, of: peer) }

  package func handle(
    _ request: EngineRequest, from client: ClientID, sent: UInt64?, at instant: MonotonicInstant
  ) throws(RequestRefusal) {
    try engine.handle(request, from: client, sent: sent, at: instant, into: &events)
    publishEvents(at: instant)
  }

  package func disconnect(_ client: ClientID) {
    departed.append(client)
    if lendings == 0 { turn { _ in } }
  }
}
