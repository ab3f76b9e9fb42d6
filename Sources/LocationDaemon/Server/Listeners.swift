import LocationCore
import Glibc
import NIOCore
import NIOPosix
import SystemPackage

package final class Listener {
  /// Size of a client's send buffer in the kernel, bytes: a few fixes instead of minutes of stale ones.
  private static let sendBuffer: SocketOptionValue = 4096
  private static let backlog: Int32 = 512

  /// The socket file; `nil` for TCP, and for a socket from the service manager, whose file is kept.
  private let path: UnixSocketPath?
  private let handler: AcceptGuard
  private var channel: (any Channel)?

  init(_ socket: Int32, at path: UnixSocketPath? = nil, _ dialect: Dialect, server: Server, on loop: any EventLoop) {
    self.path = path
    handler = AcceptGuard(server: server)
    let acceptHandler = NIOLoopBound(handler, eventLoop: loop)
    let serverOnLoop = NIOLoopBound(server, eventLoop: loop)
    var bootstrap = ServerBootstrap(group: loop)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(acceptHandler.value) }
      }
      .childChannelOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let client = ClientHandler(server: serverOnLoop.value, dialect: dialect)
          try channel.pipeline.syncOperations.addHandler(client)
        }
      }
    if dialect == .gpsd { bootstrap = bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1) }
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
    // No other process takes the path while the socket is open.
    path?.removeIfOurs()
    handler.isClosing = true
    channel?.close(promise: nil)
  }

  /// Listening sockets of all addresses; `localhost` is 127.0.0.1 and, if the machine has it, ::1.
  static func sockets(on addresses: [NetworkAddress]) throws(ListeningError) -> [Int32] {
    var sockets: [Int32] = []
    for address in addresses {
      let isLocalhost = address.host == "localhost"
      for host in isLocalhost ? ["127.0.0.1", "::1"] : [address.host] {
        let address = NetworkAddress(host: host, port: address.port)
        do throws(Errno) {
          sockets.append(try bind(address))
        } catch {
          // A machine without IPv6 is served on IPv4 alone.
          let isMissing = error == .addressNotAvailable || error == .addressFamilyNotSupported
          guard isMissing, isLocalhost, address.isIPv6 else { throw failure(address, error) }
        }
      }
    }
    return sockets
  }

  private static func bind(_ address: NetworkAddress) throws(Errno) -> Int32 {
    guard let target = address.literal else { throw .addressNotAvailable }
    let socket = try FileDescriptor.socket(address.isIPv6 ? AF_INET6 : AF_INET, SOCK_STREAM)
    do throws(Errno) {
      var on: Int32 = 1
      let size = socklen_t(MemoryLayout.size(ofValue: on))
      setsockopt(socket.rawValue, SOL_SOCKET, SO_REUSEADDR, &on, size)
      if address.isIPv6 { setsockopt(socket.rawValue, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
      try Errno.check {
        target.withSockAddr { pointer, size in Glibc.bind(socket.rawValue, pointer, socklen_t(size)) }
      }
      try Errno.check { Glibc.listen(socket.rawValue, backlog) }
      return socket.rawValue
    } catch {
      try? socket.close()
      throw error
    }
  }

  private static func failure(_ address: NetworkAddress, _ error: Errno) -> ListeningError {
    guard error == .addressInUse else {
      return ListeningError("cannot listen on \(address): \(error); choose another address with --tcp")
    }
    let owner =
      address.port == GPSDOptions.defaultPort
      ? "probably gpsd: stop it (systemctl stop gpsd.socket gpsd)" : "stop the program that listens there"
    let other = NetworkAddress(host: address.host, port: address.port + 1)
    return ListeningError("\(address) is taken, \(owner), or choose another port with --tcp \(other)")
  }
}

/// The error handler of a listening socket. Without a free descriptor the waiting client keeps the socket readable, so
/// accepting pauses: NIO's `AcceptBackoffHandler` does not prevent spinning. An error that closes it is reported.
final class AcceptGuard: ChannelInboundHandler {
  typealias InboundIn = any Channel

  struct Lost: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  private static let pause = TimeAmount.seconds(1)
  private let server: Server
  private var lastError: (any Error)?
  var isClosing = false

  init(server: Server) { self.server = server }

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
    server.listenerFailed(Lost(description: "the listening socket was lost" + (lastError.map { ": \($0)" } ?? "")))
  }
}
