import SystemPackage

package struct ConfigurationValue: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case list([ConfigurationValue])
    case table([String: ConfigurationValue])
    /// A date, a time or both, which no key takes; for error messages, `a date`.
    case time(String)
  }

  let content: Content
  /// Line on which the value or the header of the table begins, from 1.
  let line: Int

  var kind: String {
    switch content {
    case .text: "a string"
    case .integer: "an integer"
    case .number: "a number"
    case .flag: "true or false"
    case .list: "an array"
    case .table: "a table"
    case .time(let kind): kind
    }
  }
}

/// A parsed configuration file: its top-level entries in file order.
package struct ConfigurationFile: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package let key: String
    let value: ConfigurationValue
  }

  /// Path of the file that is read if no other is named.
  package static let standardPath = "/etc/handlebar/handlebard.toml"
  /// The largest file in bytes. The installed one has 3000.
  package static let maximumSize = 65_536

  package let path: String
  package let entries: [Entry]

  package init(path: String) throws(ConfigurationError) { try self.init(path: path, bytes: Self.read(path)) }

  package init(path: String, bytes: [UInt8]) throws(ConfigurationError) {
    self.path = path
    guard bytes.count <= Self.maximumSize else {
      throw ConfigurationError(
        key: path, message: "the file is larger than 64 KiB; name a configuration file with --config")
    }
    do throws(TOMLError) {
      entries = try TOMLParser.parse(bytes).map { Entry(key: $0.key, value: $0.value) }
    } catch {
      throw ConfigurationError(
        key: "syntax", message: "column \(error.column): \(error.message)", place: "\(path):\(error.line)")
    }
  }

  func place(of line: Int) -> String { "\(path):\(line)" }

  /// Reads the file without waiting for data.
  private static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
    func failure(_ message: String) -> ConfigurationError { ConfigurationError(key: path, message: message) }
    do {
      // Opening a pipe, or reading a terminal, would wait for its other end.
      guard try path == "/dev/null" || Stat(path).type == .regular else {
        throw failure("not a file; name one with --config")
      }
      return try FileDescriptor.contents(of: path, limit: maximumSize + 1)
    } catch let error as ConfigurationError {
      throw error
    } catch Errno.noSuchFileOrDirectory {
      throw failure("there is no such file; name another with --config")
    } catch Errno.permissionDenied {
      throw failure("permission denied; let this user read it: chmod o+r \(path)")
    } catch {
      throw failure("the file cannot be read: \(error)")
    }
  }
}
