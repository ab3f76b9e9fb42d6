import GPSDProtocol
import Libc
import LocationCore
import NIOCore

/// A connected client: its settings and its pending output.
package final class ClientSession {
  package let id: ClientID
  let dialect: Dialect
  let channel: any Channel
  let peer: PeerCredentials?
  let address: NetworkAddress?
  /// The program or machine of the client, for the engine's limits; `nil` if nothing is known.
  var enginePeer: ClientPeer? { peer.map { .process($0.pid, user: $0.uid) } ?? address.map { .host($0.host) } }
  /// When it connected, or last sent something.
  var lastInput: NIODeadline
  var parser = RequestParser()
  var watch = WatchRequest(enable: false)
  /// Whether the client did not specify a filter, so that that of its dialect applies.
  var usesDefaultFilter = false
  /// `nil` while the client watches nothing.
  var feed: Feed?
  func isSubscribed(to device: String?) -> Bool { watch.device == nil || watch.device == device }
  var usesAdditions: Bool { watch.handlebar ?? (dialect == .handlebar) }
  var wantsSentences: Bool { dialect == .nmea || (watch.enable && watch.nmea == true && watch.raw != 2) }
  var wantsBytes: Bool { watch.enable && watch.raw == 2 }
  /// Whether the client reads what gpsd derives: it watches, or has polled, without the additions.
  var readsGPSDFields = false
  /// Whether the client reports views; it then receives the fixes that follow mode requests.
  var isRenderer = false
  var consecutiveErrors = 0
  var outbox = Outbox()
  var connection = Connection.open
  /// Whether a write is under way: further output waits in the outbox. Else the lines of a turn are written at its end.
  var isWriting = false
  /// Since when the client has not read a write; kept until the outbox is written. `nil` while it keeps up.
  var stall: Stall?
  /// Satellites for a client of gpsd, written a while after the fix.
  var delayedSky: ByteBuffer?
  var staged: [ByteBuffer] = []
  var isLoggedAsSlow = false
  /// Input that exceeds the limit of unread answers; reading pauses until it has been handled.
  private var deferredInput: ByteBuffer?
  /// Most bytes that are written at once to a client that lags.
  private static let piece = 512
  /// What was in the socket at the newest long write.
  private var lag = Stall(since: .zero, UnreadBytes(waiting: 0, inSocket: 0))
  /// Maximum number of unread answers before requests are deferred.
  private static let maxQueuedAnswers = 16
  let registry: ClientRegistry

  enum Connection {
    case open
    /// The peer has closed, handled on the next tick; then the connection closes for this reason, or as a write fails.
    case hungUp(reason: String?)
    case closing(reason: String)
    case closed
  }

  /// The socket, if the channel is one: a write through that, for what the kernel refuses, costs several system calls.
  private let socket: CInt?

  init(id: ClientID, dialect: Dialect, channel: any Channel, registry: ClientRegistry) {
    self.id = id
    self.dialect = dialect
    self.channel = channel
    self.registry = registry
    address = NetworkAddress(channel.remoteAddress)
    lastInput = channel.eventLoop.now
    socket = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
    peer = socket.flatMap { PeerCredentials(of: $0) }
  }

  /// Whether the next request may be handled, as most answers have been read.
  var canAcceptRequest: Bool { deferredInput == nil && staged.count + outbox.count < Self.maxQueuedAnswers }

  func deferInput(_ bytes: ByteBuffer) {
    if deferredInput == nil { channel.setOption(.autoRead, value: false).whenFailure { _ in } }
    deferredInput.setOrWriteImmutableBuffer(bytes)
  }

  func takeDeferredInput() -> ByteBuffer? {
    guard !isClosing, let bytes = deferredInput else { return nil }
    deferredInput = nil
    channel.setOption(.autoRead, value: true).whenFailure { _ in }
    return bytes
  }

  func flush() {
    switch connection {
    case .hungUp, .closed: return
    case .open, .closing: break
    }
    // Only without pending writes of the channel, which would be overtaken.
    if !isWriting, let socket, var lines = takeStaged() {
      // In pieces to a client that lags, because the kernel tells only when it has read one whole; each costs room.
      let piece = lines.readableBytes > Self.piece && lag.isLag(unread, at: EngineClock.machine) ? Self.piece : Int.max
      var count: Int
      var error: CInt
      repeat {
        count = lines.withUnsafeReadableBytes { bytes in
          send(socket, bytes.baseAddress, min(bytes.count, piece), CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
        }
        error = errno
        if count > 0 { lines.moveReaderIndex(forwardBy: count) }
      } while count == piece && lines.readableBytes > 0
      if lines.readableBytes == 0 { return didWrite() }
      staged.append(lines)
      // A failed channel write first delivers readable requests, which must not happen within this turn.
      if count < 0, ![EAGAIN, EINTR, ENOBUFS].contains(error) { return closeOnNextTick() }
    }
    flushThroughChannel()
  }

  /// Lets the channel detect on the next tick that the peer has closed.
  private func closeOnNextTick() {
    connection = .hungUp(reason: closeReason)
    isWriting = true
    channel.eventLoop.assumeIsolated().execute {
      guard case .hungUp(let reason) = self.connection else { return }
      self.connection = reason.map { .closing(reason: $0) } ?? .open
      self.flushThroughChannel()
    }
  }

  /// The staged lines as one buffer: each separate write costs a page of the client's socket buffer.
  private func takeStaged() -> ByteBuffer? {
    guard staged.count > 1 else { return staged.popLast() }
    var all = channel.allocator.buffer(capacity: staged.reduce(0) { $0 + $1.readableBytes })
    for lines in staged { all.writeImmutableBuffer(lines) }
    staged.removeAll(keepingCapacity: true)
    return all
  }

  private func flushThroughChannel() {
    guard let last = staged.popLast() else { return }
    isWriting = true
    for lines in staged { channel.write(lines, promise: nil) }
    staged.removeAll(keepingCapacity: true)
    // If the kernel accepts everything, the write completes before this returns.
    channel.writeAndFlush(last).assumeIsolated().whenComplete { result in
      switch result {
      case .success: self.didWrite()
      case .failure: self.close(reason: nil)
      }
    }
    if isWriting, stall == nil, !isClosed {
      stall = Stall(since: EngineClock.machine, unread)
      registry.watchForStall(self)
    }
  }

  func close(reason: String?) {
    guard !isClosed else { return }
    connection = .closed
    staged.removeAll()
    deferredInput = nil
    registry.sessionDidClose(self, reason: reason)
    channel.close(promise: nil)
  }

  /// Closes the connection once the pending output is written; further input is ignored.
  func closeAfterFlush(reason: String) {
    flush()
    guard isWriting, !isClosed else { return close(reason: reason) }
    if case .hungUp = connection { connection = .hungUp(reason: reason) } else { connection = .closing(reason: reason) }
    channel.setOption(.autoRead, value: false).whenFailure { _ in }
  }

  var unread: UnreadBytes {
    var inSocket: CInt = 0
    if let socket { _ = ioctl(socket, UInt(TIOCOUTQ), &inSocket) }
    let waiting = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    return UnreadBytes(waiting: waiting, inSocket: Int(inSocket))
  }

  private func didWrite() {
    isWriting = false
    if !outbox.isEmpty {
      let (lines, fix, rest) = outbox.take()
      staged.append(contentsOf: lines)
      if let fix { staged.append(fix.lines ?? registry.line(of: fix)) }
      staged.append(contentsOf: rest)
      stall?.since = EngineClock.machine
      flush()
    }
    guard !isWriting, !isClosed else { return }
    if let closeReason { return close(reason: closeReason) }
    if let stall {
      stall.timer?.cancel()
      self.stall = nil
      if !registry.isCongested { registry.onDrain() }
    }
    // Not within the turn that answered, so that other clients are served first.
    let (registry, loop) = (registry, registry.loop.assumeIsolated())
    if outbox.isStateDue { loop.execute { registry.onStateDue(self) } }
    if deferredInput != nil { loop.execute { registry.onResume(self) } }
  }

  var isClosed: Bool { if case .closed = connection { true } else { false } }

  /// Why the connection closes once the pending output is written; `nil` while it stays open.
  private var closeReason: String? {
    switch connection {
    case .closing(let reason): reason
    case .hungUp(let reason): reason
    case .open, .closed: nil
    }
  }

  /// Whether the connection is closed or closing: nothing is sent or received any longer.
  var isClosing: Bool { isClosed || closeReason != nil }
}
