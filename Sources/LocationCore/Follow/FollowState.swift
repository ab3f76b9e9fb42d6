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
