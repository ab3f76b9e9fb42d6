import GPSDProtocol
import LocationCore

extension [UInt8] {
  /// Appends a finite number rounded to `decimals` places (0 to 9), half away from zero, without trailing zeros if
  /// `trimmed`. No exponent: larger numbers become ± 9 × 10⁸.
  package mutating func append(fixed number: Double, decimals: Int, trimmed: Bool = true) {
    let bounded = number.isFinite ? Swift.min(Swift.max(number, -9e8), 9e8) : 0
    append(room: JSONLine.numberRoom) { JSONLine.number(bounded, decimals: decimals, trimmed: trimmed, at: $0) }
  }

  /// Appends an instant as `YYYY-MM-DDThh:mm:ss[.sss]Z`, truncated to milliseconds, without decimals on a full second.
  package mutating func append(iso8601 instant: UTCInstant) {
    instant.write(into: &self, decimals: instant.nanosecondsOfDay / 1_000_000 % 1000 > 0 ? 3 : 0)
  }

  package mutating func append(_ text: StaticString) { text.withUTF8Buffer { append(contentsOf: $0) } }

  mutating func append(element name: StaticString, _ write: (inout Self) -> Void) {
    append("<")
    append(name)
    append(">")
    write(&self)
    append("</")
    append(name)
    append(">")
  }

  /// Appends an XML element with a number, or nothing without a finite one.
  mutating func append(element name: StaticString, _ value: Double?, decimals: Int) {
    if let value, value.isFinite { append(element: name) { $0.append(fixed: value, decimals: decimals) } }
  }

  /// Appends text as XML character data or attribute value; characters that XML forbids become `?`.
  package mutating func append(xml text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": append("&amp;")
      case "<": append("&lt;")
      case ">": append("&gt;")
      case "\"": append("&quot;")
      case "\u{9}", "\u{A}", "\u{D}": append(" ")
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": append("?")
      default: append(contentsOf: String(scalar).utf8)
      }
    }
  }
}

extension String {
  /// With `?` for what could steer a terminal or turn a line's order: control characters, direction marks, separators.
  package var printable: String {
    let scalars = unicodeScalars.map { scalar -> Unicode.Scalar in
      switch scalar.value {
      case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: "?"
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// The first of the names that is the least changed to become this one, in capitals or not, and by how many insertions,
  /// deletions, replacements and swaps of neighbours (Damerau and Levenshtein).
  package func nearest(among names: [String]) -> (name: String, distance: Int)? {
    let wanted = Array(lowercased())
    return names.map { (name: $0, distance: Self.distance(wanted, Array($0))) }.min { $0.distance < $1.distance }
  }

  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var previous: [Int] = []
    var row = Array(0...other.count)
    for (i, left) in one.enumerated() {
      var next = [i + 1]
      for (j, right) in other.enumerated() {
        var best = Swift.min(row[j] + (left == right ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, left == other[j - 1], one[i - 1] == right { best = Swift.min(best, previous[j - 1] + 1) }
        next.append(best)
      }
      previous = row
      row = next
    }
    return row[other.count]
  }

  init(_ append: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    append(&bytes)
    self.init(decoding: bytes, as: UTF8.self)
  }

  init(fixed number: Double, decimals: Int, trimmed: Bool = true) {
    self.init { $0.append(fixed: number, decimals: decimals, trimmed: trimmed) }
  }

  init(iso8601 instant: UTCInstant) { self.init { $0.append(iso8601: instant) } }
}
