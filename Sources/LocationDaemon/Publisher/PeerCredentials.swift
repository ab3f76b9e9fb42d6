import Glibc

/// Who is at the other end of a Unix socket (`SO_PEERCRED`, unix(7)).
struct PeerCredentials: Hashable {
  let pid: Int32
  let uid: UInt32
  let gid: UInt32

  /// The peer of a connected socket; `nil` when the kernel does not tell.
  init?(of socket: Int32) {
    // struct ucred is three 32-bit numbers; glibc declares it for C sources that ask for GNU extensions only.
    var numbers: (Int32, UInt32, UInt32) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: numbers))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &numbers, &length) == 0,
      length == MemoryLayout.size(ofValue: numbers), numbers.0 > 0
    else { return nil }
    (pid, uid, gid) = numbers
  }
}
