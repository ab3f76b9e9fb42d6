/// What is wrong with the configuration: where it stands, and what would be right.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The flag, variable or key, as the person wrote it.
  package var key: String
  /// What is wrong and what would be right, one sentence.
  package var message: String
  /// Where in a file; `nil` for flags and variables.
  package var place: ConfigurationPlace?

  package init(key: String, message: String, place: ConfigurationPlace? = nil) {
    self.key = key
    self.message = message
    self.place = place
  }

  package var description: String { (place.map { "\($0): " } ?? "") + "\(key): \(message)" }
}
