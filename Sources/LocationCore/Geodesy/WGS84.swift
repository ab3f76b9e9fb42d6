/// The defining and derived constants of the World Geodetic System 1984 (NIMA TR8350.2).
package enum WGS84 {
  /// Semi-major axis in metres.
  package static let semiMajorAxis = 6_378_137.0
  /// Flattening.
  package static let flattening = 1 / 298.257_223_563
  /// Semi-minor axis in metres.
  package static let semiMinorAxis = semiMajorAxis * (1 - flattening)
  /// First eccentricity squared.
  package static let eccentricitySquared = flattening * (2 - flattening)
}
