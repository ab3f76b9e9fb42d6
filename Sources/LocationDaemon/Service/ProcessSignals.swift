import Glibc
import Libc
import NIOCore
import SystemPackage

final class ProcessSignals {
  private var channel: (any Channel)?
  /// Called on the loop for each signal. Until the loop runs, signals wait in the pipe.
  var onSignal: (Int32) -> Void = { _ in }

  init(_ signals: [Int32], on loop: any EventLoop) throws {
    guard let pipe = SignalPipe.open(signals) else { throw Errno(rawValue: errno) }
    let handler = ByteHandler { bytes in for byte in bytes.readableBytesView { self.onSignal(Int32(byte)) } }
    handler.read(FileDescriptor(rawValue: pipe), on: loop).whenSuccess { self.channel = $0 }
  }

  func close() { channel?.close(promise: nil) }
}

/// Standard input as the parent's sign of life: however the parent exits, the kernel closes its write end of the pipe.
/// `PR_SET_PDEATHSIG` reports the exit of the parent's thread instead, and nothing if the parent exited before that.
final class Lifeline {
  private var channel: (any Channel)?

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
