import LocationCore

extension Route {
  /// One point of a track or a plan.
  package struct Vertex: Hashable, Sendable {
    /// Where.
    package var position: Coordinate
    /// Above mean sea level, metres; `nil` is what the points before it had.
    package var altitude: Double?

    /// A point.
    package init(_ position: Coordinate, altitude: Double? = nil) {
      self.position = position
      self.altitude = altitude
    }
  }

  /// The route along the points of a track or a plan: straight from one to the next, the corners rounded off.
  ///
  /// A corner is missed by at most ``RouteLine/cornerMiss`` metres, and cut by at most half of each leg; the rider
  /// slows down for it so far that the sideways acceleration (m/s²) is kept. `nil` when fewer than two different
  /// points are left, or when one lies within 1° of a pole.
  package init?(
    along vertices: [Vertex], speedLimit: Double, lateralAcceleration: Double = RouteBuilder.lateralAcceleration
  ) {
    var corners: [RouteLine.Corner] = []
    for vertex in vertices {
      guard abs(vertex.position.latitude) <= 89 else { return nil }
      let altitude = vertex.altitude ?? corners.last?.altitude ?? 0
      let corner = RouteLine.Corner(position: vertex.position, altitude: altitude)
      if let last = corners.last, last.position.chord(to: vertex.position) < RouteLine.shortestLeg { continue }
      corners.append(corner)
    }
    guard corners.count >= 2 else { return nil }
    var line = RouteLine(along: corners, speedLimit: speedLimit, lateralAcceleration: lateralAcceleration)
    line.draw()
    self.init(points: line.points)
  }
}
