import Glibc

extension ReplayDaemon {
  /// Whether it listens at its socket. Another daemon may own that: only the process that was started here counts.
  var isListening: Bool {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(socket.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.count < room else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    // `struct ucred` of unix(7): process, user, group.
    var owner: (Int32, UInt32, UInt32) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: owner))
    guard isConnected, getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &owner, &length) == 0 else { return false }
    return owner.0 == child
  }
}
