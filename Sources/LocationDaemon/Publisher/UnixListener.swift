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
    // In this order: while this socket listens no other instance takes the path, and no new file gets its inode.
    path.removeIfOurs()
    channel?.close(promise: nil)
  }
}
