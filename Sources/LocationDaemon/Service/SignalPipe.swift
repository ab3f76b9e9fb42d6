import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// Turns signals into bytes on a pipe that the event loop reads: a handler may do little more than write.
package final class SignalPipe {
  private static let writeEnd = Atomic<Int32>(-1)
  private var channel: (any Channel)?

  /// Catches `signals` from now on and calls `handle` on the loop for each.
  package init(_ signals: [Int32], on loop: any EventLoop, _ handle: @escaping (Int32) -> Void) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw IOError(errnoCode: errno, reason: "pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    Self.writeEnd.store(ends[1], ordering: .releasing)
    let handler = NIOLoopBound(SignalHandler(handle), eventLoop: loop)
    NIOPipeBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
      }
      .takingOwnershipOfDescriptor(input: ends[0])
      .assumeIsolated()
      .whenSuccess { self.channel = $0 }
    for number in signals {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = saved
      }
      action.sa_flags = Int32(SA_RESTART)
      guard sigaction(number, &action, nil) == 0 else { throw IOError(errnoCode: errno, reason: "sigaction") }
    }
  }

  /// Stops listening.
  package func close() {
    channel?.close(promise: nil)
  }
}

private final class SignalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let handle: (Int32) -> Void

  init(_ handle: @escaping (Int32) -> Void) {
    self.handle = handle
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    for byte in unwrapInboundIn(data).readableBytesView { handle(Int32(byte)) }
  }
}
