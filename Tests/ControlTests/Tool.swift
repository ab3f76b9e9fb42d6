import Glibc
import NIOPosix

/// The built program, run as a shell would.
struct Tool {
  struct Outcome: Sendable {
    var code: Int32
    var output: String
    var errors: String
  }

  /// Beside the program that runs the tests; `nil` when it was not built.
  static let path: String? = {
    guard let own = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(own) }
    let path = String(cString: own).split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/handlebarctl"
    return access(path, X_OK) == 0 ? path : nil
  }()

  /// Runs it to its end.
  static func run(_ arguments: String..., input: [UInt8] = [], closesOutput: Bool = false) async throws -> Outcome {
    try await run(arguments, input: input, closesOutput: closesOutput)
  }

  /// Runs it to its end.
  static func run(_ arguments: [String], input: [UInt8] = [], closesOutput: Bool = false) async throws -> Outcome {
    try await NIOThreadPool.singleton.runIfActive { try spawn(arguments, input, closesOutput) }
  }

  private static func spawn(_ arguments: [String], _ input: [UInt8], _ closesOutput: Bool) throws -> Outcome {
    let files = try (0..<3).map { _ in try TemporaryFile() }
    try files[0].write(input)
    let output = try closesOutput ? closedPipe() : files[1].descriptor
    defer { if closesOutput { close(output) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, files[0].descriptor, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, files[2].descriptor, 2)
    var words: [UnsafeMutablePointer<CChar>?] = ([path ?? ""] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    let failure = posix_spawn(&child, path ?? "", &actions, nil, &words, environ)
    guard failure == 0 else { throw IOFailure(code: failure) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    return Outcome(code: code, output: try files[1].text(), errors: try files[2].text())
  }
}

extension Tool {
  /// The writing end of a pipe that no one reads. By a name, as a program that another test starts would inherit the
  /// reading end of pipe(2).
  private static func closedPipe() throws -> Int32 {
    let path = "/tmp/tool-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    guard mkfifo(path, 0o600) == 0 else { throw IOFailure(code: errno) }
    defer { unlink(path) }
    let reading = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard reading >= 0 else { throw IOFailure(code: errno) }
    defer { close(reading) }
    let writing = open(path, O_WRONLY | O_CLOEXEC)
    guard writing >= 0 else { throw IOFailure(code: errno) }
    return writing
  }
}

struct IOFailure: Error {
  var code: Int32
}

/// A file without a name.
final class TemporaryFile {
  let descriptor: Int32

  init() throws {
    var template = Array("/tmp/tool-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw IOFailure(code: errno) }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(descriptor) }

  func write(_ bytes: [UInt8]) throws {
    guard bytes.isEmpty || Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw IOFailure(code: errno)
    }
    lseek(descriptor, 0, SEEK_SET)
  }

  func text() throws -> String {
    lseek(descriptor, 0, SEEK_SET)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
