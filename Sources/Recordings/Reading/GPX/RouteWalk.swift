import LocationCore

/// A way along points that have no times, at a steady speed: one point a second, and the last one.
struct RouteWalk: Sendable {
  /// Metres per second on points without times: 54 km/h.
  static let speed = 15.0

  /// A point and when it is reached, whole seconds from the start.
  struct Step: Hashable, Sendable {
    var second: Int64
    var point: TrackPoint
  }

  private struct Leg {
    var from: TrackPoint
    var to: TrackPoint
    var bearing: Double
    var length: Double
    /// Metres from its beginning to the next step.
    var next: Double
  }

  private var second: Int64 = 0
  private var last: TrackPoint?
  private var leg: Leg?
  /// Metres from the last step to the end of the leg that has been gone.
  private var rest = 0.0

  /// Goes on to another point. To be called when ``next()`` has returned `nil`.
  mutating func go(to point: TrackPoint) -> Step? {
    guard let last else {
      last = point
      return Step(second: second, point: point)
    }
    let line = Geodesic.inverse(from: last.position, to: point.position)
    leg = Leg(
      from: last, to: point, bearing: line.initialBearing, length: line.distance, next: Self.speed - rest)
    self.last = point
    return nil
  }

  /// The next step on the way to the point that was named last; `nil` when that lies less than a second ahead.
  mutating func next() -> Step? {
    guard var leg else { return nil }
    guard leg.next <= leg.length else {
      rest = leg.length - (leg.next - Self.speed)
      self.leg = nil
      return nil
    }
    let distance = leg.next
    leg.next += Self.speed
    self.leg = leg
    return step(leg, at: distance)
  }

  /// The last point, if the last step did not end there.
  mutating func finish() -> Step? {
    guard var point = last, rest > 0, leg == nil else { return nil }
    rest = 0
    point.speed = point.speed ?? Self.speed
    second += 1
    return Step(second: second, point: point)
  }

  private mutating func step(_ leg: Leg, at distance: Double) -> Step? {
    let part = distance / leg.length
    guard let position = Geodesic.direct(from: leg.from.position, bearing: leg.bearing, distance: distance) else {
      return nil
    }
    var point = TrackPoint(position: position)
    if let start = leg.from.altitude, let end = leg.to.altitude { point.altitude = start + (end - start) * part }
    point.speed = Self.speed
    let ahead = Geodesic.inverse(from: position, to: leg.to.position)
    point.course =
      ahead.distance > 0.01
      ? ahead.initialBearing : Geodesic.inverse(from: leg.from.position, to: position).finalBearing
    second += 1
    return Step(second: second, point: point)
  }
}
