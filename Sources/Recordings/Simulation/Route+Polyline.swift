import LocationCore

extension Route {
  /// The route along the points of a track or a plan: straight from one to the next, the corners rounded off.
  ///
  /// A corner is cut by at most `cornerRadius` metres or by half of its shorter leg; the rider slows down for it.
  /// `nil` when fewer than two different points are left.
  package init?(polyline: [Coordinate], altitude: Double, speedLimit: Double, cornerRadius: Double = 10) {
    var corners: [Coordinate] = []
    for point in polyline where corners.last.map({ $0.chord(to: point) > 0.01 }) ?? true { corners.append(point) }
    guard corners.count >= 2 else { return nil }
    let legs = zip(corners, corners.dropFirst()).map { Leg(from: $0, to: $1) }
    var builder = RouteBuilder(start: corners[0], altitude: altitude, course: legs[0].course, speedLimit: speedLimit)
    var used = 0.0
    for (index, leg) in legs.enumerated() {
      guard index + 1 < legs.count else {
        builder.straight(leg.length - used)
        break
      }
      let next = legs[index + 1]
      var turn = next.course - leg.course
      turn -= (turn / 360).rounded() * 360
      let (sine, cosine) = ExactMath.sineCosine(degrees: turn / 2)
      let tangent = abs(sine) / max(abs(cosine), 0.01)
      let cut = min(cornerRadius * tangent, leg.length / 2, next.length / 2)
      builder.straight(leg.length - used - cut)
      if tangent > 1e-6 { builder.bend(turn, radius: max(cut / tangent, 0.5)) }
      used = cut
    }
    guard let route = builder.route else { return nil }
    self = route
  }

  private struct Leg {
    let course: Double
    let length: Double

    init(from start: Coordinate, to end: Coordinate) {
      let scale = LocalScale(latitude: (start.latitude + end.latitude) / 2)
      var longitude = end.longitude - start.longitude
      longitude -= (longitude / 360).rounded() * 360
      let east = longitude * scale.metresPerDegreeEast
      let north = (end.latitude - start.latitude) * scale.metresPerDegreeNorth
      course = ExactMath.course(east: east, north: north)
      length = (east * east + north * north).squareRoot()
    }
  }
}
