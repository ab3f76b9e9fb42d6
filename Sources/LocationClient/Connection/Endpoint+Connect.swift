import NIOCore
import NIOPosix

extension Endpoint {
  /// Connects on an event loop, within 5 s.
  func connect(
    on eventLoop: any EventLoop, _ initialize: @escaping @Sendable (any Channel) throws -> Void
  ) -> EventLoopFuture<any Channel> {
    let bootstrap = ClientBootstrap(group: eventLoop)
      .connectTimeout(.seconds(5))
      .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try initialize(channel) } }
    switch self {
    case .unix(let path): return bootstrap.connect(unixDomainSocketPath: path)
    case .tcp(let host, let port):
      return bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1).connect(host: host, port: port)
    }
  }
}
