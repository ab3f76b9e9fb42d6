/// Shortest lines on the WGS 84 ellipsoid.
///
/// Karney's method (J. Geod. 87, 2013) with series of order 6: accurate to about 15 nm for any two points,
/// nearly antipodal ones included, where Vincenty's iteration fails.
package enum Geodesic {
  /// A shortest line between two points.
  package struct Line: Hashable, Sendable {
    /// Length, metres.
    package let distance: Double
    /// Direction at the start, degrees from true north, 0 ≤ bearing < 360; 180 for a line of no length.
    package let initialBearing: Double
    /// Direction at the end, degrees from true north, 0 ≤ bearing < 360; 180 for a line of no length.
    package let finalBearing: Double
  }

  /// A latitude seen on the auxiliary sphere.
  struct ReducedLatitude {
    let sin: Double
    let cos: Double
    /// √(1 + e′² sin² β).
    let stretch: Double

    init(degrees: Double) {
      let geodetic = Degrees.sinCos(degrees)
      let reduced = UnitVector(sin: (1 - WGS84.flattening) * geodetic.sin, cos: geodetic.cos)
      sin = reduced.sin
      // Never 0: a line through a pole keeps its meridian.
      cos = max(reduced.cos, Double.leastNormalMagnitude.squareRoot())
      stretch = (1 + GeodesicSeries.secondEccentricitySquared * sin * sin).squareRoot()
    }
  }
}
