import Glibc
import LocationClient
import LocationCore
import NIOCore
import NIOPosix

/// The web server of the map page: its files, map tiles, and for each browser a WebSocket with the daemon's protocol,
/// all on one event loop. Every viewer has its own connection to the daemon, for its follow state and so that a slow
/// viewer holds up no other: while it does not read, the daemon keeps the newest fix and pose for it.
package struct MapServer: Sendable {
  package enum Listener: Sendable {
    case address(NetworkAddress)
    /// A listening TCP socket of the service manager.
    case socket(CInt)
  }

  /// Most bytes read from a connection at a time, so that little waits where one asks more than it reads.
  static let readSize = 4096
  /// The address of the page, with the token if there is one.
  package let url: String
  /// Whether the address has a token, which only those may read who may use the server.
  package let hasToken: Bool

  /// Listens. Browsers need the token unless the address is of the loopback interface, or always. Only then they may
  /// control the ride: every user of this machine can connect to that interface.
  package static func start(
    on listener: Listener, daemon: Endpoint, tiles: Result<MapTiles, MapFailure>? = nil,
    alwaysNeedsToken: Bool = false, startsRiding: Bool = false, secrets: (_ port: Int) -> MapSecrets,
    keep: @escaping @Sendable (MapSecrets, _ port: Int) -> Void
  ) async throws(MapFailure) -> MapServer {
    returnMemory()
    let files = try PageFiles(tiles: tiles, startsRiding: startsRiding)
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let service = MapService(files: files, tiles: try? tiles?.get(), daemon: daemon, keep: keep)
    let bootstrap = ServerBootstrap(group: loop)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 1024)
      // The request that the service manager starts the server for waits in the socket until it can be judged.
      .serverChannelOption(.autoRead, value: false)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Turnstile(service)) }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: readSize))
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try service.configure(channel) } }
    let (channel, bound) = try await bind(bootstrap, to: listener)
    let needsToken = alwaysNeedsToken || !(channel.localAddress?.isLoopback ?? false)
    let access = Access(
      names: [bound.host] + hostNames, port: bound.port, secrets: needsToken ? secrets(bound.port) : nil)
    service.open(access)
    try? await channel.setOption(.autoRead, value: true).get()
    let query = access.secrets.map { "?token=\($0.token)" } ?? ""
    return MapServer(url: "http://\(reachable(bound))/\(query)", hasToken: access.secrets != nil)
  }

  /// Makes each large buffer a mapping of its own (mallopt(3)): a tile that is sent is memory for others at once. By
  /// itself the allocator takes all but the first from its heap, where they leave holes.
  private static func returnMemory() {
    let mmapThreshold: CInt = -3
    guard let mallopt = dlsym(nil, "mallopt") else { return }
    _ = unsafeBitCast(mallopt, to: (@convention(c) (CInt, CInt) -> CInt).self)(mmapThreshold, 128 << 10)
  }

  private static func bind(
    _ bootstrap: ServerBootstrap, to listener: Listener
  ) async throws(MapFailure) -> (any Channel, NetworkAddress) {
    switch listener {
    case .address(let address):
      do {
        let channel = try await bootstrap.bind(host: address.host, port: address.port).get()
        return (channel, NetworkAddress(host: address.host, port: channel.localAddress?.port ?? address.port))
      } catch {
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
        throw .listener("cannot listen on \(address): \(reason ?? "\(error)"); choose another address with --listen")
      }
    case .socket(let descriptor):
      guard let channel = try? await bootstrap.withBoundSocket(descriptor).get(),
        let address = channel.localAddress, let host = address.ipAddress, let port = address.port
      else {
        throw .listener("the service manager passes no listening TCP socket; correct ListenStream= of its socket unit")
      }
      return (channel, NetworkAddress(host: host, port: port))
    }
  }

  /// The address of a page on all addresses of this machine.
  package static func url(port: Int, token: String) -> String {
    "http://\(reachable(NetworkAddress(host: "::", port: port)))/?token=\(token)"
  }

  /// An address that others can open: in place of "all addresses", the first one of the machine.
  private static func reachable(_ address: NetworkAddress) -> NetworkAddress {
    guard ["0.0.0.0", "::"].contains(address.host) else { return address }
    let own = (try? System.enumerateDevices())?.lazy.compactMap(\.address).first { address in
      if case .v4 = address { !address.isLoopback } else { false }
    }
    guard let host = own?.ipAddress ?? hostNames.first else { return address }
    return NetworkAddress(host: host, port: address.port)
  }

  /// The names of this machine; mDNS makes it known under the second.
  private static var hostNames: [String] { NetworkAddress.thisMachine.map { [$0, "\($0).local"] } ?? [] }
}

extension SocketAddress {
  fileprivate var isLoopback: Bool { ipAddress.map { $0 == "::1" || $0.hasPrefix("127.") } ?? false }
}
