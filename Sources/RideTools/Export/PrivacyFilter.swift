import LocationCore
import Recordings

package struct PrivacyZone: Hashable, Sendable {
  package var centre: Coordinate
  /// Metres.
  package var radius: Double

  package init(centre: Coordinate, radius: Double) { (self.centre, self.radius) = (centre, radius) }

  func contains(_ position: Coordinate) -> Bool { position.distance(to: centre) <= radius }
}

/// A filter that leaves out what happened inside zones, before figures, bounds and laps are computed: they are those of
/// what is left. The fix behind a zone begins a segment.
package struct PrivacyFilter: Sendable {
  private let zones: [PrivacyZone]
  private var isInside = false
  private var isInterrupted = false
  private var last: MonotonicInstant?

  package init(_ zones: [PrivacyZone]) { self.zones = zones }

  /// Calls `body` with the moments to publish.
  package mutating func filter(_ moment: RideMoment, _ body: (RideMoment) throws -> Void) rethrows {
    switch moment {
    case .fix(var fix):
      if zones.contains(where: { $0.contains(fix.fix.position) }) {
        if !isInside, let last { try body(.lost(at: last)) }
        isInside = true
        return
      }
      if isInterrupted { try body(.interrupted(at: fix.fix.received)) }
      if isInside { fix.beginsSegment = true }
      (isInside, isInterrupted, last) = (false, false, fix.fix.received)
      try body(.fix(fix))
    case .interrupted:
      if last != nil { isInterrupted = true }
    case .lost, .source, .follow, .lap:
      if !isInside, last != nil { try body(moment) }
    }
  }
}

/// The zones around both ends of a ride: where its first and last fix are, and where the rider first and last moved.
package struct RideEnds: Sendable {
  private var first, last, firstMove, lastMove: Coordinate?
  private var ride = RideAccumulator()

  package init() {}

  package mutating func add(_ moment: RideMoment) {
    ride.add(moment)
    guard case .fix(let fix) = moment else { return }
    first = first ?? fix.fix.position
    last = fix.fix.position
    guard ride.isMoving else { return }
    firstMove = firstMove ?? last
    lastMove = last
  }

  package func zones(radius: Double) -> [PrivacyZone] {
    [first, last, firstMove, lastMove].compactMap { $0.map { PrivacyZone(centre: $0, radius: radius) } }
  }
}
