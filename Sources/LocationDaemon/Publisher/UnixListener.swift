import Glibc
import NIOCore
import NIOPosix

/// A listening Unix socket.
package final class UnixListener {
  /// The file that is ours; `nil` for a socket that was handed over and stays.
  private let path: UnixSocketPath?
  private let guardian: AcceptGuard
  private var channel: (any Channel)?

  /// What the kernel may hold for a client that does not read. It is small, so that what waits there is not stale:
  /// a few fixes instead of minutes of them.
  static let sendBuffer: SocketOptionValue = 4096

  /// Binds `path` and begins to accept on `loop`.
  package convenience init(
    path: String, mode: UInt16, group: String?, dialect: Dialect, server: Server, on loop: any EventLoop
  ) throws(UnixSocketPath.Failure) {
    let (socket, path) = try UnixSocketPath.listen(at: path, mode: mode, group: group)
    self.init(socket: socket, at: path, dialect: dialect, server: server, on: loop)
  }

  /// Begins to accept from a socket that listens already.
  package init(
    socket: Int32, at path: UnixSocketPath? = nil, dialect: Dialect, server: Server, on loop: any EventLoop
  ) {
    self.path = path
    self.guardian = AcceptGuard(server: server)
    let guardian = NIOLoopBound(self.guardian, eventLoop: loop)
    let bound = NIOLoopBound(server, eventLoop: loop)
    ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 512)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(guardian.value) }
      }
      .childChannelOption(.socketOption(.so_sndbuf), value: Self.sendBuffer)
      .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ClientHandler(server: bound.value, dialect: dialect))
        }
      }
      .withBoundSocket(socket)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .success(let channel): self.channel = channel
        case .failure(let error): server.listenerFailed(error)
        }
      }
  }

  /// Removes the socket file, if it is ours, and stops accepting.
  package func close() {
    // While it is still served nobody else takes the path: what is removed is ours.
    path?.removeIfOurs()
    guardian.isClosing = true
    channel?.close(promise: nil)
  }
}
