import Glibc
import TOMLKit

/// A configuration file that was read: its entries in the order in which they stand there.
package struct ConfigurationFile: Hashable, Sendable {
  /// The file that is read when none is named.
  package static let standardPath = "/etc/handlebar/handlebard.toml"
  /// Far more than anybody writes by hand.
  private static let limit = 1 << 20

  package let path: String
  package let entries: [ConfigurationEntry]

  /// Reads and parses the file at `path`.
  package init(path: String) throws(ConfigurationError) {
    try self.init(path: path, text: Self.read(path))
  }

  /// Parses `text` as the file at `path`.
  package init(path: String, text: String) throws(ConfigurationError) {
    self.path = path
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw ConfigurationError(
        key: "syntax", message: Self.words(of: error),
        place: ConfigurationPlace(
          file: path, position: TextPosition(line: error.source.begin.line, column: error.source.begin.column)))
    } catch {
      throw ConfigurationError(key: "syntax", message: "\(error)", place: ConfigurationPlace(file: path))
    }
    entries = Self.entries(of: table, at: [], in: TOMLPositions(of: text))
  }

  /// Where an entry stands.
  package func place(of position: TextPosition?) -> ConfigurationPlace {
    ConfigurationPlace(file: path, position: position)
  }

  private static func read(_ path: String) throws(ConfigurationError) -> String {
    func failure(_ message: String) -> ConfigurationError { ConfigurationError(key: path, message: message) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: throw failure("there is no such file; name another with --config")
      case EACCES: throw failure("the file may not be read; let this user read it: chmod o+r \(path)")
      default: throw failure("the file cannot be read: \(String(cString: strerror(errno)))")
      }
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= limit {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("the file cannot be read: \(String(cString: strerror(errno)))") }
      guard count > 0 else {
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
          throw failure("the file is not UTF-8 text")
        }
        return text
      }
      bytes += chunk[..<count]
    }
    throw failure("the file is larger than 1 MiB; that is no configuration")
  }

  /// The parser's own words in one line; they begin "Error while parsing …".
  private static func words(of error: TOMLParseError) -> String {
    error.description.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private static func entries(
    of table: TOMLTable, at path: [TOMLPositions.Step], in positions: TOMLPositions
  ) -> [ConfigurationEntry] {
    var entries: [ConfigurationEntry] = []
    for key in table.keys {
      guard let node = table[key] else { continue }
      let path = path + [.key(key)]
      entries.append(
        ConfigurationEntry(key: key, value: value(of: node, at: path, in: positions), position: positions.key(path)))
    }
    // The parser sorts by name; a person reads from top to bottom.
    return entries.enumerated().sorted { left, right in
      guard let one = left.element.position, let other = right.element.position else {
        return left.offset < right.offset
      }
      return (one.line, one.column) < (other.line, other.column)
    }.map(\.element)
  }

  private static func value(
    of node: any TOMLValueConvertible, at path: [TOMLPositions.Step], in positions: TOMLPositions
  ) -> ConfigurationValue {
    let content: ConfigurationValue.Content =
      if let text = node.string {
        .text(text)
      } else if let flag = node.bool {
        .flag(flag)
      } else if let integer = node.int {
        .integer(integer)
      } else if let number = node.double {
        .number(number)
      } else if let array = node.array {
        .list(array.enumerated().map { value(of: $1, at: path + [.index($0)], in: positions) })
      } else if let table = node.table {
        .table(entries(of: table, at: path, in: positions))
      } else {
        .time
      }
    return ConfigurationValue(content: content, position: positions.value(path))
  }
}
