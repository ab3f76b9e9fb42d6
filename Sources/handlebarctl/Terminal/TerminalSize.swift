import Glibc

/// How much a terminal shows.
struct TerminalSize: Equatable {
  var columns = 80
  var rows = 24
  /// Whether it has more than ASCII, as far as the locale tells.
  var isUnicode = true

  /// That of standard output; `COLUMNS` and `LINES` win, 80 × 24 where nothing is known.
  static var standardOutput: TerminalSize {
    var size = TerminalSize()
    var window = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 {
      if window.ws_col > 0 { size.columns = Int(window.ws_col) }
      if window.ws_row > 0 { size.rows = Int(window.ws_row) }
    }
    if let columns = number("COLUMNS") { size.columns = columns }
    if let rows = number("LINES") { size.rows = rows }
    size.isUnicode = isUnicode(["LC_ALL", "LC_CTYPE", "LANG"].compactMap(value).first { !$0.isEmpty })
    return size
  }

  /// Whether a locale of that name is one of UTF-8.
  static func isUnicode(_ locale: String?) -> Bool {
    guard let locale = locale?.lowercased() else { return false }
    return locale.contains("utf-8") || locale.contains("utf8")
  }

  private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  private static func number(_ name: String) -> Int? {
    value(name).flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
  }
}
