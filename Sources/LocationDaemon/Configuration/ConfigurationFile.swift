import SystemPackage
import TOMLKit

/// A value of a configuration file.
package enum ConfigurationValue: Hashable, Sendable {
  case text(String)
  case integer(Int)
  case number(Double)
  case flag(Bool)
  case list([ConfigurationValue])
  case table([String: ConfigurationValue])
  /// A date or a time.
  case time

  fileprivate init(_ node: any TOMLValueConvertible) {
    self =
      if let text = node.string {
        .text(text)
      } else if let flag = node.bool {
        .flag(flag)
      } else if let integer = node.int {
        .integer(integer)
      } else if let number = node.double {
        .number(number)
      } else if let array = node.array {
        .list(array.map { ConfigurationValue($0) })
      } else if let table = node.table {
        .table(
          Dictionary(uniqueKeysWithValues: table.keys.compactMap { key in table[key].map { (key, Self($0)) } }))
      } else {
        .time
      }
  }

  /// The type, for error messages.
  var kind: String {
    switch self {
    case .text: "a string"
    case .integer: "an integer"
    case .number: "a number"
    case .flag: "true or false"
    case .list: "an array"
    case .table: "a table"
    case .time: "a date or time"
    }
  }
}

/// A parsed configuration file: its top-level entries in file order.
package struct ConfigurationFile: Hashable, Sendable {
  /// A top-level key with its value.
  package struct Entry: Hashable, Sendable {
    package let key: String
    let value: ConfigurationValue
    /// Line of the key, from 1.
    let line: Int?
    /// Lines of the elements of an array, from 1.
    let elementLines: [Int]
  }

  /// Path of the file that is read if no other is named.
  package static let standardPath = "/etc/handlebar/handlebard.toml"
  private static let maximumSize = 1 << 20

  package let path: String
  package let entries: [Entry]

  /// Reads and parses the file at `path`.
  package init(path: String) throws(ConfigurationError) {
    try self.init(path: path, text: Self.read(path))
  }

  /// Parses `text` as the content of the file at `path`.
  package init(path: String, text: String) throws(ConfigurationError) {
    self.path = path
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      let words = error.description.split(whereSeparator: \.isNewline).joined(separator: " ")
      throw ConfigurationError(key: "syntax", message: words, place: "\(path):\(error.source.begin.line)")
    } catch {
      throw ConfigurationError(key: "syntax", message: "\(error)", place: path)
    }
    let lines = TOMLLines(of: text)
    // The parser sorts by name; errors are reported in file order.
    entries = table.keys.compactMap { key in
      table[key].map {
        Entry(
          key: key, value: ConfigurationValue($0), line: lines.keys[key], elementLines: lines.elements[key] ?? [])
      }
    }.sorted { ($0.line ?? .max, $0.key) < ($1.line ?? .max, $1.key) }
  }

  /// `FILE:LINE`, or the file alone if the line is unknown.
  func place(of line: Int?) -> String { path + (line.map { ":\($0)" } ?? "") }

  private static func read(_ path: String) throws(ConfigurationError) -> String {
    func failure(_ message: String) -> ConfigurationError { ConfigurationError(key: path, message: message) }
    let bytes: [UInt8]
    do {
      bytes = try FileDescriptor.contents(of: path, limit: maximumSize + 1)
    } catch Errno.noSuchFileOrDirectory {
      throw failure("there is no such file; name another with --config")
    } catch Errno.permissionDenied {
      throw failure("permission denied; let this user read it: chmod o+r \(path)")
    } catch {
      throw failure("the file cannot be read: \(error)")
    }
    guard bytes.count <= maximumSize else {
      throw failure("the file is larger than 1 MiB; name a configuration file with --config")
    }
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw failure("the file is not UTF-8 text; save it as UTF-8")
    }
    return text
  }
}

/// Lines of the top-level keys and array elements in a valid TOML text; the parser reports lines only for syntax errors.
struct TOMLLines {
  /// The line on which each top-level key or table first appears, from 1.
  private(set) var keys: [String: Int] = [:]
  /// The line of each `[[key]]` header, or of each element in `key = [...]`, from 1.
  private(set) var elements: [String: [Int]] = [:]

  private var rest: ArraySlice<UInt8>
  private var line = 1

  init(of text: String) {
    rest = Array(text.utf8)[...]
    var isTopLevel = true
    while let byte = skipBlanks() {
      let isHeader = byte == UInt8(ascii: "[")
      let isElement = isHeader && rest.dropFirst().first == byte
      let key = takeKey(until: isHeader ? UInt8(ascii: "]") : UInt8(ascii: "="))
      if isHeader { isTopLevel = false }
      if isHeader || isTopLevel, keys[key] == nil { keys[key] = line }
      if isElement { elements[key, default: []].append(line) }
      if isHeader { rest = rest.drop { $0 != UInt8(ascii: "\n") } } else { skipValue(of: isTopLevel ? key : nil) }
    }
  }

  /// Skips white space and comments; returns the byte behind them.
  private mutating func skipBlanks() -> UInt8? {
    while let byte = rest.first {
      switch byte {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
      case UInt8(ascii: "#"):
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
        continue
      default: return byte
      }
      rest.removeFirst()
    }
    return nil
  }

  /// Takes a key up to `end`; of a dotted one only the first part counts.
  private mutating func takeKey(until end: UInt8) -> String {
    let text = rest.prefix { $0 != end && $0 != UInt8(ascii: "\n") }
    rest = rest[text.endIndex...].dropFirst(rest[text.endIndex...].first == end ? 1 : 0)
    let key = text.drop { " \t[".utf8.contains($0) }
    if let quote = key.first, "\"'".utf8.contains(quote) {
      return String(decoding: key.dropFirst().prefix { $0 != quote }, as: UTF8.self)
    }
    return String(decoding: key.prefix { !" \t.".utf8.contains($0) }, as: UTF8.self)
  }

  /// Skips a value to the end of its last line, and notes where the elements of an array start.
  private mutating func skipValue(of key: String?) {
    var depth = 0
    var isArray = false
    var startsElement = false
    while let byte = depth > 0 ? skipBlanks() : rest.first {
      if let key, isArray, startsElement, depth == 1, byte != UInt8(ascii: "]") {
        elements[key, default: []].append(line)
        startsElement = false
      }
      switch byte {
      case UInt8(ascii: "\n"): return
      case UInt8(ascii: "#"):
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
        continue
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        skipString(byte)
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if depth == 0 { (isArray, startsElement) = (byte == UInt8(ascii: "["), true) }
        depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ","): startsElement = depth == 1
      default: break
      }
      rest.removeFirst()
    }
  }

  private mutating func skipString(_ quote: UInt8) {
    let isMultiline = rest.starts(with: [quote, quote, quote])
    let end = [UInt8](repeating: quote, count: isMultiline ? 3 : 1)
    rest.removeFirst(end.count)
    while !rest.isEmpty, !rest.starts(with: end) {
      if rest.first == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") { rest.removeFirst() }
      if rest.first == UInt8(ascii: "\n") { line += 1 }
      rest = rest.dropFirst()
    }
    rest = rest.dropFirst(end.count)
    // A multi-line string may end with quotes of its own.
    if isMultiline { rest = rest.drop { $0 == quote } }
  }
}
