/// A place whose reaching is announced.
package struct Target: Hashable, Sendable {
  /// Its name; a new target of the same name replaces it.
  package let name: String
  /// Where.
  package let coordinate: Coordinate
  /// How near counts as arriving, metres.
  package let radius: Double

  /// What a radius can be, metres.
  package static let radii = 1.0...10_000.0

  /// A checked target.
  package init(name: String, coordinate: Coordinate, radius: Double = 100) throws(TargetError) {
    guard (1...64).contains(name.utf8.count) else { throw .name }
    guard Self.radii.contains(radius) else { throw .radius(radius) }
    self.name = name
    self.coordinate = coordinate
    self.radius = radius
  }
}

/// Where the rider is, seen from a target; the raw values are the protocol's `state`.
public enum ArrivalState: String, Hashable, Sendable, CaseIterable {
  /// Not near, or not known to be.
  case away
  /// Within the radius, and not yet clear of it again.
  case arriving
}

/// A target's state: one line of the snapshot, and the event of each change.
package struct Arrival: Hashable, Sendable {
  package var name: String
  package var state: ArrivalState
  /// To the target, metres; `nil` before the first fix.
  package var distance: Double?
  /// To the target, degrees from true north; `nil` before the first fix and on the spot.
  package var bearing: Double?
  /// Until the target is reached at the last minute's speed made good; `nil` while not getting nearer, or when the
  /// fixes reach back less than 10 s.
  package var eta: Duration?
}

/// Why a target is not taken.
package enum TargetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Empty, or longer than 64 bytes.
  case name
  /// Not from 1 m to 10 km.
  case radius(Double)
  /// There are as many targets as there may be.
  case tooMany(limit: Int)

  package var description: String {
    switch self {
    case .name: "a target's name has 1 to 64 bytes"
    case .radius(let radius): "a radius of \(radius) m is not possible: give metres from 1 to 10000"
    case .tooMany(let limit): "\(limit) targets are watched already: switch one off first"
    }
  }
}
