import GPSDProtocol
import LocationCore
import NIOCore

/// One connected client: what it asked for, and what waits to be written to it.
package final class ClientSession {
  /// Its number since the daemon started.
  package let id: ClientID
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
  func isSubscribed(to device: String?) -> Bool { watch.device == nil || watch.device == device }
  /// Whether it may use the additions to gpsd's protocol.
  var mayUseAdditions: Bool { watch.handlebar ?? (dialect == .handlebar) }
  /// Whether it gets the leading source's sentences.
  var wantsSentences: Bool { dialect == .nmea || (watch.enable && watch.nmea) }
  /// Whether the client reports views: it then gets the fixes that follow mode asks for.
  var isRenderer = false
  /// Malformed requests since the last good one.
  var consecutiveErrors = 0
  private(set) var outbox = Outbox()
  /// Complete lines of this turn, written together at its end.
  private var staged: [ByteBuffer] = []
  /// Whether the kernel has not yet taken the last write whole.
  private var isWriting = false
  /// Whether the channel is to find out that the other end is gone.
  private var isClosingOnNextTick = false
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
  private var deferredInput: ByteBuffer?
  /// How many answers may wait before the next request does.
  private static let maxQueuedAnswers = 16
  private let registry: ClientRegistry
  private let socket: DirectSocket?

  init(id: ClientID, dialect: Dialect, channel: any Channel, registry: ClientRegistry) {
    self.id = id
    self.dialect = dialect
    self.channel = channel
    self.registry = registry
    socket = DirectSocket(of: channel)
  }

  /// Queues whole lines that must not be lost: replies and events.
  func enqueue(_ lines: ByteBuffer) {
    guard !isLeaving else { return }
    if !isWriting {
      staged.append(lines)
      registry.needsFlush(self)
    } else if registry.isLossless {
      outbox.appendUnbounded(event: lines)
    } else if !outbox.append(event: lines) {
      close(reason: "it left \(Outbox.maxEvents) events unread")
    }
  }

  /// Whether its next request may be answered: what it asked before has mostly been taken in.
  var canAcceptRequest: Bool { deferredInput == nil && staged.count + outbox.events.count < Self.maxQueuedAnswers }

  /// Keeps what it sent too early, and listens no more until it is heard.
  func deferInput(_ bytes: ByteBuffer) {
    if deferredInput == nil { channel.setOption(.autoRead, value: false).whenFailure { _ in } }
    deferredInput.setOrWriteImmutableBuffer(bytes)
  }

  /// Hands out what it sent too early, and listens again.
  func takeDeferredInput() -> ByteBuffer? {
    guard !isLeaving, let bytes = deferredInput else { return nil }
    deferredInput = nil
    channel.setOption(.autoRead, value: true).whenFailure { _ in }
    return bytes
  }

  /// Queues a fix: written now, or held until the client reads, when only the newest counts.
  func enqueue(_ fix: PublishedFix, reason: DeliveryReason, from lines: FixLines) {
    guard !isLeaving else { return }
    if !isWriting {
      staged.append(lines.lines(of: fix, for: reason))
      registry.needsFlush(self)
    } else if registry.isLossless {
      outbox.appendUnbounded(event: lines.lines(of: fix, for: reason))
    } else {
      outbox.hold(Outbox.PendingFix(fix: fix, reason: reason))
      if let sky = lines.sky { outbox.hold(sky: sky) }
    }
  }

  /// Queues sentences; a reader that does not keep up misses some, never a part of one.
  func enqueue(sentences: ByteBuffer) {
    if isWriting, !registry.isLossless { return }
    enqueue(sentences)
  }

  /// Puts the fix that waits before the events to come: told after the loss it would look new.
  func enqueuePendingFix() {
    guard !isLeaving, let fix = outbox.takeFix() else { return }
    enqueue(registry.encode(fix.fix, reason: fix.reason))
  }

  /// Queues the newest satellites, which replace those that still wait.
  func enqueue(sky: ByteBuffer) {
    if isWriting, !registry.isLossless, !isLeaving { outbox.hold(sky: sky) } else { enqueue(sky) }
  }

  /// Writes what this turn staged.
  func flush() {
    guard !isClosed, !isClosingOnNextTick else { return }
    if !isWriting, let socket, var lines = takeStaged() {
      let stands = socket.write(&lines)
      if lines.readableBytes == 0 { return didWrite() }
      staged.append(lines)
      // A write that fails hands out what can still be read first: requests, in the middle of somebody's turn.
      if !stands { return closeOnNextTick() }
    }
    flushThroughChannel()
  }

  /// Lets the channel find out, in a turn of its own, that the other end is gone.
  private func closeOnNextTick() {
    isWriting = true
    isClosingOnNextTick = true
    channel.eventLoop.assumeIsolated().execute {
      self.isClosingOnNextTick = false
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
      stall = Stall(since: EngineClock.machine, waiting: bufferedBytes)
      registry.sessionIsCongested(self)
    }
  }

  /// Ends the connection; a reason is for the log.
  func close(reason: String?) {
    guard !isClosed else { return }
    isClosed = true
    staged.removeAll()
    deferredInput = nil
    registry.sessionDidClose(self, reason: reason)
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
      if let fix { staged.append(registry.encode(fix.fix, reason: fix.reason)) }
      if let sky { staged.append(sky) }
      stall?.restart(at: EngineClock.machine)
      flush()
    }
    if !isWriting, let leaving { return close(reason: leaving) }
    if !isWriting, stall != nil, !isClosed {
      stall = nil
      registry.sessionDidDrain(self)
    }
    if !isWriting, deferredInput != nil, !isClosed { registry.sessionCanResume(self) }
  }
}
