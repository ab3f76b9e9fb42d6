import Glibc
import Libc
import SystemPackage

/// The path of a listening Unix socket. A live owner keeps it, and the file is removed only if it is still ours.
package struct UnixSocketPath {
  let path: String
  private let device: DeviceID
  private let inode: Inode

  /// Binds a listening socket to `path` with exactly `mode` and `group`.
  static func listen(at path: String, mode: UInt16, group: String?, backlog: Int32 = 512) throws(ListeningError) -> (
    socket: Int32, path: UnixSocketPath
  ) {
    var groupID: gid_t?
    if let group {
      guard let entry = getgrnam(group) else {
        throw ListeningError("there is no group \"\(group)\"; create it with: groupadd --system \(group)")
      }
      groupID = entry.pointee.gr_gid
    }
    guard let address = UnixAddress(path: path) else { throw failure("bind", path, .fileNameTooLong) }
    // The lock makes check, removal and bind one step for all instances.
    let lock = try lock(path)
    defer {
      unlink(lockFile(of: path))
      try? lock.close()
    }
    try removeStaleSocket(at: path, address)

    let socket = try makeSocket(for: path)
    var isBound = false
    do throws(ListeningError) {
      // No client may connect before mode and group are set; umask(2), which the file would take, affects all threads.
      try perform("set the mode of", path) { fchmod(socket.rawValue, 0o600) }
      try perform("bind", path) { address.withSocketAddress { Glibc.bind(socket.rawValue, $0, $1) } }
      isBound = true
      return (socket.rawValue, try serve(socket, at: path, mode: mode, group: groupID, backlog: backlog))
    } catch {
      if isBound { unlink(path) }
      try? socket.close()
      throw error
    }
  }

  func removeIfOurs() {
    guard let status = try? Stat(path, followTargetSymlink: false) else { return }
    if status.deviceID == device, status.inode == inode { unlink(path) }
  }

  /// `O_PATH` (open(2)) and `AT_EMPTY_PATH` (fchownat(2)), which glibc declares only with GNU extensions.
  private static let (pathOnly, emptyPath): (CInt, CInt) = (0o1000_0000, 0x1000)

  private static func serve(
    _ socket: FileDescriptor, at path: String, mode: UInt16, group: gid_t?, backlog: Int32
  ) throws(ListeningError) -> UnixSocketPath {
    // The file itself, not what is at its path by then: who owns the directory could have put another one there.
    let file = FileDescriptor(
      rawValue: try perform("open", path) { open(path, pathOnly | O_NOFOLLOW | O_CLOEXEC) })
    defer { try? file.close() }
    var status = stat()
    try perform("examine", path) { fstat(file.rawValue, &status) }
    guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid(), status.st_nlink == 1 else {
      throw ListeningError(
        "\(path) was replaced by another process; choose a path in a directory that only you can change")
    }
    if let group {
      try perform("set the group of", path) { fchownat(file.rawValue, "", uid_t.max, group, emptyPath) }
    }
    try perform("set the mode of", path) { chmod("/proc/self/fd/\(file.rawValue)", mode_t(mode)) }
    try perform("listen on", path) { Glibc.listen(socket.rawValue, backlog) }
    return UnixSocketPath(
      path: path, device: DeviceID(rawValue: status.st_dev), inode: Inode(rawValue: status.st_ino))
  }

  /// Attempts to lock the path, 10 ms apart (5 s).
  private static let lockAttempts = 500
  private static let lockPause: useconds_t = 10_000

  private static func lockFile(of path: String) -> String { path + ".lock" }

  /// Locks a file beside the socket that only its owner can open: any user could hold a lock on the directory.
  private static func lock(_ path: String) throws(ListeningError) -> FileDescriptor {
    let name = lockFile(of: path)
    for _ in 0..<lockAttempts {
      let file = FileDescriptor(
        rawValue: try perform("create", name) { open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) })
      let isLocked = flock(file.rawValue, LOCK_EX | LOCK_NB) == 0
      let error = Errno(rawValue: errno)
      var status = stat()
      // Another instance that was faster has removed the file.
      if isLocked, fstat(file.rawValue, &status) == 0, status.st_nlink > 0 { return file }
      try? file.close()
      guard isLocked || error == .wouldBlock || error == .interrupted else {
        throw failure("lock", name, error)
      }
      usleep(lockPause)
    }
    throw failure("lock", name, .wouldBlock)
  }

  private static func removeStaleSocket(at path: String, _ address: UnixAddress) throws(ListeningError) {
    guard let status = try? Stat(path, followTargetSymlink: false) else { return }
    guard status.type == .socket else {
      throw ListeningError("\(path) exists and is not a socket; move it away, or choose another path")
    }
    let probe = try makeSocket(for: path)
    defer { try? probe.close() }
    do throws(Errno) {
      try Errno.check { address.withSocketAddress { connect(probe.rawValue, $0, $1) } }
    } catch .connectionRefused, .noSuchFileOrDirectory {
      unlink(path)
      return
    } catch {
      // A full backlog (EAGAIN), or a socket without permission to connect, has a live owner too.
    }
    let owner = PeerCredentials(of: probe.rawValue).map { "process \($0.pid)" } ?? "another process"
    throw ListeningError("\(path) is in use by \(owner); stop it, or choose another path with --socket")
  }

  private static func makeSocket(for path: String) throws(ListeningError) -> FileDescriptor {
    do throws(Errno) {
      return try FileDescriptor.socket(AF_UNIX, SOCK_STREAM)
    } catch {
      throw failure("create a socket for", path, error)
    }
  }

  /// Runs a system call; its error names the operation and the path.
  @discardableResult
  private static func perform(_ operation: String, _ path: String, _ call: () -> CInt) throws(ListeningError) -> CInt {
    do throws(Errno) {
      return try Errno.check(call)
    } catch {
      throw failure(operation, path, error)
    }
  }

  private static func failure(_ operation: String, _ path: String, _ error: Errno) -> ListeningError {
    ListeningError("cannot \(operation) \(path): \(error)")
  }
}
