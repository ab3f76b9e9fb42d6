/// Decides for one subscriber which fixes it is sent.
///
/// The reference is the last fix *delivered to that subscriber*; every delivery moves it, whatever its reason,
/// and nothing else does.
///
/// At a standstill a fix passes only when it and the epoch before lie outside the error circle of `Standstill`, on the
/// same side: no farther from each other than 0.35 of the way to the reference. Twice as far out they need not
/// agree, so nobody who moves is held back for good.
package struct DistanceFilter: Sendable {
  /// Rounding that is forgiven at the boundary, metres: 10 m made of degrees may come out a few nanometres short.
  package static let tolerance = 1e-6

  /// What the next fix is compared with.
  package struct Reference: Hashable, Sendable {
    /// Number of the last fix delivered.
    package let seq: UInt64
    /// Where it was.
    package let position: Coordinate
  }

  package private(set) var configuration: FilterConfiguration
  /// The last fix delivered.
  package private(set) var reference: Reference?

  private var deliveredAt = MonotonicInstant.zero
  /// The newest fix, if it was not delivered and a heartbeat may want it.
  private var newest: PublishedFix?
  /// Where the epoch before was, if it was outside the circle at a standstill.
  private var outside: Coordinate?

  package init(_ configuration: FilterConfiguration) {
    self.configuration = configuration
  }

  /// Takes another configuration over; what was delivered stays the reference.
  package mutating func configure(_ configuration: FilterConfiguration) {
    self.configuration = configuration
    if configuration.heartbeat == nil { newest = nil }
  }

  /// Takes the next valid fix; a reason means that it is delivered and is the reference from now on.
  ///
  /// A fix that was delivered already (same or lower `seq`) is not delivered again.
  package mutating func evaluate(_ fix: PublishedFix, at instant: MonotonicInstant) -> DeliveryReason? {
    if let reference, fix.seq <= reference.seq { return nil }
    if configuration.heartbeat != nil { newest = fix }
    guard let reason = reason(for: fix, at: instant) else { return nil }
    delivered(fix, at: instant)
    return reason
  }

  /// Notes a delivery made without asking: a snapshot, an answer to a request.
  package mutating func delivered(_ fix: PublishedFix, at instant: MonotonicInstant) {
    reference = Reference(seq: fix.seq, position: fix.fix.position)
    deliveredAt = instant
    outside = nil
    if let held = newest?.seq, held <= fix.seq { newest = nil }
  }

  /// When the heartbeat is due; `nil` without a heartbeat, or while no fix newer than the last delivered is held.
  package var heartbeatDeadline: MonotonicInstant? {
    guard let interval = configuration.heartbeat, newest != nil, reference != nil else { return nil }
    return deliveredAt + interval
  }

  /// The newest valid fix if the heartbeat is due and that fix was not delivered yet; it is the reference from now on.
  package mutating func heartbeat(at instant: MonotonicInstant) -> PublishedFix? {
    guard let deadline = heartbeatDeadline, instant >= deadline, let fix = newest else { return nil }
    delivered(fix, at: instant)
    return fix
  }

  private mutating func reason(for fix: PublishedFix, at instant: MonotonicInstant) -> DeliveryReason? {
    guard let reference else { return .first }
    let changes = fix.changes
    if changes.contains(.source) { return .source }
    if changes.contains(.regained) { return .regained }
    if changes.contains(.mode) { return .mode }
    if changes.contains(.stopped) { return .stopped }
    if changes.contains(.started) { return .started }
    if moved(to: fix.fix, from: reference.position) { return .moved }
    if let interval = configuration.heartbeat, instant >= deliveredAt + interval { return .heartbeat }
    return nil
  }

  private mutating func moved(to fix: Fix, from reference: Coordinate) -> Bool {
    guard configuration.distance > 0 else { return true }
    let distance = reference.distance(to: fix.position)
    guard configuration.standstill, Standstill.isPossible(fix) else {
      outside = nil
      return distance >= configuration.distance - Self.tolerance
    }
    let bound = max(configuration.distance, Standstill.circle(of: fix)) - Self.tolerance
    let before = outside
    outside = distance >= bound ? fix.position : nil
    guard outside != nil, let before else { return false }
    return distance >= 2 * bound || before.distance(to: fix.position) <= distance * Standstill.agreement
  }
}

/// The rule that keeps the jitter of a receiver at rest from looking like a ride.
enum Standstill {
  /// A speed from here on (m/s) is a ride.
  static let speed = 0.7
  /// The error circle counts no further than this, metres, so that no one is held back for good.
  static let largestCircle = 50.0
  /// The circle of a fix that tells no error, metres: 95 % at the worst site, GPS Standard Positioning Service
  /// Performance Standard, 5th edition (2020).
  static let assumedCircle = 15.0
  /// How far two epochs that agree are apart, in parts of their way from the reference.
  static let agreement = 0.35

  /// Whether the rider may be standing: slow, or of unknown speed.
  static func isPossible(_ fix: Fix) -> Bool {
    fix.speed.map { $0 < speed } ?? true
  }

  /// How far off a fix may be by its error alone, metres.
  static func circle(of fix: Fix) -> Double {
    min(fix.horizontalAccuracy ?? assumedCircle, largestCircle)
  }
}
