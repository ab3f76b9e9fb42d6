import Glibc
import NIOCore
import NIOPosix
import Synchronization
import SystemPackage

/// Turns signals into bytes on a pipe that the event loop reads; a signal handler can do little more than write.
package final class SignalPipe {
  private static let writeEnd = Atomic<Int32>(-1)
  private var channel: (any Channel)?

  /// Catches `signals` from now on and calls `onSignal` on the loop for each.
  package init(_ signals: [Int32], on loop: any EventLoop, _ onSignal: @escaping (Int32) -> Void) throws {
    let pipe = try FileDescriptor.pipe(options: [.closeOnExec, .nonBlocking])
    Self.writeEnd.store(pipe.writeEnd.rawValue, ordering: .releasing)
    let handler = ByteHandler { bytes in for byte in bytes.readableBytesView { onSignal(Int32(byte)) } }
    handler.read(pipe.readEnd, on: loop).whenSuccess { self.channel = $0 }
    for number in signals {
      // With SA_RESTART (signal(7)).
      signal(number) { number in
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = saved
      }
    }
  }

  package func close() { channel?.close(promise: nil) }
}

/// Holds back signals that arrive before their handler is set.
final class EarlySignals {
  private var pending: [Int32] = []
  private var handler: ((Int32) -> Void)?

  /// Passes a signal on, or holds it back, once for each number.
  func take(_ number: Int32) {
    if let handler { handler(number) } else if !pending.contains(number) { pending.append(number) }
  }

  /// Sets the handler, and passes it the signals held back.
  func handle(_ body: @escaping (Int32) -> Void) {
    handler = body
    for number in pending { body(number) }
    pending = []
  }
}

/// Standard input as the parent's sign of life: however the parent exits, the kernel closes its write end of the pipe.
/// `PR_SET_PDEATHSIG` reports the exit of the parent's thread instead, and nothing if the parent exited before that.
final class Lifeline {
  private var channel: (any Channel)?

  /// Calls `onEnd` on the loop when standard input ends.
  init(on loop: any EventLoop, onEnd: @escaping () -> Void) {
    let duplicate = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard duplicate >= 0 else {
      onEnd()
      return
    }
    ByteHandler(onRead: { _ in }, onEnd: onEnd)
      .read(FileDescriptor(rawValue: duplicate), on: loop)
      .whenComplete { result in
        switch result {
        case .success(let channel): self.channel = channel
        // Standard input is not a pipe, so there is no parent to wait for.
        case .failure: onEnd()
        }
      }
  }

  func close() { channel?.close(promise: nil) }
}

/// Passes the bytes of a channel, and its end, to closures. They are released with the channel.
final class ByteHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let onRead: (ByteBuffer) -> Void
  private let onEnd: () -> Void

  init(onRead: @escaping (ByteBuffer) -> Void, onEnd: @escaping () -> Void = {}) {
    self.onRead = onRead
    self.onEnd = onEnd
  }

  /// Starts to read `descriptor`, which the channel closes at its end.
  func read(_ descriptor: FileDescriptor, on loop: any EventLoop) -> EventLoopFuture<any Channel>.Isolated {
    let handler = NIOLoopBound(self, eventLoop: loop)
    return NIOPipeBootstrap(group: loop)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
      .channelOption(.maxMessagesPerRead, value: 16)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
      }
      .takingOwnershipOfDescriptor(input: descriptor.rawValue)
      .assumeIsolated()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { onRead(unwrapInboundIn(data)) }
  func channelInactive(context: ChannelHandlerContext) { onEnd() }
  // A terminal whose peer is gone answers a read with EIO; `channelInactive` follows.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  // There is no handler after this one.
  func channelReadComplete(context: ChannelHandlerContext) {}
}
