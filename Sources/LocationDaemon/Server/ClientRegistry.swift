import GPSDProtocol
import LocationCore
import Logging
import NIOCore

/// The connected clients: admission, broadcast, flushing, and disconnection of clients that do not read.
package final class ClientRegistry {
  private(set) var sessions: [ClientSession] = []
  /// Whether every line must reach every client; a replay at full speed waits for them.
  var isLossless = false
  /// Maximum number of clients; a lower value does not disconnect any.
  var maxClients: Int
  private let loop: any EventLoop
  private let log: Logger
  private let encoder: FixEncoder
  private var dirty: [ClientSession] = []
  private var congested = 0
  /// Whether a refusal was logged since a client last disconnected, so that repeated attempts do not fill the log.
  private var hasLoggedRefusal = false
  private var nextID: UInt64 = 1
  private static let stopReason = "the daemon is stopping"
  /// Called once when the last client has disconnected.
  private var onEmpty: (() -> Void)?
  /// Called when a client has disconnected.
  var onClose: (ClientSession) -> Void = { _ in }
  /// Called when a client whose requests were deferred has read its answers.
  var onResume: (ClientSession) -> Void = { _ in }
  /// Called when no client is congested any longer.
  var onDrain: () -> Void = {}

  /// Totals since the start.
  private(set) var counters = Counters()

  package struct Counters {
    package var accepted: UInt64 = 0
    package var refused: UInt64 = 0
    package var stalled: UInt64 = 0
    package var replacedFixes: UInt64 = 0
    package var badRequests: UInt64 = 0
  }

  init(maxClients: Int, encoder: FixEncoder, on loop: any EventLoop, log: Logger) {
    self.maxClients = maxClients
    self.encoder = encoder
    self.loop = loop
    self.log = log
  }

  /// Whether a client has unread output.
  var isCongested: Bool { congested > 0 }

  /// Registers a new connection; `nil` when the client limit is reached.
  func admit(_ channel: any Channel, dialect: Dialect) -> ClientSession? {
    guard sessions.count < maxClients else {
      counters.refused += 1
      if !hasLoggedRefusal {
        hasLoggedRefusal = true
        log.warning(
          "clients are refused: the limit is reached; raise max-clients", metadata: ["LIMIT": "\(maxClients)"])
      }
      return nil
    }
    counters.accepted += 1
    let session = ClientSession(id: ClientID(nextID), dialect: dialect, channel: channel, registry: self)
    nextID += 1
    sessions.append(session)
    PeerCredentials.look(up: channel) { peer in
      session.peer = peer
      self.log.debug("client connected", metadata: self.metadata(of: session))
    }
    return session
  }

  /// Whether any client has a subscription.
  var hasSubscribers: Bool { sessions.contains { $0.subscription != nil } }

  /// Whether any client reads sentences.
  var hasSentenceReaders: Bool { sessions.contains { $0.wantsSentences } }

  /// The earliest deadline of a subscriber's heartbeat.
  var nextHeartbeat: MonotonicInstant? {
    var earliest: MonotonicInstant?
    for session in sessions where session.subscription?.hasHeartbeat == true {
      guard let due = session.subscription?.filter.heartbeatDeadline else { continue }
      earliest = earliest.map { min($0, due) } ?? due
    }
    return earliest
  }

  /// Counts a malformed or refused request.
  func countBadRequest() { counters.badRequests += 1 }

  /// Sends an event to every subscriber that supports the additions to gpsd's protocol.
  func broadcast(_ line: @autoclosure () -> ByteBuffer) {
    guard sessions.contains(where: { $0.subscription?.extensions == true }) else { return }
    let lines = line()
    for session in sessions where session.subscription?.extensions == true { session.enqueue(lines) }
  }

  /// Writes the lines of this turn, one write per client.
  func flush() {
    guard dirty.count > 1 else {
      dirty.popLast()?.flush()
      return
    }
    var turn: [ClientSession] = []
    swap(&turn, &dirty)
    for session in turn { session.flush() }
    if dirty.isEmpty {
      turn.removeAll(keepingCapacity: true)
      swap(&turn, &dirty)
    }
  }

  /// Sends a final line to every client and closes. Slow clients have `timeout` to read it; `done` is called when all are
  /// disconnected.
  func closeAll(sending line: ByteBuffer, within timeout: TimeAmount, then done: @escaping () -> Void) {
    for session in sessions {
      // The NMEA socket carries sentences only.
      if session.dialect != .nmea { session.enqueue(line) }
      session.closeAfterFlush(reason: Self.stopReason)
    }
    guard !sessions.isEmpty else { return done() }
    onEmpty = done
    loop.assumeIsolated().scheduleTask(in: timeout) {
      for session in self.sessions { session.close(reason: Self.stopReason) }
    }
  }

  func encode(_ fix: PublishedFix, reason: DeliveryReason) -> ByteBuffer {
    encoder.encode(fix, reason: reason)
  }

  func needsFlush(_ session: ClientSession) {
    if dirty.last !== session { dirty.append(session) }
  }

  func sessionIsCongested(_ session: ClientSession) {
    congested += 1
    watchForStall(session)
  }

  func sessionDidDrain(_ session: ClientSession) {
    congested -= 1
    if congested == 0 { onDrain() }
  }

  func sessionCanResume(_ session: ClientSession) {
    // Not within the turn that answered, so that other clients are served first.
    loop.assumeIsolated().execute { [weak self] in self?.onResume(session) }
  }

  func sessionDidClose(_ session: ClientSession, reason: String?) {
    if session.stall != nil {
      congested -= 1
      if congested == 0 { loop.assumeIsolated().execute { self.onDrain() } }
    }
    counters.replacedFixes += UInt64(session.outbox.replacedFixes)
    if let index = sessions.firstIndex(where: { $0 === session }) { sessions.remove(at: index) }
    hasLoggedRefusal = false
    var facts = metadata(of: session)
    facts["REASON"] = reason.map { "\($0)" }
    log.log(level: reason == nil ? .debug : .notice, "client disconnected", metadata: facts)
    onClose(session)
    if sessions.isEmpty, let done = onEmpty {
      onEmpty = nil
      done()
    }
  }

  private func watchForStall(_ session: ClientSession) {
    guard !session.isWatched, let stall = session.stall else { return }
    session.isWatched = true
    let wait = stall.remaining(at: EngineClock.machine)
    loop.assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds)) { [weak self, weak session] in
      guard let self, let session, !session.isClosed else { return }
      session.isWatched = false
      session.stall?.observe(waiting: session.bufferedBytes, at: EngineClock.machine)
      guard let stall = session.stall else { return }
      if stall.remaining(at: EngineClock.machine) <= .zero {
        self.counters.stalled += 1
        session.close(reason: "read nothing for 10 s")
      } else {
        self.watchForStall(session)
      }
    }
  }

  private func metadata(of session: ClientSession) -> Logger.Metadata {
    var facts: Logger.Metadata = ["CLIENT": "\(session.id.number)"]
    if let peer = session.peer {
      facts["CLIENT_PID"] = "\(peer.pid)"
      facts["CLIENT_UID"] = "\(peer.uid)"
    }
    return facts
  }
}

/// The time for which a client has not read pending output.
struct Stall {
  /// Time without reading after which a client is disconnected.
  static let timeout = Duration.seconds(10)

  private var since: MonotonicInstant
  private var waiting: Int

  /// Starts a stall at `instant` with `waiting` bytes pending.
  init(since instant: MonotonicInstant, waiting: Int) {
    since = instant
    self.waiting = waiting
  }

  /// Restarts the time because the client read something.
  mutating func restart(at instant: MonotonicInstant) {
    since = instant
  }

  /// Updates the number of pending bytes; fewer than before means that the client read something.
  mutating func observe(waiting: Int, at instant: MonotonicInstant) {
    if waiting < self.waiting { since = instant }
    self.waiting = waiting
  }

  /// Time left until the timeout.
  func remaining(at instant: MonotonicInstant) -> Duration {
    Self.timeout - (instant - since)
  }
}
