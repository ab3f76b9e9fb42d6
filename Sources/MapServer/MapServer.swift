import Glibc
import LocationClient
import NIOCore
import NIOPosix

/// The web server of the map page: the page's files, map tiles, and for each browser a WebSocket that speaks the daemon's
/// protocol.
///
/// Every viewer has a connection of its own to the daemon, as its follow state belongs to a connection and a slow viewer
/// must not hold up another: when it does not read, nothing more is read from its connection, and the daemon keeps the
/// newest fix and pose for it. Everything runs on one event loop.
package struct MapServer: Sendable {
  /// A failure to start.
  package enum Failure: Error, Hashable, CustomStringConvertible {
    /// Leaflet is not installed; with the missing file.
    case noLeaflet(path: String)
    /// The address cannot be used; with the system's reason.
    case cannotListen(HostAddress, reason: String)

    package var description: String {
      switch self {
      case .noLeaflet(let path): "\(path) is missing; install it: sudo apt-get install libjs-leaflet"
      case .cannotListen(let address, let reason):
        "cannot listen on \(address): \(reason); choose another address with --listen"
      }
    }
  }

  /// Most bytes read from a connection at a time, so that little waits where one asks more than it reads.
  static let readSize = 4096

  /// The address of the page, with the token if there is one.
  package let url: String
  /// Whether the address has a token, which only those may read who may use the server.
  package let hasToken: Bool
  private let channel: any Channel

  /// Listens. A token is required from browsers unless the address is of the loopback interface.
  package static func start(
    on address: HostAddress, daemon: Endpoint, tiles: MapTiles? = nil
  ) async throws(Failure) -> MapServer {
    let files = try PageFiles(tiles: tiles)
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let shared = SharedState(files: files, tiles: tiles, daemon: daemon)
    let bootstrap = ServerBootstrap(group: loop)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 1024)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: readSize))
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try shared.configure(channel) }
      }
    let channel: any Channel
    do {
      channel = try await bootstrap.bind(host: address.host, port: address.port).get()
    } catch {
      throw .cannotListen(address, reason: reason(error))
    }
    let bound = HostAddress(host: address.host, port: channel.localAddress?.port ?? address.port)
    let isLoopback = channel.localAddress?.isLoopback ?? false
    let access = Access(
      names: [bound.host] + hostNames, port: bound.port, token: isLoopback ? nil : Access.makeToken())
    shared.open(access)
    let query = access.token.map { "?token=\($0)" } ?? ""
    return MapServer(url: "http://\(reachable(bound))/\(query)", hasToken: access.token != nil, channel: channel)
  }

  /// Stops listening and closes every connection's channel with the program.
  package func stop() async {
    try? await channel.close()
  }

  /// An address that others can open: "all addresses" is none, and the machine's first one stands for it.
  private static func reachable(_ address: HostAddress) -> HostAddress {
    guard ["0.0.0.0", "::"].contains(address.host) else { return address }
    let own = (try? System.enumerateDevices())?.lazy.compactMap(\.address).first { address in
      if case .v4 = address { !address.isLoopback } else { false }
    }
    guard let host = own?.ipAddress ?? hostNames.first else { return address }
    return HostAddress(host: host, port: address.port)
  }

  private static var hostNames: [String] {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return [] }
    let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // mDNS makes a machine known under this name.
    return [name, "\(name).local"]
  }

  private static func reason(_ error: any Error) -> String {
    if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
    return "\(error)"
  }
}

extension SocketAddress {
  fileprivate var isLoopback: Bool {
    switch self {
    case .v4(let address): UInt32(bigEndian: address.address.sin_addr.s_addr) >> 24 == 127
    case .v6(let address):
      withUnsafeBytes(of: address.address.sin6_addr) { bytes in
        bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
      }
    case .unixDomainSocket: true
    }
  }
}
