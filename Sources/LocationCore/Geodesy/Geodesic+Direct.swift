import Glibc

extension Geodesic {
  /// The point that many metres away on the geodesic that leaves in a direction.
  ///
  /// - Parameters:
  ///   - bearing: degrees from true north. At a pole it counts from the meridian of `start`'s longitude.
  ///   - distance: metres; negative goes backwards.
  /// - Returns: `nil` when an argument is not finite.
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

    // Longitudes on the auxiliary sphere, unnormalised: only their ratio counts.
    let (sinStart, sinEnd) = (sinEquatorial * latitude.sin, sinEquatorial * arcEnd.sin)
    let spherical = Glibc.atan2(
      sinEnd * cosStart - arcEnd.cos * sinStart, arcEnd.cos * cosStart + sinEnd * sinStart)
    let longitude =
      spherical - WGS84.flattening * series.a3 * sinEquatorial
      * (arc + series.c3.difference(from: arcStart, to: arcEnd))

    return Coordinate(
      latitude: Degrees.atan2(
        cosEquatorial * arcEnd.sin,
        (1 - WGS84.flattening) * hypot(sinEquatorial, cosEquatorial * arcEnd.cos)),
      longitude: Degrees.normalized(start.longitude + longitude * Degrees.perRadian))
  }
}
