/// Where something stands in a configuration file, as compilers write it: `file:line:column`.
package struct ConfigurationPlace: Hashable, Sendable, CustomStringConvertible {
  /// The file's path.
  package var file: String
  /// From 1; `nil` means the file as a whole.
  package var position: TextPosition?

  package init(file: String, position: TextPosition? = nil) {
    self.file = file
    self.position = position
  }

  package var description: String { file + (position.map { ":\($0.line):\($0.column)" } ?? "") }
}

/// A line and a column of a text, both from 1; columns count characters of Unicode.
package struct TextPosition: Hashable, Sendable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}
