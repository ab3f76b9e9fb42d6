import Glibc
import LocationCore
import NIOCore

/// Options of NMEA over the network: `tcp://192.168.1.7:10110` connects, `udp://:10110` listens.
package struct NetworkOptions: Hashable, Sendable {
  /// The port that phones and multiplexers use for NMEA.
  package static let defaultPort = 10_110

  var transport: NetworkConnector.Transport
  package var address: NetworkAddress
  package var checksums = ChecksumPolicy.require
  package var snapsRollover = false
}

extension NetworkOptions: SourceKind {
  package var scheme: String { transport.rawValue }
  package var device: String { "\(scheme)://\(address)" }

  package func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource {
    NetworkSource(self, into: inlet)
  }

  init(_ query: inout URIQuery, by transport: NetworkConnector.Transport) throws(ConfigurationError) {
    let needsHost = transport == .tcp
    let parts = try query.splitAuthority()
    guard parts.path.isEmpty || parts.path == "/",
      let address = NetworkAddress(parts.authority, defaultPort: Self.defaultPort),
      !needsHost || !address.host.isEmpty
    else {
      let example = needsHost ? "tcp://192.168.1.7:10110" : "udp://:10110"
      throw query.error("\"\(parts.authority)\(parts.path)\" is not HOST:PORT, for example \(example)")
    }
    self.init(transport: transport, address: address, checksums: try query.takeChecksumPolicy() ?? .require)
    snapsRollover = try query.takeRollover()
  }
}

/// NMEA over the network: `tcp://192.168.1.7:10110` connects, `udp://:10110` listens on all addresses for datagrams.
package final class NetworkSource: ReceiverSource {
  /// Number of bytes without a sentence that is significant.
  private static let minimumBytes: UInt64 = 1024

  private let name: String
  private let transport: NetworkConnector.Transport
  private let connector: NetworkConnector
  private let inlet: SourceInlet
  private var isOpen = false
  /// What had arrived before the connection; `nil` once a sentence has come, or their lack was reported.
  private var before: (messages: UInt64, bytes: UInt64)?
  package private(set) var link = LinkCounters()

  init(_ options: NetworkOptions, into inlet: SourceInlet) {
    name = options.device
    transport = options.transport
    connector = NetworkConnector(to: options.address, by: options.transport, on: inlet.eventLoop)
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
    before = inlet.received
    inlet.note(.opened)
  }

  private func didRead(_ bytes: ByteBuffer) {
    connector.resetBackoff()
    inlet.receive(bytes, at: EngineClock.machine)
    guard let before else { return }
    let received = inlet.received
    let count = received.bytes &- before.bytes
    let hasSentence = received.messages != before.messages
    guard hasSentence || count >= Self.minimumBytes else { return }
    self.before = nil
    if hasSentence { return }
    inlet.note(.failed(.noNMEA(device: name, bytes: Int(clamping: count), speeds: [], binary: inlet.binary)))
  }

  private func didLose(_ loss: NetworkConnector.Loss) {
    let error =
      transport == .udp ? bindError(loss) : loss.error(of: name, closed: "the peer closed the connection")
    inlet.note(isOpen ? .unplugged(error) : .failed(error))
    isOpen = false
  }

  private func bindError(_ loss: NetworkConnector.Loss) -> SourceError {
    switch loss {
    case .failed(_, EADDRINUSE): .busy(device: name, holder: nil)
    case .failed(_, EADDRNOTAVAIL): .misconfigured(source: name, reason: "this computer has no such address")
    case .failed(_, EACCES): .denied(device: name, group: nil, user: nil)
    default: loss.error(of: name, closed: "the socket was lost")
    }
  }
}
