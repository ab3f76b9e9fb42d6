import Glibc
import NIOCore
import Synchronization
import SystemPackage

/// Turns signals into bytes on a pipe that the event loop reads; a signal handler can do little more than write.
final class SignalPipe {
  private static let writeEnd = Atomic<Int32>(-1)
  private var channel: (any Channel)?
  /// Called on the loop for each signal. Until the loop runs, signals wait in the pipe.
  var onSignal: (Int32) -> Void = { _ in }

  /// Catches `signals` from now on.
  init(_ signals: [Int32], on loop: any EventLoop) throws {
    let pipe = try FileDescriptor.pipe(options: [.closeOnExec, .nonBlocking])
    Self.writeEnd.store(pipe.writeEnd.rawValue, ordering: .releasing)
    let handler = ByteHandler { bytes in for byte in bytes.readableBytesView { self.onSignal(Int32(byte)) } }
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

  func close() { channel?.close(promise: nil) }
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
