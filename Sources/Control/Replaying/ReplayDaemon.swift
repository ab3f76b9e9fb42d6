import ArgumentParser
import Glibc
import Libc
import LocationClient
import Recordings
import Subprocess
import Synchronization
import SystemPackage

/// A `handlebard` that plays for one command, with a socket of its own unless one is named. The child ends however this
/// program ends; its temporary directory is removed unless this program was killed.
struct ReplayDaemon: Sendable {
  /// Why `run` ends: with a code, or because the daemon ended, whose code counts then unless it is 0.
  enum Outcome: Sendable {
    case code(Int32)
    case daemonEnded
  }

  private struct Leftovers {
    var child: pid_t = 0
    var directory: String?
  }

  private static let leftovers = Mutex(Leftovers())
  let socket: String
  private let program: String
  private let source: String

  /// Finds the program and makes a directory for the socket, unless a path is given.
  init(source: String, socket: String?) throws(ExitCode) {
    guard let program = DaemonProgram.path else {
      throw CommandError.exit(
        "handlebard is neither beside this program nor in PATH; install it beside handlebarctl", code: EX_UNAVAILABLE)
    }
    self.program = program
    self.source = source
    if let socket {
      self.socket = socket
    } else {
      let directory = try Self.makeDirectory()
      self.socket = directory + "/location.sock"
      Self.leftovers.withLock { $0.directory = directory }
    }
    atexit { ReplayDaemon.removeLeftovers() }
  }

  /// Runs the daemon as long as `body`, which gets its process and lines of standard error; returns the exit code.
  func run(
    _ body: @Sendable (pid_t, SubprocessOutputSequence.StringSequence<UTF8>) async -> Outcome
  ) async throws(ExitCode) -> Int32 {
    // The installed daemon's settings do not apply to this one.
    let arguments = [
      "--config", "/dev/null", "--socket", socket, "--source", source, "--log-level", "warning", "--ends-with-input",
    ]
    var options = PlatformOptions()
    // ^C and ^Z on the terminal are for this program; it ends the daemon in its own time.
    options.processGroupID = 0
    defer { Self.removeLeftovers() }
    do {
      let result = try await Subprocess.run(
        .path(FilePath(program)), arguments: Arguments(arguments), environment: .custom(Self.environment),
        platformOptions: options, input: .inputWriter, output: .discarded, error: .sequence
      ) { execution in
        let child = execution.processIdentifier.value
        Self.leftovers.withLock { $0.child = child }
        let outcome = await body(child, execution.standardError.strings())
        await execution.teardown(using: [.gracefulShutDown(allowedDurationToNextStep: .seconds(5))])
        Self.leftovers.withLock { $0.child = 0 }
        return outcome
      }
      switch (result.closureResult, result.terminationStatus) {
      case (.code(let code), _): return code
      case (.daemonEnded, .exited(let code)): return code == 0 ? EX_SOFTWARE : code
      case (.daemonEnded, .signaled(let signal)): return 128 + signal
      }
    } catch {
      throw CommandError.exit("cannot start \(program): \(error)", code: EX_OSERR)
    }
  }

  private static func removeLeftovers() {
    leftovers.withLock { leftovers in
      if leftovers.child > 0 { kill(leftovers.child, SIGTERM) }
      leftovers.child = 0
      guard let directory = leftovers.directory else { return }
      unlink(directory + "/location.sock")
      rmdir(directory)
      leftovers.directory = nil
    }
  }

  private static func makeDirectory() throws(ExitCode) -> String {
    var place = Environment.temporaryDirectory
    // A socket's path has at most 107 bytes (unix(7)).
    if place.utf8.count > 60 { place = "/tmp" }
    var template = Array((place + "/handlebar-replay-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CommandError.exit(
        "cannot make a directory for a socket in \(place): \(Errno(rawValue: errno))", code: EX_OSERR)
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static var environment: [Subprocess.Environment.Key: String] {
    var all: [Subprocess.Environment.Key: String] = [:]
    // The state directory of a service, such as the map's, is not this daemon's.
    for (name, value) in ProcessEnvironment.process
    where !name.hasPrefix("HANDLEBAR_") && name != "STATE_DIRECTORY" { all[.init(stringLiteral: name)] = value }
    return all
  }

  /// Waits until the process listens at the socket, which another daemon may own; false after 10 s.
  func waitUntilListening(_ child: pid_t) async -> Bool {
    let limit = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < limit {
      if Endpoint.unix(path: socket).listener == child { return true }
      guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return false }
    }
    return false
  }
}

enum DaemonProgram {
  /// Beside this program, where an installation puts it, or in `PATH`; `nil` when there is none.
  static var path: String? {
    var places = ["/usr/sbin", "/usr/local/sbin"]
    if let own = Link.resolved("/proc/self/exe") {
      let directory = own.split(separator: "/").dropLast().map { "/" + $0 }.joined()
      places = [directory, directory + "/../sbin"] + places
    }
    places += (Environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return places.map { $0 + "/handlebard" }.first { access($0, X_OK) == 0 }
  }
}

enum ReplayURI {
  /// The files in their order, if all of them can be read; else the command ends.
  static func text(ofReadable files: [String], speed: String, loops: Bool) throws(ExitCode) -> String {
    for file in files {
      do throws(RecordingError) {
        _ = try RecordingReader.format(ofFileAt: file)
      } catch {
        throw CommandError.exit("\(error)", code: error.reason == .unknownFormat ? EX_DATAERR : EX_NOINPUT)
      }
    }
    return text(files: files, speed: speed, loops: loops)
  }

  /// The files in their order, from the first subscriber on.
  static func text(files: [String], speed: String, loops: Bool) -> String {
    var text = "recording:" + encoded(files.first ?? "") + "?speed=\(speed)&start=watch"
    if loops { text += "&loop=true" }
    for file in files.dropFirst() { text += "&then=" + encoded(file) }
    return text
  }

  static func encoded(_ path: String) -> String {
    path.utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      let isPlain = character.isASCII && (character.isLetter || character.isNumber || "/.-_~".contains(character))
      return isPlain ? "\(character)" : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
