import Glibc
import NIOCore

/// Who is at the other end of a Unix socket (`SO_PEERCRED`, unix(7)).
struct PeerCredentials: Hashable {
  let pid: Int32
  let uid: UInt32
  let gid: UInt32

  /// Looks the peer of a channel up; says nothing when the kernel does not.
  static func look(up channel: any Channel, _ body: @escaping (PeerCredentials) -> Void) {
    guard let provider = channel as? any SocketOptionProvider else { return }
    let numbers: EventLoopFuture<Numbers> = provider.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    numbers.assumeIsolated().whenSuccess { numbers in
      if numbers.pid > 0 { body(PeerCredentials(numbers)) }
    }
  }

  /// The peer of a connected socket; `nil` when the kernel does not tell.
  init?(of socket: Int32) {
    var numbers = Numbers()
    var length = socklen_t(MemoryLayout.size(ofValue: numbers))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &numbers, &length) == 0,
      length == MemoryLayout.size(ofValue: numbers), numbers.pid > 0
    else { return nil }
    self.init(numbers)
  }

  private init(_ numbers: Numbers) {
    pid = numbers.pid
    uid = numbers.uid
    gid = numbers.gid
  }

  /// `struct ucred`, which glibc declares only for C sources that ask for GNU extensions.
  private struct Numbers: Sendable {
    var pid: Int32 = 0
    var uid: UInt32 = 0
    var gid: UInt32 = 0
  }
}
