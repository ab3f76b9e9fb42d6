import Glibc

/// Asks the daemon's own check, since only the daemon knows what is right.
enum ConfigurationCheck {
  /// Where the package puts it, and where `make install` may.
  private static let places = ["/usr/sbin/handlebard", "/usr/local/sbin/handlebard"]

  /// What `handlebard --check-config` says of the configuration file in place.
  static func run() -> SystemView.Configuration {
    guard let program = ([besideThis].compactMap { $0 } + places).first(where: { access($0, X_OK) == 0 }) else {
      return .unchecked
    }
    guard let (code, words) = outcome(of: [program, "--check-config"]) else { return .unchecked }
    let line = words.split(whereSeparator: \.isNewline).first.map(String.init) ?? "exit code \(code)"
    let head = "handlebard: "
    return code == 0 ? .right : .wrong(line.hasPrefix(head) ? String(line.dropFirst(head.count)) : line)
  }

  /// The one in the folder of this program.
  private static var besideThis: String? {
    guard let own = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(own) }
    return String(cString: own).split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/handlebard"
  }

  /// Runs a program to its end: its exit code, and what it wrote to standard error.
  private static func outcome(of command: [String]) -> (code: Int32, words: String)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    let failure = posix_spawn(&child, command[0], &actions, nil, &words, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard failure == 0 else { return nil }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(ends[0], &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      if bytes.count < 1 << 16 { bytes += chunk[..<count] }
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    return (status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, String(decoding: bytes, as: UTF8.self))
  }
}
