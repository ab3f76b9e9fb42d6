import Glibc
import Synchronization

/// A `handlebard` that plays for one command: started with it, ended with it, with a socket of its own unless one is named.
///
/// However this program ends, the child ends; unless it was by SIGKILL what was made for it is removed.
final class ReplayDaemon: Sendable {
  struct Failure: Error {
    var message: String
    var code: Int32
  }

  /// What is to be undone when the program ends.
  private struct Running {
    var child: pid_t = 0
    var folder: String?
    var exitCode: Int32?
  }

  private static let running = Mutex(Running())
  /// From one look whether it has ended to the next, microseconds, and how many.
  private static let step: useconds_t = 1000
  private static let patienceInSteps = 5000

  /// Where it listens.
  let socket: String
  /// Its process.
  let child: pid_t
  /// What it says on standard error.
  let errors: Int32
  /// The other end of its standard input, held for as long as this program is there and closed by whatever ends it.
  private let lifeline: Int32

  /// Starts it; it may not listen yet.
  init(source: String, socket: String?) throws(Failure) {
    guard let program = Self.program else {
      throw Failure(
        message: "handlebard is neither beside this program nor in PATH; install it beside handlebarctl",
        code: EX_UNAVAILABLE)
    }
    var folder: String?
    if let socket {
      self.socket = socket
    } else {
      let made = try Self.makeFolder()
      folder = made
      self.socket = made + "/location.sock"
    }
    let said = try Self.makePipe()
    let input = try Self.makePipe()
    _ = fcntl(said.reading, F_SETFL, O_NONBLOCK)
    errors = said.reading
    lifeline = input.writing
    defer {
      close(said.writing)
      close(input.reading)
    }
    // The installed daemon's settings are not for this one: what it is told is all there is.
    let arguments =
      ["--config", "/dev/null", "--socket", self.socket, "--source", source, "--log-level", "warning"]
      + ["--ends-with-input"]
    do throws(Failure) {
      child = try Self.spawn(program, arguments, input: input.reading, errors: said.writing)
    } catch {
      if let folder { rmdir(folder) }
      throw error
    }
    let started = child
    Self.running.withLock { $0 = Running(child: started, folder: folder) }
    atexit { ReplayDaemon.end() }
  }

  /// The exit code if it has ended.
  var exitCode: Int32? {
    Self.running.withLock { running in
      if running.exitCode == nil, running.child > 0 { Self.reap(&running, options: WNOHANG) }
      return running.exitCode
    }
  }

  /// Ends it and waits for that.
  func stop() { Self.end() }

  private static func end() {
    running.withLock { running in
      if running.exitCode == nil, running.child > 0 {
        kill(running.child, SIGTERM)
        // It stops at once; if it hangs it is not waited for without end.
        for _ in 0..<patienceInSteps where running.exitCode == nil {
          reap(&running, options: WNOHANG)
          if running.exitCode == nil { usleep(step) }
        }
        if running.exitCode == nil {
          kill(running.child, SIGKILL)
          reap(&running, options: 0)
        }
      }
      if let folder = running.folder {
        unlink(folder + "/location.sock")
        rmdir(folder)
        running.folder = nil
      }
    }
  }

  private static func reap(_ running: inout Running, options: Int32) {
    var status: Int32 = 0
    var found: pid_t
    repeat { found = waitpid(running.child, &status, options) } while found < 0 && errno == EINTR
    guard found != 0 else { return }
    running.exitCode = found < 0 ? 0 : status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }

  private static func makeFolder() throws(Failure) -> String {
    var place = setting("XDG_RUNTIME_DIR") ?? setting("TMPDIR") ?? "/tmp"
    // A socket's path holds 107 bytes: unix(7).
    if place.utf8.count > 60 { place = "/tmp" }
    var template = Array((place + "/handlebar-replay-XXXXXX").utf8CString)
    let made = template.withUnsafeMutableBufferPointer { bytes in bytes.baseAddress.map { mkdtemp($0) != nil } ?? false
    }
    guard made else { throw failure("no folder for a socket can be made in \(place)") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A folder that the environment names and that can be written to.
  private static func setting(_ name: String) -> String? {
    guard let path = getenv(name).map({ String(cString: $0) }), path.hasPrefix("/"), access(path, W_OK | X_OK) == 0
    else { return nil }
    return path
  }

  private static func makePipe() throws(Failure) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw failure("a pipe cannot be had") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ program: String, _ arguments: [String], input: Int32, errors: Int32
  ) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What is typed on the terminal is for this program; it ends the daemon in its own time.
    posix_spawnattr_setpgroup(&attributes, 0)
    // The threads of this program's pool hear no signal; the daemon is to hear them all.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    var settings: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for word in words + settings { free(word) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, program, &actions, &attributes, &words, &settings)
    guard code == 0 else {
      throw Failure(message: "cannot start \(program): \(String(cString: strerror(code)))", code: EX_OSERR)
    }
    return child
  }

  private static var environment: [String] {
    var all: [String] = []
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if !text.hasPrefix("HANDLEBAR_") { all.append(text) }
      next += 1
    }
    return all
  }

  /// Beside this program, where an installation puts it, or in `PATH`.
  private static var program: String? {
    var places: [String] = []
    if let own = realpath("/proc/self/exe", nil) {
      defer { free(own) }
      let folder = String(cString: own).split(separator: "/").dropLast().map { "/" + $0 }.joined()
      places = [folder, folder + "/../sbin"]
    }
    if let path = getenv("PATH") { places += String(cString: path).split(separator: ":").map(String.init) }
    return places.map { $0 + "/handlebard" }.first { access($0, X_OK) == 0 }
  }

  private static func failure(_ what: String) -> Failure {
    Failure(message: "\(what): \(String(cString: strerror(errno)))", code: EX_OSERR)
  }
}
