/// Whether a view follows the rider: one line of the snapshot, and the event of each transition.
package struct FollowState: Hashable, Sendable {
  package var view: String
  package var following: Bool
  package var reason: FollowReason
  /// Distance from the fix that the view showed, metres, if the last transition was a drift.
  package var distance: Double?
  /// Number of the fix on which the last transition was based.
  package var seq: UInt64?
}

/// Reason for the state of a view; the raw values are the protocol's `reason`.
package enum FollowReason: String, Hashable, Sendable, CaseIterable {
  /// Following since its first report or request.
  case initial
  /// Free because it was moved away from the fix.
  case drift
  case requested
}

package enum FollowAction: Hashable, Sendable {
  case changed(FollowState)
  /// Send the newest fix to all renderers that do not have it, whatever their distance filters (reason `requested`).
  case sendNewest
}

/// The position of a renderer's view, `?VIEW={…}`.
public struct ViewRequest: Hashable, Sendable {
  /// Name of the view, 1 to 64 bytes.
  public var view: String
  /// The map point under the home pixel of the position marker. With look-ahead this is not the centre of the map: on a
  /// common screen at zoom 15 the two are 1 km apart.
  public var coordinate: Coordinate
  /// Number of the fix that the view was showing.
  public var seq: UInt64?
  /// What moved the view; `nil` when unknown.
  public var cause: ViewCause?

  /// A report of a view's position.
  public init(view: String = "main", coordinate: Coordinate, seq: UInt64? = nil, cause: ViewCause? = nil) {
    self.view = view
    self.coordinate = coordinate
    self.seq = seq
    self.cause = cause
  }

  /// Whether the report can end following. A map that zooms or rotates by itself cannot.
  var canDisengage: Bool { cause == nil || cause == .user }
}

/// Cause of a view's position; the raw values are the protocol's `cause`.
public enum ViewCause: String, Hashable, Sendable, CaseIterable {
  /// The user moved the map.
  case user
  /// The camera tracks the fix.
  case follow
  /// The map was zoomed.
  case zoom
  /// The map was rotated.
  case rotate
  /// The window was resized.
  case resize
}
