import CBench
import Glibc

/// A child process, stopped with its owner.
final class Child {
  let pid: pid_t
  private var isRunning = true

  /// Starts a program with its output in `log`.
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

  /// Whether it is still running.
  var isAlive: Bool {
    if isRunning, waitpid(pid, nil, WNOHANG) == pid { didEnd() }
    return isRunning
  }

  /// Terminates it; kills it after 2 s.
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

  /// Waits for its end and returns its CPU time, nanoseconds; an exit status other than 0 is an error.
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

/// The resources that a process has used, all of its threads together.
struct Usage {
  /// CPU time, nanoseconds.
  var cpu: Int64 = 0
  /// Wake-ups: voluntary context switches.
  var wakeups: Int64 = 0
  /// Read system calls.
  var reads: Int64 = 0

  init(of pid: pid_t) throws {
    guard let folder = opendir("/proc/\(pid)/task") else { throw Failure("/proc/\(pid)/task") }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let thread = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard thread.first != "." else { continue }
      let base = "/proc/\(pid)/task/\(thread)"
      cpu += Int64(try Scratch.text(of: "\(base)/schedstat").split(separator: " ").first ?? "") ?? 0
      wakeups += try field("voluntary_ctxt_switches:", of: "\(base)/status")
    }
    reads = try field("syscr:", of: "/proc/\(pid)/io")
  }

  private init() {}

  /// The resources used between two instants.
  static func - (later: Usage, earlier: Usage) -> Usage {
    var difference = Usage()
    difference.cpu = later.cpu - earlier.cpu
    difference.wakeups = later.wakeups - earlier.wakeups
    difference.reads = later.reads - earlier.reads
    return difference
  }
}

/// The memory of a process, kB.
struct Memory {
  /// Resident.
  let rss: Double
  /// Anonymous: backed by no file.
  let anonymous: Double

  init(of pid: pid_t) throws {
    let path = "/proc/\(pid)/smaps_rollup"
    rss = Double(try field("Rss:", of: path))
    anonymous = Double(try field("Anonymous:", of: path))
  }
}

private func field(_ name: String, of path: String) throws -> Int64 {
  for line in try Scratch.text(of: path).split(separator: "\n") where line.hasPrefix(name) {
    let value = line.dropFirst(name.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).first
    if let number = value.flatMap({ Int64($0) }) { return number }
  }
  throw Failure("\(path) has no \(name)")
}
