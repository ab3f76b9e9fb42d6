package struct FilterConfiguration: Hashable, Sendable {
  /// Horizontal distance from the last fix delivered, metres; 0 = every valid fix.
  package private(set) var distance: Double
  /// Longest time without a delivery while newer fixes are available; `nil` = no limit.
  package private(set) var heartbeat: Duration?

  /// 10 m, no heartbeat.
  package static let standard = FilterConfiguration(metres: 10)
  package static let everyFix = FilterConfiguration(metres: 0)

  private init(metres: Double) { distance = metres }

  package init(distance: Double = standard.distance, heartbeat: Duration? = nil) throws(RequestRefusal) {
    guard distance.isFinite, distance >= 0 else {
      throw .invalid("distance filter \(distance) is invalid: use 0 m (every fix) or more")
    }
    if let heartbeat, heartbeat <= .zero {
      throw .invalid("heartbeat of \(heartbeat.inSeconds) s is invalid: use more than 0 s, or omit it")
    }
    self.distance = distance
    self.heartbeat = heartbeat
  }
}

/// Reason for the delivery of a fix; the raw values are the protocol's `reason`. A line carries the first that applies
/// of `first`, `source`, `regained`, `mode`, `stopped`, `started`, `moved`, `heartbeat`, and in `reasons` all of
/// several. `requested` and `snapshot` bypass the filter.
package enum DeliveryReason: String, Hashable, Sendable, CaseIterable {
  case first
  /// Distance from the last fix delivered, or a filter of 0.
  case moved
  case stopped
  case started
  case mode
  case source
  /// First fix after a loss, or after the receiver's clock was set back.
  case regained
  case heartbeat
  case requested
  case snapshot

  /// All reasons of a fix that is delivered for this one; `nil` if it is the only one.
  package func all(with changes: FixChanges) -> String? {
    guard !changes.isEmpty, self != .requested, self != .snapshot else { return nil }
    let others = changes.reasons.filter { $0 != self }
    return others.isEmpty ? nil : ([self] + others).map(\.rawValue).joined(separator: ",")
  }
}
