import GPSDProtocol
import LocationCore
import NIOCore

/// One connected client: what it asked for, and what waits to be written to it.
package final class Session {
  /// Its number since the daemon started.
  package let id: SessionID
  let dialect: Dialect
  let channel: any Channel
  /// Who is at the other end, once known.
  var peer: PeerCredentials?
  var parser = RequestParser()
  /// What it has said with `?WATCH`.
  var watch = WatchSettings()
  /// What the client subscribed to; `nil` while it watches nothing.
  var subscription: Subscription?
  /// Whether it wants to hear of that device.
  func hears(_ device: String?) -> Bool { watch.device == nil || watch.device == device }
  /// Whether it may use the additions to gpsd's protocol.
  var mayUseAdditions: Bool { watch.handlebar ?? (dialect == .handlebar) }
  /// Whether it gets the leading source's sentences.
  var wantsSentences: Bool { dialect == .nmea || (watch.enable && watch.nmea) }
  /// Whether the client reports views: it then gets the fixes that follow mode asks for.
  var isRenderer = false
  /// Malformed requests since the last good one.
  var errorsInARow = 0
  private(set) var outbox = Outbox()
  /// Complete lines of this turn, written together at its end.
  private var staged: [ByteBuffer] = []
  /// Whether the kernel has not yet taken the last write whole.
  private var isWriting = false
  /// Whether the channel is to find out that the other end is gone.
  private var isEnding = false
  /// Since when the client has not read; `nil` while it keeps up.
  var stall: Stall?
  /// Whether a timer watches the stall.
  var isWatched = false
  private(set) var isClosed = false
  /// Why it is closed as soon as it has read what waits.
  private var leaving: String?
  /// Whether nothing new is told to it, nor heard from it.
  var isLeaving: Bool { isClosed || leaving != nil }
  /// What it sent faster than it reads the answers; it is not listened to until that has been answered.
  private var unheard: ByteBuffer?
  /// How many answers may wait before the next request does.
  private static let answersAhead = 16
  private let owner: Audience
  private let socket: DirectSocket?

  init(id: SessionID, dialect: Dialect, channel: any Channel, owner: Audience) {
    self.id = id
    self.dialect = dialect
    self.channel = channel
    self.owner = owner
    socket = DirectSocket(of: channel)
  }

  /// Queues whole lines that must not be lost: replies and events.
  func send(_ lines: ByteBuffer) {
    guard !isLeaving else { return }
    if !isWriting {
      staged.append(lines)
      owner.needsFlush(self)
    } else if owner.isLossless {
      outbox.appendUnbounded(event: lines)
    } else if !outbox.append(event: lines) {
      close(reason: "it left \(Outbox.maxEvents) events unread")
    }
  }

  /// Whether its next request may be answered: what it asked before has mostly been taken in.
  var mayAsk: Bool { unheard == nil && staged.count + outbox.events.count < Self.answersAhead }

  /// Keeps what it sent too early, and listens no more until it is heard.
  func keep(unheard bytes: ByteBuffer) {
    if unheard == nil { channel.setOption(.autoRead, value: false).whenFailure { _ in } }
    unheard.setOrWriteImmutableBuffer(bytes)
  }

  /// Hands out what it sent too early, and listens again.
  func takeUnheard() -> ByteBuffer? {
    guard !isLeaving, let bytes = unheard else { return nil }
    unheard = nil
    channel.setOption(.autoRead, value: true).whenFailure { _ in }
    return bytes
  }

  /// Queues a fix: written now, or held until the client reads, when only the newest counts.
  func deliver(_ fix: PublishedFix, reason: DeliveryReason, from lines: EpochLines) {
    guard !isLeaving else { return }
    if !isWriting {
      staged.append(lines.lines(of: fix, for: reason))
      owner.needsFlush(self)
    } else if owner.isLossless {
      outbox.appendUnbounded(event: lines.lines(of: fix, for: reason))
    } else {
      outbox.hold(Outbox.PendingFix(fix: fix, reason: reason))
      if let sky = lines.sky { outbox.hold(sky: sky) }
    }
  }

  /// Queues sentences; a reader that does not keep up misses some, never a part of one.
  func deliver(sentences: ByteBuffer) {
    if isWriting, !owner.isLossless { return }
    send(sentences)
  }

  /// Puts the fix that waits before the events to come: told after the loss it would look new.
  func settleFix() {
    guard !isLeaving, let fix = outbox.takeFix() else { return }
    send(owner.encode(fix.fix, reason: fix.reason))
  }

  /// Queues the newest satellites, which replace those that still wait.
  func deliver(sky: ByteBuffer) {
    if isWriting, !owner.isLossless, !isLeaving { outbox.hold(sky: sky) } else { send(sky) }
  }

  /// Writes what this turn staged.
  func flush() {
    guard !isClosed, !isEnding else { return }
    if !isWriting, let socket, var lines = takeStaged() {
      let stands = socket.write(&lines)
      if lines.readableBytes == 0 { return didWrite() }
      staged.append(lines)
      // A write that fails hands out what can still be read first: requests, in the middle of somebody's turn.
      if !stands { return meetTheEnd() }
    }
    flushThroughChannel()
  }

  /// Lets the channel find out, in a turn of its own, that the other end is gone.
  private func meetTheEnd() {
    isWriting = true
    isEnding = true
    channel.eventLoop.assumeIsolated().execute {
      self.isEnding = false
      guard !self.isClosed else { return }
      self.flushThroughChannel()
    }
  }

  /// What was staged, in one piece: each write of its own would cost the client's socket buffer a page.
  private func takeStaged() -> ByteBuffer? {
    guard staged.count > 1 else { return staged.popLast() }
    var all = channel.allocator.buffer(capacity: staged.reduce(0) { $0 + $1.readableBytes })
    for lines in staged { all.writeImmutableBuffer(lines) }
    staged.removeAll(keepingCapacity: true)
    return all
  }

  /// Leaves what was staged to the channel, which waits for the client.
  private func flushThroughChannel() {
    guard let last = staged.popLast() else { return }
    isWriting = true
    for lines in staged { channel.write(lines, promise: nil) }
    staged.removeAll(keepingCapacity: true)
    // Taken whole by the kernel, the write completes before this returns.
    channel.writeAndFlush(last).assumeIsolated().whenComplete { result in
      switch result {
      case .success: self.didWrite()
      case .failure: self.close(reason: nil)
      }
    }
    if isWriting, !isClosed, stall == nil {
      stall = Stall(since: PipelineClock.machine, waiting: bufferedBytes)
      owner.sessionIsCongested(self)
    }
  }

  /// Ends the connection; a reason is for the log.
  func close(reason: String?) {
    guard !isClosed else { return }
    isClosed = true
    staged.removeAll()
    unheard = nil
    owner.sessionDidClose(self, reason: reason)
    channel.close(promise: nil)
  }

  /// Ends the connection once it has taken in what is queued; nothing it sends meanwhile is heard.
  func closeAfterFlush(reason: String) {
    flush()
    guard isWriting, !isClosed else { return close(reason: reason) }
    leaving = reason
    channel.setOption(.autoRead, value: false).whenFailure { _ in }
  }

  /// Bytes that wait in this process.
  var bufferedBytes: Int {
    (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  private func didWrite() {
    isWriting = false
    if !outbox.isEmpty {
      let (events, fix, sky) = outbox.take()
      staged.append(contentsOf: events)
      if let fix { staged.append(owner.encode(fix.fix, reason: fix.reason)) }
      if let sky { staged.append(sky) }
      stall?.restart(at: PipelineClock.machine)
      flush()
    }
    if !isWriting, let leaving { return close(reason: leaving) }
    if !isWriting, stall != nil, !isClosed {
      stall = nil
      owner.sessionDidDrain(self)
    }
    if !isWriting, unheard != nil, !isClosed { owner.sessionCanBeHeard(self) }
  }
}
