import LocationCore

/// A place to watch for arrival, `?TARGET={…}`.
package struct TargetRequest: Hashable, Sendable {
  /// The name, 1 to 64 bytes; the same name again replaces the target.
  package var name: String
  /// Where.
  package var position: Coordinate
  /// Metres, 1 to 100,000; `nil` when it was not said: 100.
  package var radius: Double?

  package init(name: String, position: Coordinate, radius: Double? = nil) {
    self.name = name
    self.position = position
    self.radius = radius
  }
}
