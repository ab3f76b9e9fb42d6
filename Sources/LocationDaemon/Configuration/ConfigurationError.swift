/// What is wrong with the configuration: where it stands, and what would be right.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The flag, variable or key, as the person wrote it.
  package var key: String
  /// What is wrong and what would be right, one sentence.
  package var message: String

  package init(key: String, message: String) {
    self.key = key
    self.message = message
  }

  package var description: String { "\(key): \(message)" }
}
