import GPSDProtocol
import LocationCore
import Logging
import NIOCore

/// The clients that are connected: who they are, what reaches all of them, and what becomes of the slow ones.
package final class Audience {
  private(set) var sessions: [Session] = []
  /// Whether every line must reach every client: a replay at full speed waits for them.
  var isLossless = false
  /// Who is there already stays when it is lowered.
  var maxClients: Int
  private let loop: any EventLoop
  private let log: Logger
  private let encoder: FixEncoder
  private var dirty: [Session] = []
  private var congested = 0
  /// A client that tries again and again does not fill the log: the refusal is told once until somebody leaves.
  private var hasToldRefusal = false
  private var nextID: UInt64 = 1
  private static let stopReason = "the daemon stops"
  /// Called once when nobody is left.
  private var onEmpty: (() -> Void)?
  /// Called when a client left.
  var onClose: (Session) -> Void = { _ in }
  /// Called when a client whose requests came too fast has taken the answers in.
  var onHearing: (Session) -> Void = { _ in }
  /// Called when no client is congested any more.
  var onDrain: () -> Void = {}

  /// Clients since the start, refused ones, and those closed because they did not read.
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

  /// Whether a client still has something to take in.
  var isCongested: Bool { congested > 0 }

  /// Takes a new connection in; `nil` when there are as many clients as may be.
  func admit(_ channel: any Channel, dialect: Dialect) -> Session? {
    guard sessions.count < maxClients else {
      counters.refused += 1
      if !hasToldRefusal {
        hasToldRefusal = true
        log.warning("clients are refused: as many as may be are connected", metadata: ["LIMIT": "\(maxClients)"])
      }
      return nil
    }
    counters.accepted += 1
    let session = Session(id: SessionID(nextID), dialect: dialect, channel: channel, owner: self)
    nextID += 1
    sessions.append(session)
    PeerCredentials.look(up: channel) { peer in
      session.peer = peer
      self.log.debug("client connected", metadata: self.metadata(of: session))
    }
    return session
  }

  /// Whether anyone subscribed to anything.
  var hasSubscribers: Bool { sessions.contains { $0.subscription != nil } }

  /// Whether anyone wants sentences.
  var hasSentenceReaders: Bool { sessions.contains { $0.wantsSentences } }

  /// When the next subscriber's heartbeat is due.
  var nextHeartbeat: MonotonicInstant? {
    var earliest: MonotonicInstant?
    for session in sessions where session.subscription?.hasHeartbeat == true {
      guard let due = session.subscription?.filter.heartbeatDeadline else { continue }
      earliest = earliest.map { min($0, due) } ?? due
    }
    return earliest
  }

  /// Counts a request that was not understood, or not granted.
  func countBadRequest() { counters.badRequests += 1 }

  /// Sends an event to every subscriber that understands it.
  func broadcast(_ line: @autoclosure () -> ByteBuffer) {
    guard sessions.contains(where: { $0.subscription?.extensions == true }) else { return }
    let lines = line()
    for session in sessions where session.subscription?.extensions == true { session.send(lines) }
  }

  /// Writes what this turn staged, one write for each client.
  func flush() {
    guard dirty.count > 1 else {
      dirty.popLast()?.flush()
      return
    }
    var turn: [Session] = []
    swap(&turn, &dirty)
    for session in turn { session.flush() }
    if dirty.isEmpty {
      turn.removeAll(keepingCapacity: true)
      swap(&turn, &dirty)
    }
  }

  /// Tells everyone the last words and closes. Who reads slowly has `patience` for them; `done` is called when all are
  /// gone.
  func closeAll(saying line: ByteBuffer, within patience: TimeAmount, then done: @escaping () -> Void) {
    for session in sessions {
      // To a reader of sentences the end of the connection says it.
      if session.dialect != .nmea { session.send(line) }
      session.closeAfterFlush(reason: Self.stopReason)
    }
    guard !sessions.isEmpty else { return done() }
    onEmpty = done
    loop.assumeIsolated().scheduleTask(in: patience) {
      for session in self.sessions { session.close(reason: Self.stopReason) }
    }
  }

  func encode(_ fix: PublishedFix, reason: DeliveryReason) -> ByteBuffer {
    encoder.encode(fix, reason: reason)
  }

  func needsFlush(_ session: Session) {
    if dirty.last !== session { dirty.append(session) }
  }

  func sessionIsCongested(_ session: Session) {
    congested += 1
    watchForStall(session)
  }

  func sessionDidDrain(_ session: Session) {
    congested -= 1
    if congested == 0 { onDrain() }
  }

  func sessionCanBeHeard(_ session: Session) {
    // Not within the turn that answered: the other clients come first.
    loop.assumeIsolated().execute { [weak self] in self?.onHearing(session) }
  }

  func sessionDidClose(_ session: Session, reason: String?) {
    if session.stall != nil {
      congested -= 1
      if congested == 0 { loop.assumeIsolated().execute { self.onDrain() } }
    }
    counters.replacedFixes += UInt64(session.outbox.replacedFixes)
    if let index = sessions.firstIndex(where: { $0 === session }) { sessions.remove(at: index) }
    hasToldRefusal = false
    var facts = metadata(of: session)
    facts["REASON"] = reason.map { "\($0)" }
    log.log(level: reason == nil ? .debug : .notice, "client gone", metadata: facts)
    onClose(session)
    if sessions.isEmpty, let done = onEmpty {
      onEmpty = nil
      done()
    }
  }

  private func watchForStall(_ session: Session) {
    guard !session.isWatched, let stall = session.stall else { return }
    session.isWatched = true
    let wait = stall.remaining(at: PipelineClock.machine)
    loop.assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds)) { [weak self, weak session] in
      guard let self, let session, !session.isClosed else { return }
      session.isWatched = false
      session.stall?.observe(waiting: session.bufferedBytes, at: PipelineClock.machine)
      guard let stall = session.stall else { return }
      if stall.remaining(at: PipelineClock.machine) <= .zero {
        self.counters.stalled += 1
        session.close(reason: "it read nothing for 10 s")
      } else {
        self.watchForStall(session)
      }
    }
  }

  private func metadata(of session: Session) -> Logger.Metadata {
    var facts: Logger.Metadata = ["CLIENT": "\(session.id.number)"]
    if let peer = session.peer {
      facts["CLIENT_PID"] = "\(peer.pid)"
      facts["CLIENT_UID"] = "\(peer.uid)"
    }
    return facts
  }
}
