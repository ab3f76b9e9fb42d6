import Glibc
import Synchronization

/// The terminal that the program runs on. Whatever is changed is restored at exit.
enum Terminal {
  /// Small, without the settings: a static `Mutex` of a large struct starts without its value under -O (Swift 6.3.1).
  private struct Changes {
    var hasSettings = false
    var hasScreen = false
  }

  private static let changes = Mutex(Changes())

  private static let isRestoredAtExit = atexit { Terminal.restore() } == 0

  /// Settings of standard input when they were first needed; `nil` without a terminal.
  private static let original: termios? = {
    var settings = termios()
    return tcgetattr(STDIN_FILENO, &settings) == 0 ? settings : nil
  }()

  /// Whether keys can be read: standard input is a terminal, and the program is in its foreground.
  static var hasKeys: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// Whether lines can be rewritten in place on standard output.
  static var hasScreen: Bool {
    guard StandardOutput.isTerminal, let name = Environment["TERM"] else { return false }
    return name != "dumb"
  }

  /// Delivers each key at once without echo. ^C and ^Z remain signals.
  static func readKeys() {
    changes.withLock { changes in
      guard !changes.hasSettings, var settings = original else { return }
      changes.hasSettings = true
      _ = isRestoredAtExit
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }
  }

  /// Switches standard output to the alternate screen, without a cursor.
  static func openScreen() {
    _ = isRestoredAtExit
    let hadScreen = changes.withLock { exchange(&$0.hasScreen, with: true) }
    // Not under the lock: a closed pipe ends the program, which restores the terminal.
    if !hadScreen { StandardOutput.write(Array("\u{1B}[?1049h\u{1B}[?25l".utf8)) }
  }

  static func restore() {
    changes.withLock { changes in
      if changes.hasScreen {
        changes.hasScreen = false
        // Not through StandardOutput, which may be what ends the program.
        let bytes = Array("\u{1B}[?25h\u{1B}[?1049l".utf8)
        _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
      }
      if changes.hasSettings, var settings = original {
        changes.hasSettings = false
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
      }
    }
  }

  /// Columns of standard error; 80 when unknown.
  static var width: Int {
    let window = window(of: STDERR_FILENO)
    return window.ws_col > 0 ? Int(window.ws_col) : 80
  }

  /// Size of a descriptor's terminal; zeros when unknown.
  static func window(of descriptor: Int32) -> winsize {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : winsize()
  }
}

struct TerminalSize: Equatable {
  var columns = 80
  var rows = 24
  /// Whether it shows more than ASCII, by the locale.
  var isUnicode = true

  /// Size of standard output; `COLUMNS` and `LINES` take precedence, 80 × 24 when unknown.
  static var standardOutput: TerminalSize {
    let window = Terminal.window(of: STDOUT_FILENO)
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { Environment[$0]?.lowercased() }.first ?? ""
    return TerminalSize(
      columns: number("COLUMNS", else: window.ws_col) ?? 80, rows: number("LINES", else: window.ws_row) ?? 24,
      isUnicode: locale.contains("utf-8") || locale.contains("utf8"))
  }

  private static func number(_ name: String, else size: UInt16) -> Int? {
    let number = Environment[name].flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
    return number ?? (size > 0 ? Int(size) : nil)
  }
}
