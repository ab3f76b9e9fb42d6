import CBench
import Glibc

/// A process that was started here; it ends with its owner.
final class Child {
  let pid: pid_t
  private var isRunning = true

  /// Starts a program. What it says goes to `log`, what it reads comes from `input` or from nowhere.
  init(_ arguments: [String], environment: [String: String] = [:], input: String = "/dev/null", log: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var settings: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") }
    var entry = environ
    while let text = entry.pointee {
      settings.append(strdup(text))
      entry += 1
    }
    settings.append(nil)
    defer { for text in words + settings { free(text) } }
    var child = pid_t()
    let code = posix_spawn(&child, arguments[0], &actions, nil, &words, &settings)
    guard code == 0 else { throw Failure("cannot start \(arguments[0])", code: code) }
    pid = child
    child_guard(child)
  }

  deinit { stop() }

  /// Whether it has not ended by itself.
  var isAlive: Bool {
    if isRunning, waitpid(pid, nil, WNOHANG) == pid { didEnd() }
    return isRunning
  }

  /// Asks it to stop, and does not ask twice.
  func stop() {
    guard isAlive else { return }
    kill(pid, SIGTERM)
    let deadline = Clock.now + 2_000_000_000
    while isAlive, Clock.now < deadline { usleep(500) }
    guard isAlive else { return }
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
    didEnd()
  }

  /// Waits for its end and tells the CPU time it used, nanoseconds; an exit other than 0 is an error.
  func finish() throws -> Int64 {
    var status: Int32 = 0
    var usage = rusage()
    guard isRunning, wait4(pid, &status, 0, &usage) == pid else { throw Failure("wait4") }
    didEnd()
    guard status == 0 else { throw Failure("a program ended with status \(status)") }
    return [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + Int64($1.tv_sec) * 1_000_000_000 + Int64($1.tv_usec) * 1000
    }
  }

  private func didEnd() {
    isRunning = false
    child_release(pid)
  }
}
