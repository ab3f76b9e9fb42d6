import Glibc
import LocationCore
import Logging
import NIOCore
import NIOPosix

/// NMEA in datagrams, as phones and multiplexers send it: `udp://:10110` listens on every address.
package final class UDPSource: ReceiverSource {
  private enum State {
    case idle
    case binding
    case listening(any Channel)
    case waiting(Scheduled<Void>)
    case stopped
  }

  private let address: NetworkAddress
  private let loop: any EventLoop
  private weak var sink: SourceFeed?
  private var state = State.idle
  private var backoff = Backoff()
  private var nmeaWatch = NoNMEAWatch()
  package private(set) var link = LinkCounters()

  init(_ options: NetworkOptions, sink: SourceFeed, on loop: any EventLoop) {
    address = options.address
    self.sink = sink
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
    sink?.sourceIsOpening()
    let handler = NIOLoopBound(DatagramReader(self), eventLoop: loop)
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
    nmeaWatch.begin(sink?.received)
    sink?.sourceDidOpen()
  }

  fileprivate func didRead(_ bytes: ByteBuffer) {
    sink?.sourceDidReceive(bytes, at: EngineClock.machine)
    guard let bytes = nmeaWatch.bytesInVain(sink?.received) else { return }
    sink?.sourceDidFail(.noNMEA(device: "udp://\(address)", bytes: bytes, speeds: []))
  }

  private func didFail(_ error: any Error) {
    if case .stopped = state { return }
    let source = "udp://\(address)"
    switch (error as? IOError)?.errnoCode {
    case EADDRINUSE: sink?.sourceDidFail(.busy(device: source, holder: nil))
    case EADDRNOTAVAIL:
      sink?.sourceDidFail(.misconfigured(source: source, reason: "this machine has no such address"))
    case EACCES: sink?.sourceDidFail(.denied(device: source, group: nil, user: nil))
    default: sink?.sourceDidFail(.unavailable(source: source, reason: "\(error)"))
    }
    let wait = backoff.next(random: 0.5)
    state = .waiting(
      loop.assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds)) { [weak self] in
        guard let self, case .waiting = self.state else { return }
        self.bind()
      })
  }
}

private final class DatagramReader: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>
  private weak var source: UDPSource?

  init(_ source: UDPSource) {
    self.source = source
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    source?.didRead(unwrapInboundIn(data).data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A datagram that cannot be read says nothing about the next one.
  }
}
