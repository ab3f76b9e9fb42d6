import Glibc
import NIOCore

/// The socket under a channel, to write to at once: the way through the channel costs several times what the
/// kernel does, and is needed only for what the kernel does not take.
///
/// Nothing may wait in the channel, or the order is lost; and the channel must not have been closed.
struct DirectSocket {
  private let descriptor: CInt

  /// `nil` for a channel that is no socket.
  init?(of channel: any Channel) {
    let operations = channel.pipeline.syncOperations
    guard let handle = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self, { $0 }) else {
      return nil
    }
    descriptor = handle
  }

  /// Writes what the kernel takes now, and removes it from `lines`. Returns whether the connection still stands; an
  /// error takes nothing: the channel meets it again and ends the connection for it.
  func write(_ lines: inout ByteBuffer) -> Bool {
    let count = lines.withUnsafeReadableBytes { bytes in
      send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
    }
    guard count >= 0 else { return errno == EAGAIN || errno == EINTR || errno == ENOBUFS }
    lines.moveReaderIndex(forwardBy: count)
    return true
  }
}
