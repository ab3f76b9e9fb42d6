/// Distance filter of one subscriber. The reference is the last fix *delivered to that subscriber*. Each delivery moves
/// it, whatever the reason; nothing else does. At a standstill, a fix passes only if it and the previous epoch lie
/// outside the error circle of `Standstill` in the same direction: their separation is at most 0.35 of the distance to
/// the reference. Beyond twice the radius they need not agree, so slow movement is never suppressed for good. A stop or a
/// change of the mode is not delivered with a position that says nothing: it waits for the next that does.
package struct DistanceFilter: Sendable {
  /// Rounding tolerance at the boundary, metres: 10 m converted from degrees may be a few nanometres short.
  package static let tolerance = 1e-6

  package struct Reference: Hashable, Sendable {
    package let seq: UInt64
    package let position: Coordinate
  }

  package private(set) var configuration: FilterConfiguration
  package private(set) var reference: Reference?
  private var deliveredAt = MonotonicInstant.zero
  /// The newest fix, if it was not delivered and a heartbeat is configured.
  private var newest: PublishedFix?
  /// Changes that wait for a position that is worth delivering.
  private var waiting: FixChanges = []
  /// Position of the previous epoch, if it was outside the circle at a standstill.
  private var outside: Coordinate?

  package init(_ configuration: FilterConfiguration) { self.configuration = configuration }

  package mutating func configure(_ configuration: FilterConfiguration) {
    self.configuration = configuration
    if configuration.heartbeat == nil { newest = nil }
  }

  /// The reason to deliver a valid fix as the new reference; `nil` when it does not pass or its `seq` is not above; that of
  /// a stop or start after it may be the same.
  package mutating func evaluate(_ fix: PublishedFix, at instant: MonotonicInstant) -> DeliveryReason? {
    if let reference, fix.seq <= reference.seq {
      guard fix.seq == reference.seq, !fix.changes.isDisjoint(with: [.stopped, .started]) else { return nil }
    }
    if configuration.heartbeat != nil { newest = fix }
    guard let reason = reason(for: fix, at: instant) else { return nil }
    delivered(fix, at: instant)
    return reason
  }

  /// Registers a stop or start between two fixes: the next fix is delivered for it.
  package mutating func expect(_ changes: FixChanges) {
    waiting.subtract([.stopped, .started])
    waiting.formUnion(changes.intersection([.stopped, .started]))
  }

  /// Registers a delivery that bypassed the filter: a snapshot or the response to a request.
  package mutating func delivered(_ fix: PublishedFix, at instant: MonotonicInstant) {
    reference = Reference(seq: fix.seq, position: fix.fix.position)
    deliveredAt = instant
    outside = nil
    if let held = newest?.seq, held <= fix.seq { newest = nil }
  }

  /// Deadline of the heartbeat; `nil` without a heartbeat or without a fix newer than the last delivered.
  package var heartbeatDeadline: MonotonicInstant? {
    guard let interval = configuration.heartbeat, newest != nil, reference != nil else { return nil }
    return deliveredAt + interval
  }

  /// Returns the newest undelivered fix if the heartbeat is due, and makes it the reference.
  package mutating func heartbeat(at instant: MonotonicInstant) -> PublishedFix? {
    guard let deadline = heartbeatDeadline, instant >= deadline, let fix = newest else { return nil }
    delivered(fix, at: instant)
    return fix
  }

  private mutating func reason(for fix: PublishedFix, at instant: MonotonicInstant) -> DeliveryReason? {
    guard let reference else { return .first }
    if let change = change(with: fix, from: reference.position) { return change }
    if moved(to: fix, from: reference.position) { return .moved }
    if let interval = configuration.heartbeat, instant >= deliveredAt + interval { return .heartbeat }
    return nil
  }

  private mutating func change(with fix: PublishedFix, from reference: Coordinate) -> DeliveryReason? {
    if !fix.changes.isDisjoint(with: [.stopped, .started]) { waiting.subtract([.stopped, .started]) }
    let changes = fix.changes.union(waiting)
    guard let change = changes.reasons.first else { return nil }
    if change == .stopped || change == .mode, isDoubtful(fix, from: reference) {
      waiting = changes.intersection([.stopped, .mode])
      return nil
    }
    // The line has all changes of the fix itself, and of those that waited one.
    let told: FixChanges = change == .stopped || change == .started ? [.stopped, .started] : []
    waiting.subtract(fix.changes.union(change == .mode ? .mode : told))
    return change
  }

  /// Whether the rider is stationary, and a position far from the reference may be an error of the receiver.
  private func isDoubtful(_ fix: PublishedFix, from reference: Coordinate) -> Bool {
    guard configuration.distance > 0, Standstill.isPossible(fix), let accuracy = fix.fix.horizontalAccuracy,
      accuracy > Standstill.largestCircle
    else { return false }
    return reference.distance(to: fix.fix.position) > max(configuration.distance, Standstill.largestCircle)
  }

  private mutating func moved(to published: PublishedFix, from reference: Coordinate) -> Bool {
    guard configuration.distance > 0 else { return true }
    let fix = published.fix
    let distance = reference.distance(to: fix.position)
    guard Standstill.isPossible(published) else {
      outside = nil
      return distance >= configuration.distance - Self.tolerance
    }
    let bound = max(configuration.distance, Standstill.circle(of: fix)) - Self.tolerance
    let before = outside
    outside = distance >= bound ? fix.position : nil
    guard outside != nil, let before else { return false }
    return distance >= 2 * max(bound, fix.horizontalAccuracy ?? 0)
      || before.distance(to: fix.position) <= distance * Standstill.agreement
  }
}

/// Rule that separates the jitter of a receiver at rest from movement.
package enum Standstill {
  /// Below this speed a rider stops, m/s.
  static let stoppedBelow = 0.5
  /// Lowest speed that counts as riding, m/s.
  package static let startedFrom = 0.7
  /// Upper limit of the error circle, metres, so that movement is never suppressed for good.
  static let largestCircle = 50.0
  /// Circle of a fix without an accuracy, metres: 95 % at the worst site, GPS SPS Performance Standard, 5th ed. (2020).
  static let assumedCircle = 15.0
  /// Largest separation of two agreeing epochs, as a fraction of their distance from the reference.
  static let agreement = 0.35

  /// Whether the rider may be standing: the speed is low or unknown.
  static func isPossible(_ fix: PublishedFix) -> Bool {
    fix.sensed.fused.ridingSpeed(of: fix.fix).map { $0 < startedFrom } ?? true
  }
  /// Radius of the error circle of a fix, metres.
  static func circle(of fix: Fix) -> Double { min(fix.horizontalAccuracy ?? assumedCircle, largestCircle) }
}
