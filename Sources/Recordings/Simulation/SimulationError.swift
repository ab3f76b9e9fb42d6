/// A simulated ride that was described wrongly, in words for the person who did.
package struct SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what would be right, on one line.
  package let description: String

  /// An error of that text.
  package init(_ description: String) {
    self.description = description
  }
}
