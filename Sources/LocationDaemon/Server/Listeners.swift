import Glibc
import NIOCore
import NIOPosix
import SystemPackage

/// A listening Unix socket.
package final class UnixListener {
  /// The socket file; `nil` for a socket from the service manager, whose file is kept.
  private let path: UnixSocketPath?
  private let acceptor: Acceptor

  /// Binds `path` and accepts connections on `loop`.
  package convenience init(
    path: String, mode: UInt16, group: String?, dialect: Dialect, server: Server, on loop: any EventLoop
  ) throws(UnixSocketPath.Failure) {
    let (socket, path) = try UnixSocketPath.listen(at: path, mode: mode, group: group)
    self.init(socket: socket, at: path, dialect: dialect, server: server, on: loop)
  }

  /// Accepts connections of a listening socket.
  package init(
    socket: Int32, at path: UnixSocketPath? = nil, dialect: Dialect, server: Server, on loop: any EventLoop
  ) {
    self.path = path
    acceptor = Acceptor(socket, dialect: dialect, server: server, on: loop)
  }

  /// Stops accepting and removes the socket file.
  package func close() {
    // No other process takes the path while the socket is open.
    path?.removeIfOurs()
    acceptor.close()
  }
}

/// A listening TCP socket for gpsd clients.
package final class TCPListener {
  /// An address that cannot be bound.
  package enum Failure: Error, Hashable, CustomStringConvertible {
    case taken(NetworkAddress)
    case system(NetworkAddress, Errno)

    package var description: String {
      switch self {
      case .taken(let address):
        let owner =
          address.port == GPSDOptions.defaultPort
          ? "probably gpsd: stop it (systemctl stop gpsd.socket gpsd)" : "stop the program that listens there"
        let other = NetworkAddress(host: address.host, port: address.port + 1)
        return "\(address) is taken, \(owner), or choose another port with --tcp \(other)"
      case .system(let address, let error):
        return "cannot listen on \(address): \(error); choose another address with --tcp"
      }
    }
  }

  private let acceptor: Acceptor

  /// Listens on all addresses; `localhost` is 127.0.0.1 and, if the machine has it, ::1.
  static func listen(
    on addresses: [NetworkAddress], server: Server, loop: any EventLoop
  ) throws(Failure) -> [TCPListener] {
    var listeners: [TCPListener] = []
    for address in addresses {
      guard address.host == "localhost" else {
        listeners.append(TCPListener(socket: try bind(address), server, loop))
        continue
      }
      let ipv4 = NetworkAddress(host: "127.0.0.1", port: address.port)
      listeners.append(TCPListener(socket: try bind(ipv4), server, loop))
      do throws(Failure) {
        let ipv6 = NetworkAddress(host: "::1", port: address.port)
        listeners.append(TCPListener(socket: try bind(ipv6), server, loop))
      } catch {
        // A machine without IPv6 is served on IPv4 alone.
        guard case .system(_, let code) = error, code == .addressNotAvailable || code == .addressFamilyNotSupported
        else { throw error }
      }
    }
    return listeners
  }

  /// Accepts connections of a listening socket.
  init(socket: Int32, _ server: Server, _ loop: any EventLoop) {
    acceptor = Acceptor(socket, isTCP: true, dialect: .gpsd, server: server, on: loop)
  }

  /// Stops accepting.
  func close() {
    acceptor.close()
  }

  private static func bind(_ address: NetworkAddress) throws(Failure) -> Int32 {
    guard let target = address.literal else { throw .system(address, .addressNotAvailable) }
    do throws(Errno) {
      let socket = try FileDescriptor.socket(address.isIPv6 ? AF_INET6 : AF_INET, SOCK_STREAM)
      do throws(Errno) {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout.size(ofValue: on))
        setsockopt(socket.rawValue, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if address.isIPv6 { setsockopt(socket.rawValue, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        try Errno.check {
          target.withSockAddr { pointer, size in Glibc.bind(socket.rawValue, pointer, socklen_t(size)) }
        }
        try Errno.check { Glibc.listen(socket.rawValue, Acceptor.backlog) }
        return socket.rawValue
      } catch {
        try? socket.close()
        throw error
      }
    } catch {
      throw error == .addressInUse ? .taken(address) : .system(address, error)
    }
  }
}

/// The acceptor of a listening socket's connections.
private final class Acceptor {
  /// Size of a client's send buffer in the kernel, bytes: a few fixes instead of minutes of stale ones.
  private static let sendBuffer: SocketOptionValue = 4096

  /// Connections that may wait in the kernel.
  static let backlog: Int32 = 512

  private let handler: AcceptGuard
  private var channel: (any Channel)?

  init(
    _ socket: Int32, isTCP: Bool = false, dialect: Dialect, server: Server, on loop: any EventLoop
  ) {
    handler = AcceptGuard(server: server)
    let acceptHandler = NIOLoopBound(handler, eventLoop: loop)
    let publisherOnLoop = NIOLoopBound(server, eventLoop: loop)
    var bootstrap = ServerBootstrap(group: loop)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(acceptHandler.value) }
      }
      .childChannelOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let client = ClientHandler(server: publisherOnLoop.value, dialect: dialect)
          try channel.pipeline.syncOperations.addHandler(client)
        }
      }
    if isTCP { bootstrap = bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1) }
    bootstrap.withBoundSocket(socket).assumeIsolated().whenComplete { result in
      switch result {
      case .success(let channel):
        self.channel = channel
        // `withBoundSocket` has called listen(2) with a backlog of 128, whatever the option says.
        Glibc.listen(socket, Self.backlog)
        server.warnIfPublic(channel.localAddress)
      case .failure(let error): server.listenerFailed(error)
      }
    }
  }

  func close() {
    handler.isClosing = true
    channel?.close(promise: nil)
  }
}

/// The error handler of a listening socket.
///
/// Without a free descriptor the waiting client keeps the socket readable, so accepting pauses instead of spinning;
/// NIO's `AcceptBackoffHandler` does not prevent that. An error that closes the channel is reported.
final class AcceptGuard: ChannelInboundHandler {
  typealias InboundIn = any Channel

  /// The listening socket was closed by an error.
  struct Lost: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  private static let pause = TimeAmount.seconds(1)
  private let server: Server
  private var lastError: (any Error)?
  /// Whether the channel is being closed on purpose.
  var isClosing = false

  init(server: Server) {
    self.server = server
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    lastError = error
    server.didFailToAccept(error)
    let channel = context.channel
    channel.setOption(.autoRead, value: false).whenFailure { _ in }
    channel.eventLoop.scheduleTask(in: Self.pause) { channel.setOption(.autoRead, value: true).whenFailure { _ in } }
  }

  func channelInactive(context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    server.listenerFailed(
      Lost(description: "the listening socket was lost" + (lastError.map { ": \($0)" } ?? "")))
  }
}
