import LocationCore

/// Where a renderer's view stands, `?VIEW={…}`: the map point under the position marker's home pixel.
public struct ViewRequest: Hashable, Sendable {
  /// What moved the view.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// The rider's hand.
    case user
    /// The camera that tracks the fix.
    case follow
    /// A change of scale.
    case zoom
    /// A change of direction.
    case rotate
    /// A change of the window.
    case resize
  }

  /// Name of the view, 1 to 64 bytes.
  public var view: String
  /// The point.
  public var position: Coordinate
  /// Number of the fix that the view was showing.
  public var seq: UInt64?
  /// What moved the view; `nil` when it was not said.
  public var cause: Cause?

  /// A report of where a view stands.
  public init(view: String = "main", position: Coordinate, seq: UInt64? = nil, cause: Cause? = nil) {
    self.view = view
    self.position = position
    self.seq = seq
    self.cause = cause
  }
}
