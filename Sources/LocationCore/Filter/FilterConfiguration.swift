/// Filter settings of one subscriber.
package struct FilterConfiguration: Hashable, Sendable {
  /// Horizontal distance from the last fix delivered, metres; 0 = every valid fix.
  package let distance: Double
  /// Longest time without a delivery while newer fixes are available; `nil` = no limit.
  package let heartbeat: Duration?
  /// Whether jitter at a standstill is suppressed.
  package let standstill: Bool

  /// 10 m, no heartbeat, jitter at a standstill suppressed.
  package static let standard = FilterConfiguration()
  /// Every valid fix.
  package static let everyFix = FilterConfiguration(everyFix: ())

  private init() {
    distance = 10
    heartbeat = nil
    standstill = true
  }

  private init(everyFix: Void) {
    distance = 0
    heartbeat = nil
    standstill = true
  }

  /// Validates the values.
  package init(distance: Double = 10, heartbeat: Duration? = nil, standstill: Bool = true) throws(FilterError) {
    guard distance.isFinite, distance >= 0 else { throw .distance(distance) }
    if let heartbeat, heartbeat <= .zero { throw .heartbeat(heartbeat) }
    self.distance = distance
    self.heartbeat = heartbeat
    self.standstill = standstill
  }
}

/// An invalid filter setting.
package enum FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The distance is not finite or negative.
  case distance(Double)
  /// The heartbeat is 0 or negative.
  case heartbeat(Duration)

  package var description: String {
    switch self {
    case .distance(let distance):
      "distance filter \(distance) is invalid: use 0 m (every fix) or more"
    case .heartbeat(let interval):
      "heartbeat of \(interval.inSeconds) s is invalid: use more than 0 s, or omit it"
    }
  }
}

/// Reason for the delivery of a fix to one subscriber; the raw values are the protocol's `reason`.
///
/// A line carries one reason, the first that applies of `first`, `source`, `regained`, `mode`, `stopped`, `started`,
/// `moved`, `heartbeat`. `requested` and `snapshot` mark deliveries that bypass the filter.
package enum DeliveryReason: String, Hashable, Sendable, CaseIterable {
  /// First delivery to this subscriber.
  case first
  /// Distance from the last fix delivered, or a filter of 0.
  case moved
  /// The rider stopped.
  case stopped
  /// The rider started after a stop.
  case started
  /// Change between 2D and 3D.
  case mode
  /// Change of the leading source.
  case source
  /// First fix after a loss, or after the receiver's clock was set back.
  case regained
  /// The subscriber's heartbeat interval elapsed.
  case heartbeat
  /// A client requested the newest fix.
  case requested
  /// The newest fix when a client subscribes.
  case snapshot
}
