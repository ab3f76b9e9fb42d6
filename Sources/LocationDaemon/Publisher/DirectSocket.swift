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

  /// Writes what the kernel takes now, and removes it from `lines`. An error takes nothing: the channel meets it
  /// again and ends the connection for it.
  func write(_ lines: inout ByteBuffer) {
    let count = lines.withUnsafeReadableBytes { bytes in
      send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
    }
    if count > 0 { lines.moveReaderIndex(forwardBy: count) }
  }
}
