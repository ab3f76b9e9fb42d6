import Libc
import LocationCore
import Logging
import NIOCore

/// The connected clients: admission, broadcast, flushing, and disconnection of clients that do not read.
package final class ClientRegistry {
  private(set) var sessions: [ClientSession] = []
  /// Whether every line of a recording must reach every client; a replay at full speed waits for them.
  var isLossless: Bool { clock.waitsForClients }
  /// Maximum number of clients; a lower value does not disconnect any.
  var maxClients: Int
  let loop: any EventLoop
  private let log: Logger
  private let clock: EngineClock
  private let fixLines: FixLines
  private var dirty: [ClientSession] = []
  private var delayedSkies: [ClientSession] = []
  /// Whether a refusal was logged since a client last disconnected, so that repeated attempts do not fill the log.
  private var hasLoggedRefusal = false
  private var nextID: UInt64 = 1
  private static let stopReason = "the daemon is stopping"
  private var onEmpty: (() -> Void)?
  var onClose: (ClientSession) -> Void = { _ in }
  /// Called when a client whose requests were deferred has read its answers.
  var onResume: (ClientSession) -> Void = { _ in }
  /// Called when a client whose events were discarded has read what was pending.
  var onStateDue: (ClientSession) -> Void = { _ in }
  /// Called when no client is congested any longer.
  var onDrain: () -> Void = {}
  /// Totals since the start; of connected clients without what is in their outboxes.
  var counters = Counters()
  var totals: Counters { sessions.reduce(into: counters) { $0.add($1.outbox) } }

  package struct Counters {
    package var accepted: UInt64 = 0
    package var refused: UInt64 = 0
    package var stalled: UInt64 = 0
    package var replacedFixes: UInt64 = 0
    package var discardedEvents: UInt64 = 0
    package var badRequests: UInt64 = 0
    package var foreignProtocols: UInt64 = 0

    mutating func add(_ outbox: Outbox) {
      replacedFixes += UInt64(outbox.replacedFixes)
      discardedEvents += UInt64(outbox.discardedEvents)
    }
  }

  init(maxClients: Int, fixLines: FixLines, clock: EngineClock, on loop: any EventLoop, log: Logger) {
    self.maxClients = maxClients
    self.fixLines = fixLines
    self.clock = clock
    self.loop = loop
    self.log = log
  }

  var isCongested: Bool { sessions.contains { $0.stall != nil } }
  /// Maximum number of TCP clients: any local user can connect to a port, and the Unix socket keeps the other places.
  private var maxTCPClients: Int { min(64, maxClients - 1) }
  /// How long a TCP client without a subscription may send nothing before its place is given to another client.
  private static let silenceLimit = TimeAmount.seconds(60)

  /// Registers a new connection. If there is no place for it, the TCP client that has been silent longest is closed.
  func admit(_ channel: any Channel, dialect: Dialect) throws(AdmissionRefusal) -> ClientSession {
    if refusal(of: dialect) != nil { closeSilentClient() }
    if let refusal = refusal(of: dialect) {
      counters.refused += 1
      if !hasLoggedRefusal {
        hasLoggedRefusal = true
        log.warning("clients are refused: \(refusal)", metadata: ["LIMIT": "\(refusal.limit)"])
      }
      throw refusal
    }
    counters.accepted += 1
    let session = ClientSession(id: ClientID(nextID), dialect: dialect, channel: channel, registry: self)
    nextID += 1
    sessions.append(session)
    if session.peer != nil { log.debug("client connected", metadata: metadata(of: session)) }
    return session
  }

  private func refusal(of dialect: Dialect) -> AdmissionRefusal? {
    if sessions.count >= maxClients { return AdmissionRefusal(limit: maxClients, isOfTCP: false) }
    guard dialect == .gpsd, sessions.count(where: { $0.dialect == .gpsd }) >= maxTCPClients else { return nil }
    return AdmissionRefusal(limit: maxTCPClients, isOfTCP: true)
  }

  private func closeSilentClient() {
    let silent = sessions.filter { session in
      session.dialect == .gpsd && session.feed == nil && !session.wantsSentences && !session.wantsBytes
    }
    guard let longest = silent.min(by: { $0.lastInput < $1.lastInput }),
      loop.now - longest.lastInput >= Self.silenceLimit
    else { return }
    longest.close(reason: "it sent nothing for 60 s, and another client needs its place")
  }

  var hasSubscribers: Bool { sessions.contains { $0.feed != nil } }
  var hasByteReaders: Bool { sessions.contains { $0.wantsBytes } }
  /// Whether any client subscribes to poses. Asked before the motion is read: that copies the estimator.
  var hasPoseReaders: Bool { sessions.contains { $0.feed?.poses != nil } }

  subscript(client: ClientID) -> ClientSession? { sessions.first { $0.id == client } }

  /// Sends an event to every subscriber that reads it, and to the client that caused it.
  func broadcast(
    _ line: @autoclosure () -> ByteBuffer, to reads: (Feed) -> Bool = { $0.usesAdditions }, and client: ClientID? = nil,
    by enqueue: (ClientSession, ByteBuffer) -> Void = { $0.enqueue(event: $1) }
  ) {
    let asker = client.flatMap { self[$0] }
    let readers = sessions.filter { $0.feed.map(reads) ?? false }
    guard asker != nil || !readers.isEmpty else { return }
    let lines = line()
    for session in readers { enqueue(session, lines) }
    if let asker, !readers.contains(where: { $0 === asker }) { asker.enqueue(lines) }
  }

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

  /// Sends a final line to every client, which has `timeout` to read it; `done` is called when all are disconnected.
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

  func line(of pending: Outbox.PendingFix) -> ByteBuffer { fixLines.line(of: pending.fix, for: pending.reason) }
  func noteFlush(_ session: ClientSession) { if dirty.last !== session { dirty.append(session) } }

  /// How long after a fix its satellites are written to a client of gpsd, if not with it.
  private static let skyDelay = Duration.milliseconds(250)

  func delaySky(_ session: ClientSession) {
    delayedSkies.append(session)
    guard delayedSkies.count == 1 else { return }
    loop.schedule(in: Self.skyDelay) { [weak self] in
      guard let self else { return }
      let sessions = self.delayedSkies
      self.delayedSkies.removeAll(keepingCapacity: true)
      for session in sessions { session.writeDelayedSky() }
    }
  }

  func sessionDidClose(_ session: ClientSession, reason: String?) {
    if let index = sessions.firstIndex(where: { $0 === session }) { sessions.remove(at: index) }
    if let stall = session.stall {
      stall.timer?.cancel()
      if !isCongested { loop.assumeIsolated().execute { self.onDrain() } }
    }
    counters.add(session.outbox)
    hasLoggedRefusal = false
    var facts = metadata(of: session)
    facts["REASON"] = reason.map { "\($0)" }
    log.log(level: reason == nil ? .debug : .notice, "client disconnected", metadata: facts)
    onClose(session)
    if sessions.isEmpty { exchange(&onEmpty, with: nil)?() }
  }

  func watchForStall(_ session: ClientSession) {
    guard let wait = session.stall?.remaining(at: EngineClock.machine) else { return }
    session.stall?.timer = loop.schedule(in: wait) { [weak self, weak session] in
      guard let self, let session, !session.isClosed else { return }
      session.stall?.observe(session.unread, at: EngineClock.machine)
      guard let stall = session.stall else { return }
      if stall.remaining(at: EngineClock.machine) <= .zero {
        self.counters.stalled += 1
        session.close(
          reason: self.isLossless ? "read nothing for 10 s, and delayed the replay" : "read nothing for 10 s")
      } else {
        if self.isLossless, !session.isLoggedAsSlow {
          session.isLoggedAsSlow = true
          self.log.notice("the replay waits for a slow client", metadata: self.metadata(of: session))
        }
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
    facts["CLIENT_ADDRESS"] = session.address.map { "\($0)" }
    return facts
  }
}

struct AdmissionRefusal: Error, Hashable, CustomStringConvertible {
  /// Maximum number of clients, or of those by TCP.
  let limit: Int
  let isOfTCP: Bool

  var description: String {
    isOfTCP
      ? "the limit of \(limit) TCP clients is reached; close one, or use the Unix socket"
      : "the limit of \(limit) clients is reached; close one or raise max-clients"
  }
}

/// The time for which a client has not read pending output.
struct Stall {
  /// Time without reading after which a client is disconnected.
  static let timeout = Duration.seconds(10)
  /// Time without reading after which a client lags: one that waits for a processor does not.
  private static let lagTime = Duration.milliseconds(50)

  var since: MonotonicInstant
  private var unread: UnreadBytes
  var timer: Scheduled<Void>?

  init(since instant: MonotonicInstant, _ unread: UnreadBytes) {
    since = instant
    self.unread = unread
  }

  /// Updates the numbers of pending bytes; fewer than before means that the client read something.
  mutating func observe(_ unread: UnreadBytes, at instant: MonotonicInstant) {
    if unread.waiting < self.unread.waiting || unread.inSocket < self.unread.inSocket { since = instant }
    self.unread = unread
  }

  /// Whether bytes are in the socket, and none has been read for some time.
  mutating func isLag(_ unread: UnreadBytes, at instant: MonotonicInstant) -> Bool {
    observe(unread, at: instant)
    if unread.inSocket == 0 { since = instant }
    return instant - since >= Self.lagTime
  }

  func remaining(at instant: MonotonicInstant) -> Duration { Self.timeout - (instant - since) }
}

struct UnreadBytes {
  /// Bytes that wait until the socket takes more.
  let waiting: Int
  /// Bytes in the socket, which takes more only when the client has read three quarters of them.
  let inSocket: Int
}
