import Glibc
import LocationCore
import NIOCore
import NIOPosix

/// A TCP client connection, or a UDP socket that listens; re-established after a loss, with a growing back-off.
final class NetworkConnector {
  enum Transport: String { case tcp, udp }

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
  private let transport: Transport
  private let loop: any EventLoop
  private var state = State.idle
  private var backoff = Backoff()
  private var random = SystemRandomNumberGenerator()
  var onAttempt: () -> Void = {}
  var onConnect: () -> Void = {}
  var onRead: (ByteBuffer) -> Void = { _ in }
  var onLoss: (Loss) -> Void = { _ in }

  enum Loss {
    case refused
    /// No answer, no route, no such host or, by its number, an error of a system call.
    case failed(String, CInt = 0)
    /// The peer closed the connection, or `disconnect()` did.
    case closed

    /// The source's error; `reason` is why a connection was closed.
    func error(of source: String, closed reason: String) -> SourceError {
      switch self {
      case .closed: .unavailable(source: source, reason: reason)
      case .refused: .unavailable(source: source, reason: "connection refused")
      case .failed(let reason, _): .unavailable(source: source, reason: reason)
      }
    }
  }

  init(to address: NetworkAddress, by transport: Transport = .tcp, on loop: any EventLoop) {
    self.address = address
    self.transport = transport
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
    let handler = NIOLoopBound(
      ByteHandler(onRead: { [weak self] in self?.onRead($0) }, onEnd: { [weak self] in self?.didClose() }),
      eventLoop: loop)
    let attempt = transport == .tcp ? open(handler) : bind(handler)
    attempt.assumeIsolated().whenComplete { result in
      switch result {
      case .success(let channel): self.didConnect(channel)
      case .failure(let error): self.didLose(Self.loss(for: error))
      }
    }
  }

  private func open(_ handler: NIOLoopBound<ByteHandler>) -> EventLoopFuture<any Channel> {
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
    if let address = address.literal { return bootstrap.connect(to: address) }
    return bootstrap.connect(host: address.host, port: address.port)
  }

  private func bind(_ handler: NIOLoopBound<ByteHandler>) -> EventLoopFuture<any Channel> {
    DatagramBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(DatagramHandler(), handler.value)
        }
      }
      .bind(host: address.host.isEmpty ? "0.0.0.0" : address.host, port: address.port)
  }

  private func didConnect(_ channel: any Channel) {
    guard case .connecting = state else { return channel.close(promise: nil) }
    state = .connected(channel)
    onConnect()
  }

  private func didClose() {
    guard case .connected = state else { return }
    didLose(.closed)
  }

  private func didLose(_ loss: Loss) {
    if case .stopped = state { return }
    onLoss(loss)
    let wait = backoff.next(random: Double.random(in: 0...1, using: &random))
    state = .waiting(
      loop.schedule(in: wait) { [weak self] in
        guard let self, case .waiting = self.state else { return }
        self.connect()
      })
  }

  private static func loss(for error: any Error) -> Loss {
    if let error = error as? IOError {
      return error.errnoCode == ECONNREFUSED ? .refused : .failed(error.description, error.errnoCode)
    }
    if let error = error as? NIOConnectionError {
      let codes = error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }
      if codes.contains(ECONNREFUSED) { return .refused }
      return .failed(error.connectionErrors.isEmpty ? "no such host" : "no answer")
    }
    if error is ChannelError { return .failed("no answer within 3 s") }
    return .failed("\(error)")
  }
}

/// Passes on the bytes of datagrams. An error of one datagram does not affect the next.
private final class DatagramHandler: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>
  typealias InboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireChannelRead(wrapInboundOut(unwrapInboundIn(data).data))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
