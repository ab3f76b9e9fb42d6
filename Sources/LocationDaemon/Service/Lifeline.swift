import Glibc
import NIOCore
import NIOPosix

/// Standard input as the sign that the program that started this one is still there: it holds the other end of the
/// pipe, and however it ends, the kernel closes that.
///
/// `PR_SET_PDEATHSIG` tells of the end of the thread that started this process, and nothing at all when that came
/// before the call.
final class Lifeline {
  private var channel: (any Channel)?

  /// Calls `onEnd` on the loop once standard input is at its end.
  init(on loop: any EventLoop, onEnd: @escaping () -> Void) {
    let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard descriptor >= 0 else {
      onEnd()
      return
    }
    let handler = NIOLoopBound(LifelineHandler(onEnd), eventLoop: loop)
    NIOPipeBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
      }
      .takingOwnershipOfDescriptor(input: descriptor)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .success(let channel): self.channel = channel
        // No pipe, so there is nobody at its other end.
        case .failure: onEnd()
        }
      }
  }

  /// Stops listening.
  func close() {
    channel?.close(promise: nil)
  }
}

private final class LifelineHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let onEnd: () -> Void

  init(_ onEnd: @escaping () -> Void) {
    self.onEnd = onEnd
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // What is said there is of no interest.
  }

  func channelInactive(context: ChannelHandlerContext) {
    onEnd()
  }
}
