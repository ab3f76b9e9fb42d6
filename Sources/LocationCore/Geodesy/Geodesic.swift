import Libc

/// Geodesics on the WGS 84 ellipsoid by Karney's method (J. Geod. 87, 2013), series of order 6: accurate to about 15
/// nm, even between nearly antipodal points, where Vincenty's iteration fails.
package enum Geodesic {
  package struct Line: Hashable, Sendable {
    /// Length, metres.
    package let distance: Double
    /// Directions at start and end, degrees from true north, 0 ≤ bearing < 360; 180 for coincident points.
    package let initialBearing: Double
    package let finalBearing: Double
  }

  struct ReducedLatitude {
    let sin: Double
    let cos: Double
    /// √(1 + e′² sin² β).
    let stretch: Double

    init(degrees: Double) {
      let geodetic = Degrees.sinCos(degrees)
      let reduced = UnitVector(sin: (1 - WGS84.flattening) * geodetic.sin, cos: geodetic.cos)
      sin = reduced.sin
      // Never 0, so that a line through a pole keeps its meridian.
      cos = max(reduced.cos, Double.leastNormalMagnitude.squareRoot())
      stretch = (1 + GeodesicSeries.secondEccentricitySquared * sin * sin).squareRoot()
    }
  }

  /// `nil` when an argument is not finite. The bearing in degrees from true north; at a pole, from the meridian of
  /// `start.longitude`. Negative metres go backwards.
  package static func direct(from start: Coordinate, bearing: Double, distance: Double) -> Coordinate? {
    guard bearing.isFinite, distance.isFinite else { return nil }
    let azimuth = UnitVector(degrees: Degrees.normalized(bearing))
    let latitude = ReducedLatitude(degrees: start.latitude)
    let sinEquatorial = azimuth.sin * latitude.cos
    let cosEquatorial = hypot(azimuth.cos, azimuth.sin * latitude.sin)
    let series = GeodesicSeries(cosEquatorialAzimuth: cosEquatorial)
    let onEquator = latitude.sin == 0 && azimuth.cos == 0
    let cosStart = onEquator ? 1 : azimuth.cos * latitude.cos
    let arcStart = UnitVector(sin: latitude.sin, cos: cosStart)
    let c1 = series.c1
    let b1 = c1(sin: arcStart.sin, cos: arcStart.cos)
    let tau = distance / (WGS84.semiMinorAxis * series.a1)
    let tauEnd = arcStart.rotated(by: UnitVector(radians: b1)).rotated(by: UnitVector(radians: tau))
    let arc = tau + series.c1Reverted(sin: tauEnd.sin, cos: tauEnd.cos) + b1
    let arcEnd = arcStart.rotated(by: UnitVector(radians: arc))
    // Longitudes on the auxiliary sphere, not normalized: only the ratio matters.
    let (sinStart, sinEnd) = (sinEquatorial * latitude.sin, sinEquatorial * arcEnd.sin)
    let spherical = Libc.atan2(sinEnd * cosStart - arcEnd.cos * sinStart, arcEnd.cos * cosStart + sinEnd * sinStart)
    let longitude =
      spherical - WGS84.flattening * series.a3 * sinEquatorial
      * (arc + series.c3.difference(from: arcStart, to: arcEnd))

    return Coordinate(
      latitude: Degrees.atan2(
        cosEquatorial * arcEnd.sin,
        (1 - WGS84.flattening) * hypot(sinEquatorial, cosEquatorial * arcEnd.cos)),
      longitude: Degrees.normalized(start.longitude + longitude * Degrees.perRadian))
  }

  /// The geodesic between two points; one of several when they are antipodal.
  package static func inverse(from start: Coordinate, to end: Coordinate) -> Line {
    // The solver's canonical form: eastwards, from the point farther from the equator, which is in the south.
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
    // Undo the transformation: a westward line is mirrored, a reversed line runs north where it ran south.
    let eastSign: Double = westwards ? -1 : 1
    let northSign: Double = mirrored != swapped ? -1 : 1
    return Line(
      distance: solution.distance,
      initialBearing: Degrees.bearing(Degrees.atan2(eastSign * first.sin, northSign * first.cos)),
      finalBearing: Degrees.bearing(Degrees.atan2(eastSign * last.sin, northSign * last.cos)))
  }
}
