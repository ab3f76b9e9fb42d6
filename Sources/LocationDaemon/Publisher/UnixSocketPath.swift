import Glibc

/// The path of a listening Unix socket, taken without stealing it from a live owner and given back only while
/// it is still ours.
package struct UnixSocketPath {
  /// Why a path cannot be had.
  package enum Failure: Error, Hashable, CustomStringConvertible {
    /// Another process listens there; 0 when its number cannot be known.
    case owned(path: String, pid: Int32)
    /// Something that is not a socket stands there.
    case notASocket(path: String)
    /// No group of that name.
    case noGroup(String)
    case system(operation: String, path: String, code: Int32)

    package var description: String {
      switch self {
      case .owned(let path, let pid):
        let owner = pid > 0 ? "process \(pid)" : "another process"
        return "\(path) is served by \(owner); stop it, or choose another path with --socket"
      case .notASocket(let path): return "\(path) exists and is not a socket; move it away, or choose another path"
      case .noGroup(let name): return "there is no group \"\(name)\"; create it with: groupadd --system \(name)"
      case .system(let operation, let path, let code):
        return "cannot \(operation) \(path): \(String(cString: strerror(code)))"
      }
    }
  }

  /// The path.
  let path: String
  private let identity: FileIdentity

  /// Binds a listening socket to `path` with exactly `mode` and `group`.
  static func listen(at path: String, mode: UInt16, group: String?, backlog: Int32 = 512) throws(Failure) -> (
    socket: Int32, path: UnixSocketPath
  ) {
    var groupID: gid_t?
    if let group {
      guard let entry = getgrnam(group) else { throw .noGroup(group) }
      groupID = entry.pointee.gr_gid
    }
    // The directory's lock makes looking, unlinking and binding one step for every instance.
    let directory = try lockDirectory(of: path)
    defer { close(directory) }
    try removeStaleSocket(at: path)

    let socket = try makeSocket(path: path)
    do throws(Failure) {
      try bind(socket, to: path)
    } catch {
      close(socket)
      throw error
    }
    do throws(Failure) {
      return (socket, try serve(socket, at: path, mode: mode, group: groupID, backlog: backlog))
    } catch {
      unlink(path)
      close(socket)
      throw error
    }
  }

  private static func serve(
    _ socket: Int32, at path: String, mode: UInt16, group: gid_t?, backlog: Int32
  ) throws(Failure) -> UnixSocketPath {
    if let group, chown(path, uid_t.max, group) != 0 {
      throw .system(operation: "set the group of", path: path, code: errno)
    }
    guard chmod(path, mode_t(mode)) == 0 else {
      throw .system(operation: "set the mode of", path: path, code: errno)
    }
    guard Glibc.listen(socket, backlog) == 0 else {
      throw .system(operation: "listen on", path: path, code: errno)
    }
    guard let identity = FileIdentity(path: path) else {
      throw .system(operation: "look at", path: path, code: errno)
    }
    return UnixSocketPath(path: path, identity: identity)
  }

  /// Removes the socket file if it is still the one that was bound.
  func removeIfOurs() {
    if FileIdentity(path: path) == identity { unlink(path) }
  }

  /// Attempts, microseconds apart: 5 s.
  private static let lockAttempts = 500
  private static let lockPause: useconds_t = 10_000

  private static func lockDirectory(of path: String) throws(Failure) -> Int32 {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(operation: "open the directory", path: directory, code: errno) }
    // Another instance holds the lock for a moment; a stranger could hold it for ever.
    for _ in 0..<lockAttempts {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(lockPause)
    }
    let code = errno
    close(descriptor)
    throw .system(operation: "lock the directory", path: directory, code: code)
  }

  private static func removeStaleSocket(at path: String) throws(Failure) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    let probe = try makeSocket(path: path)
    defer { close(probe) }
    if withAddress(of: path, { connect(probe, $0, $1) }) == 0 {
      throw .owned(path: path, pid: PeerCredentials(of: probe)?.pid ?? 0)
    }
    // A full backlog (EAGAIN) or a socket we may not connect to is a live owner as well.
    guard errno == ECONNREFUSED || errno == ENOENT else { throw .owned(path: path, pid: 0) }
    unlink(path)
  }

  private static func makeSocket(path: String) throws(Failure) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .system(operation: "make a socket for", path: path, code: errno) }
    return descriptor
  }

  private static func bind(_ socket: Int32, to path: String) throws(Failure) {
    // Nobody may connect before mode and group are set. The file gets the mode of the socket (unix(7)); umask(2) would
    // do as well, but for every thread.
    guard fchmod(socket, 0o600) == 0 else {
      throw .system(operation: "set the mode of", path: path, code: errno)
    }
    guard withAddress(of: path, { Glibc.bind(socket, $0, $1) }) == 0 else {
      throw .system(operation: "bind", path: path, code: errno)
    }
  }

  private static func withAddress(of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
