import Glibc
import LocationCore
import Logging
import NIOCore
import NIOPosix

/// Keeps a TCP connection: connects with a time-out, and after a loss again with growing waits.
final class StreamConnector {
  private enum State {
    case idle
    case connecting
    case connected(any Channel)
    case waiting(Scheduled<Void>)
    case stopped
  }

  /// How long a connection may take to be made.
  static let timeout = TimeAmount.seconds(3)

  private let address: NetworkAddress
  private let loop: any EventLoop
  private var state = State.idle
  private var backoff = Backoff()
  private var random = SystemRandomNumberGenerator()

  /// Called before each attempt.
  var onAttempt: () -> Void = {}
  var onConnect: () -> Void = {}
  /// Called with each read.
  var onRead: (ByteBuffer) -> Void = { _ in }
  /// Called when an attempt failed or the connection was lost.
  var onLoss: (Loss) -> Void = { _ in }

  /// Why there is no connection.
  enum Loss {
    /// Nobody listens there.
    case refused
    /// No answer, no way, no such host, in words.
    case unreachable(String)
    /// The other end closed, or was closed for being of no use.
    case closed
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

  /// Sends a request; without a connection it is dropped.
  ///
  /// In a turn of its own: a write that fails first hands out what can still be read, in the middle of whoever writes.
  func send(_ text: String) {
    guard case .connected(let channel) = state else { return }
    loop.assumeIsolated().execute { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
  }

  /// The peer proved useful: the next wait is short again.
  func isUseful() {
    backoff.reset()
  }

  /// Gives the connection up; the loss that follows leads to another one.
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
      // A peer that vanished without a word, as a phone out of reach does, is noticed after 20 s.
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

  init(_ connector: StreamConnector) {
    self.connector = connector
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connector?.onRead(unwrapInboundIn(data))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    connector?.didClose()
    connector = nil
  }
}
