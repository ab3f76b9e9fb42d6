/// A value of a configuration file, and where it stands.
package struct ConfigurationValue: Hashable, Sendable {
  /// What a value can be.
  package enum Content: Hashable, Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case list([ConfigurationValue])
    case table([ConfigurationEntry])
    /// A date or a time.
    case time
  }

  package let content: Content
  /// `nil` when that cannot be told.
  package let position: TextPosition?

  /// What it is, for messages.
  package var kind: String {
    switch content {
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

/// A key of a configuration file with its value.
package struct ConfigurationEntry: Hashable, Sendable {
  package let key: String
  package let value: ConfigurationValue
  /// Where the key stands.
  package let position: TextPosition?
}
