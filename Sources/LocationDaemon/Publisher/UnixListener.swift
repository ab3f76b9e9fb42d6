import Glibc
import NIOCore
import NIOPosix

/// The listening Unix socket.
package final class UnixListener {
  private let path: UnixSocketPath
  private var channel: (any Channel)?

  /// What the kernel may hold for a client that does not read. It is small, so that what waits there is not stale:
  /// a few fixes instead of minutes of them.
  private static let sendBuffer: SocketOptionValue = 4096

  /// Binds `path` and begins to accept on `loop`.
  package init(
    path: String, mode: UInt16, group: String?, publisher: Publisher, on loop: any EventLoop
  ) throws(UnixSocketPath.Failure) {
    let (socket, path) = try UnixSocketPath.listen(at: path, mode: mode, group: group)
    self.path = path
    let bound = NIOLoopBound(publisher, eventLoop: loop)
    ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 512)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptPause(publisher: bound.value))
        }
      }
      .childChannelOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ClientHandler(publisher: bound.value))
        }
      }
      .withBoundSocket(socket)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .success(let channel): self.channel = channel
        case .failure(let error): publisher.listenerFailed(error)
        }
      }
  }

  /// Removes the socket file and stops accepting.
  package func close() {
    // While it is still served nobody else takes the path: what is removed is ours.
    path.removeIfOurs()
    channel?.close(promise: nil)
  }
}

/// Without a free descriptor the client that waits keeps the socket readable: it is left alone for a while, or the
/// daemon would do nothing but try. `AcceptBackoffHandler` does not help: the channel goes on by itself.
private final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = any Channel
  private static let length = TimeAmount.seconds(1)
  private let publisher: Publisher

  init(publisher: Publisher) {
    self.publisher = publisher
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    publisher.didFailToAccept(error)
    let channel = context.channel
    channel.setOption(.autoRead, value: false).whenFailure { _ in }
    channel.eventLoop.scheduleTask(in: Self.length) { channel.setOption(.autoRead, value: true).whenFailure { _ in } }
  }
}
