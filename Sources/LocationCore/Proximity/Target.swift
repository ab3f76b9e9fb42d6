package struct Target: Hashable, Sendable {
  /// Name; a new target with the same name replaces this one.
  package let name: String
  package let coordinate: Coordinate
  /// Distance at which arriving begins, metres.
  package let radius: Double

  /// Range of valid radii, metres.
  package static let radii = 1.0...10_000.0

  package static let standardRadius = 100.0

  package init(name: String, coordinate: Coordinate, radius: Double = standardRadius) throws(RequestRefusal) {
    try Holding.target.checkName(name)
    guard Self.radii.contains(radius) else { throw .invalid("radius of \(radius) m is invalid: use 1 to 10000 m") }
    self.name = name
    self.coordinate = coordinate
    self.radius = radius
  }
}

/// Whether the rider has arrived at a target; the raw values are the protocol's `state`.
package enum ArrivalState: String, Hashable, Sendable, CaseIterable {
  /// Outside the radius, or unknown.
  case away
  /// Inside the radius, or not yet clear of it.
  case arriving
}

/// State of a target: one line of the snapshot, and the event of each change.
package struct Arrival: Hashable, Sendable {
  package var target: Target
  package var state: ArrivalState
  /// Distance to the target, metres; `nil` before the first fix.
  package var distance: Double?
  /// Bearing of the target, degrees from true north; `nil` before the first fix and at the target itself.
  package var bearing: Double?
  /// Time to the target at the recent speed of moving, in a straight line; `nil` unless it is approached.
  package var eta: Duration?

  package var name: String { target.name }
}

package struct TargetRequest: Hashable, Sendable {
  /// Name, 1 to 64 bytes; the same name again replaces the target.
  package var name: String
  package var position: Coordinate
  /// Metres, 1 to 10,000; `nil` is 100.
  package var radius: Double?
  package var isPersistent: Bool

  package init(name: String, position: Coordinate, radius: Double? = nil, isPersistent: Bool = false) {
    self.name = name
    self.position = position
    self.radius = radius
    self.isPersistent = isPersistent
  }
}
