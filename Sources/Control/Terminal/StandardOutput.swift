import Glibc
import SystemPackage

/// Standard output: whole lines at once. A closed pipe ends the program quietly.
enum StandardOutput {
  static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Makes a closed pipe an error of `write` instead of a signal.
  static func prepare() { signal(SIGPIPE, SIG_IGN) }
  static func line(_ text: String) { write(Array((text + "\n").utf8)) }
  static func line(_ bytes: [UInt8]) { write(bytes + [UInt8(ascii: "\n")]) }

  static func lines(_ lines: [String]) {
    for text in lines { line(text) }
  }

  /// Writes all bytes. Ends the program with 0 when the pipe is closed, else with 74 on an error.
  static func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do {
        rest = try rest.dropFirst(rest.withUnsafeBytes { try FileDescriptor.standardOutput.write($0) })
      } catch Errno.resourceTemporarilyUnavailable {
        var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        poll(&descriptor, 1, -1)
      } catch Errno.brokenPipe {
        Glibc.exit(0)
      } catch {
        StandardError.say("cannot write the output: \(error); free some space or choose another place")
        Glibc.exit(EX_IOERR)
      }
    }
  }
}

enum StandardError {
  static let isTerminal = isatty(STDERR_FILENO) == 1

  static func say(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
    write("handlebarctl: \(lines.joined(separator: "\n"))\n")
  }
  static func write(_ text: String) { _ = try? FileDescriptor.standardError.writeAll(text.utf8) }
}

/// Colours: on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
struct Style: Hashable {
  /// Colour or weight, by its SGR code.
  enum Colour: Int {
    case bold = 1, dim = 2
    case red = 31, green = 32, yellow = 33
  }

  let isColoured: Bool

  static let standardOutput = Style(
    isColoured: StandardOutput.isTerminal && Environment["NO_COLOR"] == nil && Environment["TERM"] != "dumb")

  func text(_ text: String, _ colour: Colour) -> String {
    isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// A line of characters up to the last that is no space, each in its colour.
  func line(_ cells: [(character: Character, colour: Colour?)]) -> String {
    cells.map { character, colour in
      character == " " ? " " : colour.map { text(String(character), $0) } ?? String(character)
    }.joined().withoutEndingSpaces
  }
}

/// Environment variables; an empty one counts as absent.
enum Environment {
  static subscript(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  static var temporaryDirectory: String {
    ["XDG_RUNTIME_DIR", "TMPDIR"].lazy.compactMap { self[$0] }.first {
      $0.hasPrefix("/") && access($0, W_OK | X_OK) == 0
    } ?? "/tmp"
  }
}

/// One line on standard error after a second without a result, if that is a terminal.
struct WaitNotice {
  private let task: Task<Void, Never>

  init(_ what: String) {
    task = Task {
      guard StandardError.isTerminal, (try? await Task.sleep(for: .seconds(1))) != nil else { return }
      StandardError.say("\(what) …")
    }
  }

  func end() { task.cancel() }
}

/// The place in a long input, once a second on a terminal.
struct ReadingProgress {
  private var next = ContinuousClock.now + .seconds(1)
  private var isShown = false

  mutating func report(_ place: @autoclosure () -> String) {
    guard StandardError.isTerminal, ContinuousClock.now >= next else { return }
    next = .now + .seconds(1)
    isShown = true
    StandardError.write("\r\(place()) …")
  }

  func end() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }
}
