import LocationCore
import Logging
import NIOCore

/// NMEA over TCP, as phones and multiplexers serve it: `tcp://192.168.1.7:10110`.
package final class TCPSource: ReceiverSource {
  private let connector: StreamConnector
  private let address: NetworkAddress
  private weak var sink: SourceFeed?
  private var isOpen = false
  private var nmeaWatch = NoNMEAWatch()
  package private(set) var link = LinkCounters()

  init(_ options: NetworkOptions, sink: SourceFeed, on loop: any EventLoop) {
    address = options.address
    connector = StreamConnector(to: options.address, on: loop)
    self.sink = sink
    connector.onAttempt = { [weak self] in self?.sink?.sourceIsOpening() }
    connector.onConnect = { [weak self] in
      guard let self else { return }
      self.isOpen = true
      self.link.connections &+= 1
      self.nmeaWatch.begin(self.sink?.received)
      self.sink?.sourceDidOpen()
    }
    connector.onRead = { [weak self] bytes in
      self?.didRead(bytes)
    }
    connector.onLoss = { [weak self] loss in self?.didLose(loss) }
  }

  package func start() { connector.start() }

  package func stop() { connector.stop() }

  private func didRead(_ bytes: ByteBuffer) {
    connector.isUseful()
    sink?.sourceDidReceive(bytes, at: EngineClock.machine)
    guard let bytes = nmeaWatch.bytesInVain(sink?.received) else { return }
    sink?.sourceDidFail(.noNMEA(device: "tcp://\(address)", bytes: bytes, speeds: []))
  }

  private func didLose(_ loss: StreamConnector.Loss) {
    let source = "tcp://\(address)"
    switch loss {
    case .closed where isOpen: sink?.sourceDidLose(.unavailable(source: source, reason: "the other end closed"))
    case .closed: sink?.sourceDidFail(.unavailable(source: source, reason: "the other end closed"))
    case .refused: sink?.sourceDidFail(.unavailable(source: source, reason: "nothing listens there"))
    case .unreachable(let words): sink?.sourceDidFail(.unavailable(source: source, reason: words))
    }
    isOpen = false
  }
}
