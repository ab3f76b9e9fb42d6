/// A point on the WGS 84 ellipsoid.
public struct Coordinate: Hashable, Sendable {
  /// Geodetic latitude in degrees, −90 to 90, north positive.
  public let latitude: Double
  /// Longitude in degrees, −180 to 180, east positive.
  public let longitude: Double

  /// The point, or `nil` when a value is not finite or out of range.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}
