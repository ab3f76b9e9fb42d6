import Glibc
import LocationCore
import NIOCore
import NIOPosix

/// A TCP client connection that is re-established after a loss, with a timeout and a growing back-off.
final class StreamConnector {
  private enum State {
    case idle
    case connecting
    case connected(any Channel)
    case waiting(Scheduled<Void>)
    case stopped
  }

  /// Longest time to establish a connection.
  static let timeout = TimeAmount.seconds(3)

  private let address: NetworkAddress
  private let loop: any EventLoop
  private var state = State.idle
  private var backoff = Backoff()
  private var random = SystemRandomNumberGenerator()
  var onAttempt: () -> Void = {}
  var onConnect: () -> Void = {}
  var onRead: (ByteBuffer) -> Void = { _ in }
  var onLoss: (Loss) -> Void = { _ in }

  enum Loss {
    /// No process listens on the port.
    case refused
    /// No answer, no route or no such host.
    case unreachable(String)
    /// The peer closed the connection, or `disconnect()` did.
    case closed

    /// The source's error; `reason` is why a connection was closed.
    func error(of source: String, closed reason: String) -> SourceError {
      switch self {
      case .closed: .unavailable(source: source, reason: reason)
      case .refused: .unavailable(source: source, reason: "connection refused")
      case .unreachable(let reason): .unavailable(source: source, reason: reason)
      }
    }
  }

  init(to address: NetworkAddress, on loop: any EventLoop) {
    self.address = address
    self.loop = loop
  }

  func start() {
    guard case .idle = state else { return }
    connect()
  }

  func stop() {
    let old = state
    state = .stopped
    switch old {
    case .connected(let channel): channel.close(promise: nil)
    case .waiting(let timer): timer.cancel()
    case .idle, .connecting, .stopped: break
    }
  }

  /// Sends a request; drops it if there is no connection. The write runs in its own turn of the loop: a failing write
  /// first delivers pending input, in the middle of its caller.
  func send(_ text: String) {
    guard case .connected(let channel) = state else { return }
    loop.assumeIsolated().execute { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
  }

  /// Resets the back-off: the peer has sent usable data.
  func resetBackoff() { backoff.reset() }

  /// Closes the connection; another one follows.
  func disconnect() {
    guard case .connected(let channel) = state else { return }
    channel.close(promise: nil)
  }

  private func connect() {
    state = .connecting
    onAttempt()
    let handler = NIOLoopBound(StreamHandler(self), eventLoop: loop)
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(Self.timeout)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      // Detects within 20 s a peer that vanished without closing, such as a phone out of reach.
      .channelOption(.socketOption(.so_keepalive), value: 1)
      .channelOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)), value: 10)
      .channelOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPINTVL)), value: 5)
      .channelOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPCNT)), value: 2)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
      }
    let attempt: EventLoopFuture<any Channel>
    if let address = address.literal {
      attempt = bootstrap.connect(to: address)
    } else {
      attempt = bootstrap.connect(host: address.host, port: address.port)
    }
    attempt.assumeIsolated().whenComplete { result in
      switch result {
      case .success(let channel): self.didConnect(channel)
      case .failure(let error): self.didLose(Self.loss(for: error))
      }
    }
  }

  private func didConnect(_ channel: any Channel) {
    guard case .connecting = state else {
      channel.close(promise: nil)
      return
    }
    state = .connected(channel)
    onConnect()
  }

  fileprivate func didClose() {
    guard case .connected = state else { return }
    didLose(.closed)
  }

  private func didLose(_ loss: Loss) {
    if case .stopped = state { return }
    onLoss(loss)
    let wait = backoff.next(random: Double.random(in: 0...1, using: &random))
    state = .waiting(
      loop.assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds)) { [weak self] in
        guard let self, case .waiting = self.state else { return }
        self.connect()
      })
  }

  private static func loss(for error: any Error) -> Loss {
    if let error = error as? IOError {
      return error.errnoCode == ECONNREFUSED ? .refused : .unreachable(error.description)
    }
    if let error = error as? NIOConnectionError {
      let codes = error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }
      if codes.contains(ECONNREFUSED) { return .refused }
      return .unreachable(error.connectionErrors.isEmpty ? "no such host" : "no answer")
    }
    if error is ChannelError { return .unreachable("no answer within 3 s") }
    return .unreachable("\(error)")
  }
}

private final class StreamHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private weak var connector: StreamConnector?

  init(_ connector: StreamConnector) { self.connector = connector }
  func channelRead(context: ChannelHandlerContext, data: NIOAny) { connector?.onRead(unwrapInboundIn(data)) }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelInactive(context: ChannelHandlerContext) {
    connector?.didClose()
    connector = nil
  }
}

/// Splits a byte stream into lines of bounded length.
struct LineFramer {
  private(set) var overlong: UInt64 = 0
  private let limit: Int
  private var partial: [UInt8] = []
  private var isSkipping = false

  init(limit: Int) { self.limit = limit }

  /// Adds bytes and calls `body` with each line that they complete, without its line end. Empty lines are skipped.
  mutating func take(_ bytes: ByteBuffer, _ body: (ArraySlice<UInt8>) -> Void) {
    var rest = bytes.readableBytesView
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      append(rest[..<end])
      rest = rest[(end + 1)...]
      if isSkipping {
        isSkipping = false
        continue
      }
      var line = partial[...]
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      if !line.isEmpty { body(line) }
      partial.removeAll(keepingCapacity: true)
    }
    append(rest)
  }

  private mutating func append(_ part: ByteBufferView) {
    guard !isSkipping else { return }
    guard partial.count + part.count <= limit else {
      isSkipping = true
      overlong &+= 1
      partial.removeAll(keepingCapacity: true)
      return
    }
    partial.append(contentsOf: part)
  }

  /// Drops an incomplete line, for a new connection.
  mutating func reset() {
    partial.removeAll(keepingCapacity: true)
    isSkipping = false
  }
}
