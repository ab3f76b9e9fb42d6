import ArgumentParser
import Glibc

/// Where results go: whole lines at once, and a reader that has gone away ends the program quietly.
enum StandardOutput {
  /// Whether a person looks at it.
  static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// Writes a line.
  static func line(_ text: String) {
    write(Array((text + "\n").utf8))
  }

  /// Writes bytes that end with a line.
  static func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        poll(&descriptor, 1, -1)
      } else if errno != EINTR {
        if errno == EPIPE { Glibc.exit(0) }
        StandardError.say(
          "cannot write the output: \(String(cString: strerror(errno))); free some space or choose another place")
        Glibc.exit(EX_IOERR)
      }
    }
  }

  /// A reader that has gone away is an error of `write`, not a signal.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
  }
}

/// Where a person is told what is not the result.
enum StandardError {
  /// Whether a person looks at it.
  static let isTerminal = isatty(STDERR_FILENO) == 1

  /// Writes one line under the program's name.
  static func say(_ text: String) {
    write("handlebarctl: \(text)\n")
  }

  /// Writes text as it is.
  static func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
