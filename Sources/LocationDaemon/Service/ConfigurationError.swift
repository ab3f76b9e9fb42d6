package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The flag, variable or key, or the URI, as written.
  package var key: String
  /// What is wrong and what would be right, in one sentence.
  package var message: String
  /// `FILE:LINE` for an error in a file, otherwise `nil`.
  package var place: String?

  /// One line of printable characters. Long parts, which quote the configuration, are shortened in the middle.
  package var description: String {
    (place.map { Self.printable($0) + ": " } ?? "") + Self.printable(key) + ": " + Self.printable(message)
  }

  private static func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let isShort = scalars.count <= 400
    let parts = isShort ? [text] : [String(scalars.prefix(250)), String(scalars.suffix(140))]
    return parts.map { part in
      part.unicodeScalars.map { scalar in
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
        default: String(scalar)
        }
      }.joined()
    }.joined(separator: " … ")
  }

  func located(at place: String) -> ConfigurationError {
    ConfigurationError(key: key, message: message, place: self.place ?? place)
  }
}
