import Glibc

/// A child process, killed when the object is released.
final class ChildProcess {
  let pid: pid_t
  private var code: Int32?

  /// Starts a program with output to the file `output`; `descriptor` becomes its descriptor 3.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], output: String, descriptor: Int32? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, 3) }
    // Threads of a pool block every signal, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    // The environment contains the report paths of sanitizers.
    var environment = environment
    for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] { environment[name] = getenv(name).map { String(cString: $0) } }
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child = pid_t()
    let code = posix_spawnp(&child, program, &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw SystemFailure("start \(program)", code: code) }
    pid = child
  }

  deinit {
    guard exitCode == nil else { return }
    kill(pid, SIGKILL)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }

  /// The exit code, 128 plus the signal, or `nil` while it runs.
  var exitCode: Int32? {
    if let code { return code }
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
    code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    return code
  }

  /// The name of the program that it executes.
  var name: String {
    let descriptor = open("/proc/\(pid)/comm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &text, text.count)
    return String(decoding: text.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  func signal(_ number: Int32) {
    if exitCode == nil { kill(pid, number) }
  }

  /// Waits for the exit.
  func waitForEnd(within duration: Duration = Deadline.timeout) throws -> Int32 {
    try until("the end of process \(pid)", within: duration) { exitCode }
  }
}
