import Glibc

/// Colours, on a terminal and unless `NO_COLOR` is set.
struct Style {
  enum Colour: Int {
    case red = 31
    case green = 32
    case yellow = 33
    case dim = 2
  }

  let isColoured: Bool

  /// What standard output takes.
  static let standardOutput = Style(
    isColoured: StandardOutput.isTerminal && !isSet("NO_COLOR") && !isSet("TERM", to: "dumb"))

  func text(_ text: String, _ colour: Colour) -> String {
    isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  private static func isSet(_ name: String, to value: String? = nil) -> Bool {
    guard let found = getenv(name), found.pointee != 0 else { return false }
    return value.map { $0 == String(cString: found) } ?? true
  }
}
