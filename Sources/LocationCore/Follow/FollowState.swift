/// Why a view is in the state it is in; the raw values are the protocol's `reason`.
public enum FollowReason: String, Hashable, Sendable, CaseIterable {
  /// Following since it was first seen.
  case initial
  /// Free: it was moved away from the fix.
  case drift
  /// Somebody asked for it, either way.
  case requested
  /// Following again after no one touched it while riding.
  case idle
}

/// Whether a view follows the rider: one line of the snapshot, and the event of each transition.
package struct FollowState: Hashable, Sendable {
  /// The view's name.
  package var view: String
  /// Following, or free.
  package var following: Bool
  /// Why.
  package var reason: FollowReason
  /// From the fix that the view was showing, metres, when the last transition was a drift.
  package var distance: Double?
  /// The fix that the last transition was judged by.
  package var seq: UInt64?

  package init(view: String, following: Bool, reason: FollowReason, distance: Double? = nil, seq: UInt64? = nil) {
    self.view = view
    self.following = following
    self.reason = reason
    self.distance = distance
    self.seq = seq
  }
}

/// What follow mode asks to be done.
package enum FollowAction: Hashable, Sendable {
  /// Tell everyone: a view changed its state.
  case changed(FollowState)
  /// Send the newest fix to every renderer, whatever its distance filter says (reason `requested`).
  /// A session that was sent that fix already needs it no second time.
  case sendNewest(view: String)
}

/// Why a view stands where it reports; the raw values are the protocol's `cause`.
public enum ViewCause: String, Hashable, Sendable, CaseIterable {
  /// A person moved the map.
  case user
  /// The camera tracks the fix.
  case follow
  /// The map zoomed.
  case zoom
  /// The map turned.
  case rotate
  /// The window changed its size.
  case resize
}

/// Where a renderer says that its view stands.
package struct ViewReport: Hashable, Sendable {
  /// The view's name.
  package var view: String
  /// The map point under the position marker's home pixel. With look-ahead that is not the centre of the map:
  /// on a common screen at zoom 15 the two are 1 km apart.
  package var coordinate: Coordinate
  /// The `seq` of the fix that the view was showing.
  package var seq: UInt64?
  /// Why the view stands there; `nil` = unstated.
  package var cause: ViewCause?
  /// The renderer's own number of this report, rising; a lower or equal one is an old report.
  package var order: UInt64?

  package init(view: String, coordinate: Coordinate, seq: UInt64? = nil, cause: ViewCause? = nil, order: UInt64? = nil)
  {
    self.view = view
    self.coordinate = coordinate
    self.seq = seq
    self.cause = cause
    self.order = order
  }

  /// Whether the report can disengage: a map that turns or zooms by itself is not a rider looking elsewhere.
  var mayDisengage: Bool { cause == nil || cause == .user }
}

/// One connection of a client, numbered in the order of connecting.
package struct SessionID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  /// Orders by the time of connecting.
  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}
