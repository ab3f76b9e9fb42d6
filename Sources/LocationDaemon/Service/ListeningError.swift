/// Why the daemon cannot listen, and the remedy, in one line.
package struct ListeningError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
