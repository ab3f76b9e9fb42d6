import GPSDProtocol
import Libc
import NIOCore
import NIOPosix

/// The address of a daemon.
public enum Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// A Unix stream socket.
  case unix(path: String)
  /// The TCP port for programs that cannot open a Unix socket.
  case tcp(host: String, port: Int)

  /// The default path of the daemon's socket.
  public static let standardPath = "/run/handlebar/location.sock"

  /// The path in the environment variable `HANDLEBAR_SOCKET`, or else the standard path.
  public static var environment: Endpoint {
    guard let value = getenv("HANDLEBAR_SOCKET"), value.pointee != 0 else { return .unix(path: standardPath) }
    return .unix(path: String(cString: value))
  }

  /// The path, or `host:port`.
  public var description: String {
    switch self {
    case .unix(let path): path
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }

  /// Connects on an event loop, within 5 s.
  package func connect(
    on eventLoop: any EventLoop, _ initialize: @escaping @Sendable (any Channel) throws -> Void
  ) -> EventLoopFuture<any Channel> {
    let bootstrap = ClientBootstrap(group: eventLoop)
      .connectTimeout(.seconds(5))
      .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try initialize(channel) } }
    switch self {
    case .unix(let path): return bootstrap.connect(unixDomainSocketPath: path)
    case .tcp(let host, let port):
      return
        bootstrap
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        // Detects within 25 s a host that vanished without closing.
        .channelOption(.socketOption(.so_keepalive), value: 1)
        .channelOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)), value: 10)
        .channelOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPINTVL)), value: 5)
        .channelOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPCNT)), value: 3)
        #if !canImport(Darwin)
          // While requests wait for it, nothing is probed.
          .channelOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)), value: 25_000)
        #endif
        .connect(host: host, port: port)
    }
  }
}

extension Channel {
  package func send(_ requests: [Request]) {
    var lines = JSONLine(capacity: 256)
    for request in requests { request.write(into: &lines) }
    writeAndFlush(ByteBuffer(bytes: lines.bytes), promise: nil)
  }
}
