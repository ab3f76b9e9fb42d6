import Glibc

/// A process of `handlebard`, built along with these tests, with its own socket and directory.
final class DaemonUnderTest {
  let directory: ScratchDirectory
  let socket: String
  let process: ChildProcess
  private let logName: String

  /// Starts the daemon with these sources; it may not be ready yet.
  init(
    _ sources: String..., in directory: ScratchDirectory? = nil, arguments: [String] = [],
    environment: [String: String] = [:], asNobody: Bool = false
  ) throws {
    let directory = try directory ?? ScratchDirectory()
    self.directory = directory
    socket = directory / "location.sock"
    logName = "daemon-\(UInt32.random(in: .min ... .max)).log"
    var arguments = ["--socket", socket] + sources.flatMap { ["--source", $0] } + arguments
    var environment = environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    guard asNobody, geteuid() == 0 else {
      process = try ChildProcess(
        Self.program, arguments, environment: environment, output: directory / logName)
      return
    }
    // By descriptor, as other users may not have access to the path.
    let program = open(Self.program, O_RDONLY | O_CLOEXEC)
    guard program >= 0 else { throw SystemFailure("open \(Self.program)") }
    defer { close(program) }
    guard chown(directory.path, 65_534, 65_534) == 0 else { throw SystemFailure("chown") }
    arguments = ["--reuid=65534", "--regid=65534", "--clear-groups", "--", "/proc/self/fd/3"] + arguments
    process = try ChildProcess(
      "setpriv", arguments, environment: environment, output: directory / logName, descriptor: program)
  }

  /// The program, in the directory of the running test bundle.
  static let program: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    let own = String(decoding: path.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/handlebard"
  }()

  var pid: pid_t { process.pid }

  /// The log output.
  var log: String { directory.read(logName) }

  /// The resident memory, bytes.
  var residentBytes: Int {
    let descriptor = open("/proc/\(pid)/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &text, text.count)
    let fields = String(decoding: text.prefix(max(count, 0)), as: UTF8.self).split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Waits until the daemon listens, connects, and reads `VERSION`.
  func connect() throws -> TestClient {
    let client = try until("the daemon's socket") {
      if let code = process.exitCode {
        throw Deadline.Late(description: "handlebard ended with \(code) instead of listening: \(log)")
      }
      return try TestClient(to: socket)
    }
    _ = try client.line("VERSION")
    return client
  }

  /// A connection that receives every fix.
  func watch(filter: Double = 0) throws -> TestClient {
    let client = try connect()
    try client.send(#"?WATCH={"enable":true,"json":true,"distanceFilter":\#(filter)};"#)
    _ = try client.line("WATCH")
    return client
  }

  /// Stops the daemon by a signal; returns its exit code.
  func stop(_ signal: Int32 = SIGTERM) throws -> Int32 {
    process.signal(signal)
    return try process.waitForEnd()
  }
}
