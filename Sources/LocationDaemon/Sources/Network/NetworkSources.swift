import Glibc
import LocationCore
import NIOCore
import NIOPosix

/// NMEA over TCP: `tcp://192.168.1.7:10110`.
package final class TCPSource: ReceiverSource {
  private let name: String
  private let connector: StreamConnector
  private let inlet: SourceInlet
  private var isOpen = false
  private var detector = NoNMEADetector()
  package private(set) var link = LinkCounters()

  init(_ options: NetworkOptions, into inlet: SourceInlet, on loop: any EventLoop) {
    name = "tcp://\(options.address)"
    connector = StreamConnector(to: options.address, on: loop)
    self.inlet = inlet
    connector.onAttempt = { [inlet] in inlet.note(.opening) }
    connector.onConnect = { [weak self] in self?.didConnect() }
    connector.onRead = { [weak self] bytes in self?.didRead(bytes) }
    connector.onLoss = { [weak self] loss in self?.didLose(loss) }
  }

  package func start() { connector.start() }
  package func stop() { connector.stop() }

  private func didConnect() {
    isOpen = true
    link.connections &+= 1
    detector.reset(inlet.received)
    inlet.note(.opened)
  }

  private func didRead(_ bytes: ByteBuffer) {
    connector.resetBackoff()
    inlet.receive(bytes, at: EngineClock.machine)
    guard let count = detector.unparsedByteCount(inlet.received) else { return }
    inlet.note(.failed(.noNMEA(device: name, bytes: count, speeds: [])))
  }

  private func didLose(_ loss: StreamConnector.Loss) {
    let error = loss.error(of: name, closed: "the peer closed the connection")
    inlet.note(isOpen ? .unplugged(error) : .failed(error))
    isOpen = false
  }
}

/// NMEA in UDP datagrams: `udp://:10110` listens on all addresses.
package final class UDPSource: ReceiverSource {
  private enum State {
    case idle
    case binding
    case listening(any Channel)
    case waiting(Scheduled<Void>)
    case stopped
  }

  private let name: String
  private let address: NetworkAddress
  private let loop: any EventLoop
  private let inlet: SourceInlet
  private var state = State.idle
  private var backoff = Backoff()
  private var detector = NoNMEADetector()
  package private(set) var link = LinkCounters()

  init(_ options: NetworkOptions, into inlet: SourceInlet, on loop: any EventLoop) {
    name = "udp://\(options.address)"
    address = options.address
    self.inlet = inlet
    self.loop = loop
  }

  package func start() {
    guard case .idle = state else { return }
    bind()
  }

  package func stop() {
    let old = state
    state = .stopped
    switch old {
    case .listening(let channel): channel.close(promise: nil)
    case .waiting(let timer): timer.cancel()
    case .idle, .binding, .stopped: break
    }
  }

  private func bind() {
    state = .binding
    inlet.note(.opening)
    let handler = NIOLoopBound(DatagramHandler(self), eventLoop: loop)
    DatagramBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
      }
      .bind(host: address.host.isEmpty ? "0.0.0.0" : address.host, port: address.port)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .success(let channel): self.didBind(channel)
        case .failure(let error): self.didFail(error)
        }
      }
  }

  private func didBind(_ channel: any Channel) {
    guard case .binding = state else {
      channel.close(promise: nil)
      return
    }
    state = .listening(channel)
    backoff.reset()
    link.connections &+= 1
    detector.reset(inlet.received)
    inlet.note(.opened)
  }

  fileprivate func didRead(_ bytes: ByteBuffer) {
    inlet.receive(bytes, at: EngineClock.machine)
    guard let count = detector.unparsedByteCount(inlet.received) else { return }
    inlet.note(.failed(.noNMEA(device: name, bytes: count, speeds: [])))
  }

  private func didFail(_ error: any Error) {
    if case .stopped = state { return }
    switch (error as? IOError)?.errnoCode {
    case EADDRINUSE: inlet.note(.failed(.busy(device: name, holder: nil)))
    case EADDRNOTAVAIL: inlet.note(.failed(.misconfigured(source: name, reason: "this computer has no such address")))
    case EACCES: inlet.note(.failed(.denied(device: name, group: nil, user: nil)))
    default: inlet.note(.failed(.unavailable(source: name, reason: "\(error)")))
    }
    let wait = backoff.next(random: 0.5)
    state = .waiting(
      loop.assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds)) { [weak self] in
        guard let self, case .waiting = self.state else { return }
        self.bind()
      })
  }
}

private final class DatagramHandler: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>
  private weak var source: UDPSource?

  init(_ source: UDPSource) { self.source = source }
  func channelRead(context: ChannelHandlerContext, data: NIOAny) { source?.didRead(unwrapInboundIn(data).data) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // An error of one datagram does not affect the next.
  }
}

/// Detects a network source that sends bytes but no sentence; reports it once per connection.
private struct NoNMEADetector {
  /// Number of bytes without a sentence that is significant.
  static let minimumBytes: UInt64 = 1024

  private var start: (sentences: UInt64, bytes: UInt64)?

  mutating func reset(_ received: (sentences: UInt64, bytes: UInt64)) { start = received }

  /// The number of bytes received without a sentence if it is to be reported now, otherwise `nil`.
  mutating func unparsedByteCount(_ received: (sentences: UInt64, bytes: UInt64)) -> Int? {
    guard let start else { return nil }
    let count = received.bytes &- start.bytes
    let hasSentence = received.sentences != start.sentences
    guard hasSentence || count >= Self.minimumBytes else { return nil }
    self.start = nil
    return hasSentence ? nil : Int(clamping: count)
  }
}
