import Glibc

extension Geodesic {
  /// The shortest line between two points.
  ///
  /// Between points that are exactly opposite there are several; one of them is returned.
  package static func inverse(from start: Coordinate, to end: Coordinate) -> Line {
    // The problem is turned into the one form that the solver knows: eastwards, starting on the southern
    // hemisphere at the point that is farther from the equator.
    let (longitude, error) = Degrees.difference(from: start.longitude, to: end.longitude)
    let westwards = longitude < 0
    let swapped = abs(start.latitude) < abs(end.latitude)
    let (far, near) = swapped ? (end.latitude, start.latitude) : (start.latitude, end.latitude)
    let mirrored = far > 0

    let solution = GeodesicSolver(
      from: mirrored ? -far : far, to: mirrored ? -near : near, longitude: abs(longitude),
      error: westwards ? -error : error
    ).solve()

    var (first, last) = (solution.azimuthAtStart, solution.azimuthAtEnd)
    if swapped { swap(&first, &last) }
    // Westwards is the east in a mirror; a line walked the other way runs north where it ran south.
    let eastSign: Double = westwards ? -1 : 1
    let northSign: Double = mirrored != swapped ? -1 : 1
    return Line(
      distance: solution.distance,
      initialBearing: Degrees.bearing(Degrees.atan2(eastSign * first.sin, northSign * first.cos)),
      finalBearing: Degrees.bearing(Degrees.atan2(eastSign * last.sin, northSign * last.cos)))
  }
}
