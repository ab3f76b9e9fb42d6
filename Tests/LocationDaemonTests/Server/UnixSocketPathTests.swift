import Glibc
import SystemPackage
import Testing

@testable import LocationDaemon

@Suite("Path of a listening socket")
struct UnixSocketPathTests {
  private let directory: ScratchDirectory
  private var path: String { directory / "s" }

  init() throws { directory = try ScratchDirectory() }

  @Test(arguments: [0o600, 0o660, 0o666, 0o640] as [UInt16])
  func `The socket has exactly the given mode and group`(_ mode: UInt16) throws {
    let group = String(cString: try #require(getgrgid(getegid())).pointee.gr_name)
    let (socket, own) = try UnixSocketPath.listen(at: path, mode: mode, group: group)
    defer { close(socket) }
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFSOCK)
    #expect(status.st_mode & 0o7777 == mode_t(mode))
    #expect(status.st_gid == getegid())
    #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0)
    #expect(fcntl(socket, F_GETFL) & O_NONBLOCK != 0)
    #expect(try TestClient(to: path) != nil)
    own.removeIfOurs()
    #expect(access(path, F_OK) != 0)
  }

  @Test func `A stale socket is replaced`() throws {
    let (dead, _) = try UnixSocketPath.listen(at: path, mode: 0o600, group: nil)
    close(dead)
    // A child that another test is starting has the socket until it executes its program.
    _ = try until("the end of the socket") { try TestClient(to: path) == nil ? true : nil }
    let (socket, own) = try UnixSocketPath.listen(at: path, mode: 0o600, group: nil)
    defer { close(socket) }
    #expect(try TestClient(to: path) != nil)
    own.removeIfOurs()
  }

  @Test func `A live owner is named and keeps its socket`() throws {
    let (socket, _) = try UnixSocketPath.listen(at: path, mode: 0o600, group: nil)
    defer { close(socket) }
    let failure = ListeningError(
      "\(path) is in use by process \(getpid()); stop it, or choose another path with --socket")
    #expect(throws: failure) { try UnixSocketPath.listen(at: path, mode: 0o600, group: nil) }
    #expect(try TestClient(to: path) != nil)
  }

  @Test func `An owner with a full backlog keeps its socket`() throws {
    let (socket, _) = try UnixSocketPath.listen(at: path, mode: 0o600, group: nil, backlog: 0)
    defer { close(socket) }
    let waiting = try TestClient(to: path)
    #expect(waiting != nil)
    #expect(
      throws: ListeningError("\(path) is in use by another process; stop it, or choose another path with --socket")
    ) { try UnixSocketPath.listen(at: path, mode: 0o600, group: nil) }
  }

  @Test func `A file that is not a socket is kept`() throws {
    try directory.write("mine", to: "s")
    #expect(throws: ListeningError("\(path) exists and is not a socket; move it away, or choose another path")) {
      try UnixSocketPath.listen(at: path, mode: 0o600, group: nil)
    }
    #expect(directory.read("s") == "mine")
  }

  @Test func `A link is not followed and is kept`() throws {
    let (socket, _) = try UnixSocketPath.listen(at: directory / "other", mode: 0o600, group: nil)
    defer { close(socket) }
    try directory.link("s", to: directory / "other")
    #expect(throws: ListeningError("\(path) exists and is not a socket; move it away, or choose another path")) {
      try UnixSocketPath.listen(at: path, mode: 0o600, group: nil)
    }
    #expect(try TestClient(to: path) != nil)
  }

  @Test func `A missing group is reported before anything is changed`() throws {
    #expect(
      throws: ListeningError(#"there is no group "no-such-group"; create it with: groupadd --system no-such-group"#)
    ) { try UnixSocketPath.listen(at: path, mode: 0o600, group: "no-such-group") }
    #expect(access(path, F_OK) != 0)
  }

  @Test func `A missing directory is named`() {
    let missing = directory / "missing"
    #expect(
      throws: ListeningError("cannot create \(missing)/s.lock: No such file or directory")
    ) { try UnixSocketPath.listen(at: missing + "/s", mode: 0o600, group: nil) }
  }

  @Test func `Nobody who can read the directory keeps a daemon from listening`() throws {
    let lock = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let (socket, own) = try UnixSocketPath.listen(at: path, mode: 0o600, group: nil)
    defer { close(socket) }
    #expect(directory.names == ["s"])
    own.removeIfOurs()
  }

  @Test func `A link at the path of the lock is not followed`() throws {
    try directory.write("", to: "other")
    try directory.link("s.lock", to: "other")
    #expect(throws: ListeningError.self) { try UnixSocketPath.listen(at: path, mode: 0o600, group: nil) }
  }

  @Test func `Only the own file is removed`() throws {
    let (socket, own) = try UnixSocketPath.listen(at: path, mode: 0o600, group: nil)
    defer { close(socket) }
    unlink(path)
    own.removeIfOurs()
    let (successor, theirs) = try UnixSocketPath.listen(at: path, mode: 0o600, group: nil)
    defer { close(successor) }
    own.removeIfOurs()
    #expect(try TestClient(to: path) != nil)
    theirs.removeIfOurs()
    #expect(access(path, F_OK) != 0)
  }

  @Test(.onOwnThread)
  func `Of many simultaneous instances exactly one listens`() async throws {
    let path = path
    for _ in 0..<20 {
      let sockets = await withTaskGroup(of: Int32?.self) { group in
        for _ in 0..<8 {
          group.addTask { try? UnixSocketPath.listen(at: path, mode: 0o600, group: nil).socket }
        }
        return await group.reduce(into: [Int32]()) { if let socket = $1 { $0.append(socket) } }
      }
      #expect(sockets.count == 1)
      for socket in sockets { close(socket) }
      // A child that another test is starting has the socket until it executes its program.
      while try TestClient(to: path) != nil { usleep(1000) }
    }
  }
}
