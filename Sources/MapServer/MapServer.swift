import Glibc
import LocationClient
import NIOCore
import NIOPosix

/// The web server of the map page: its files, map tiles, and for each browser a WebSocket with the daemon's protocol,
/// all on one event loop. Every viewer has its own connection to the daemon, for its follow state and so that a slow
/// viewer holds up no other: while it does not read, the daemon keeps the newest fix and pose for it.
package struct MapServer: Sendable {
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
      .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try shared.configure(channel) } }
    let channel: any Channel
    do {
      channel = try await bootstrap.bind(host: address.host, port: address.port).get()
    } catch {
      let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
      throw .cannotListen(address, reason: reason ?? "\(error)")
    }
    let bound = HostAddress(host: address.host, port: channel.localAddress?.port ?? address.port)
    let isLoopback = channel.localAddress?.isLoopback ?? false
    let access = Access(names: [bound.host] + hostNames, port: bound.port, token: isLoopback ? nil : Access.makeToken())
    shared.open(access)
    let query = access.token.map { "?token=\($0)" } ?? ""
    return MapServer(url: "http://\(reachable(bound))/\(query)", hasToken: access.token != nil)
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

  /// The names of this machine; mDNS makes it known under the second.
  private static var hostNames: [String] { HostAddress.thisMachine.map { [$0, "\($0).local"] } ?? [] }
}

extension SocketAddress {
  fileprivate var isLoopback: Bool { ipAddress.map { $0 == "::1" || $0.hasPrefix("127.") } ?? false }
}
