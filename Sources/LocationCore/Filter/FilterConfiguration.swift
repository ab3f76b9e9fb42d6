/// What one subscriber wants to be sent.
package struct FilterConfiguration: Hashable, Sendable {
  /// Horizontal distance from the last fix delivered, metres; 0 = every valid fix.
  package let distance: Double
  /// The longest time without a delivery while newer fixes are there; `nil` = no limit.
  package let heartbeat: Duration?
  /// Whether jitter at a standstill is held back.
  package let standstill: Bool

  /// 10 m, no heartbeat, standstill held back.
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

  /// A checked configuration.
  package init(distance: Double = 10, heartbeat: Duration? = nil, standstill: Bool = true) throws(FilterError) {
    guard distance.isFinite, distance >= 0 else { throw .distance(distance) }
    if let heartbeat, heartbeat <= .zero { throw .heartbeat(heartbeat) }
    self.distance = distance
    self.heartbeat = heartbeat
    self.standstill = standstill
  }
}

/// A filter that nobody can mean.
package enum FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Not a finite number of metres, or negative.
  case distance(Double)
  /// Not longer than nothing.
  case heartbeat(Duration)

  package var description: String {
    switch self {
    case .distance(let distance):
      "distance filter \(distance) is not a distance: give metres from 0 (every fix) upwards"
    case .heartbeat(let interval):
      "heartbeat of \(interval.inSeconds) s is not an interval: give seconds above 0, or none"
    }
  }
}

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
