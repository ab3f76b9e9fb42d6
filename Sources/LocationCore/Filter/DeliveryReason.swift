/// Why a fix goes to one subscriber; the raw values are the protocol's `reason`.
///
/// A line carries one reason. When several hold, the first of this order is told:
/// `first`, `source`, `regained`, `mode`, `stopped`, `started`, `moved`, `heartbeat`.
/// `requested` and `snapshot` are given by whoever sends without asking the filter.
public enum DeliveryReason: String, Hashable, Sendable, CaseIterable {
  /// Nothing was delivered before.
  case first
  /// Far enough from the last fix delivered, or the filter is 0.
  case moved
  /// The rider came to a stop.
  case stopped
  /// The rider started after a stop.
  case started
  /// 2D ↔ 3D.
  case mode
  /// Another source took the lead.
  case source
  /// There was no fix for a while.
  case regained
  /// The subscriber's heartbeat interval ran out.
  case heartbeat
  /// Somebody asked for the newest fix.
  case requested
  /// The newest fix, on subscribing.
  case snapshot
}
