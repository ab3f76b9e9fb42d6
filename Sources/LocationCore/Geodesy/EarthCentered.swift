/// A point in Earth-centred, Earth-fixed Cartesian coordinates, metres.
package struct EarthCentered: Hashable, Sendable {
  /// Towards 0° N 0° E.
  package var x: Double
  /// Towards 0° N 90° E.
  package var y: Double
  /// Towards the north pole.
  package var z: Double

  init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The place of a point on the ellipsoid.
  package init(_ coordinate: Coordinate) {
    let (sinLatitude, cosLatitude) = Degrees.sinCos(coordinate.latitude)
    let (sinLongitude, cosLongitude) = Degrees.sinCos(coordinate.longitude)
    let normal = WGS84.semiMajorAxis / (1 - WGS84.eccentricitySquared * sinLatitude * sinLatitude).squareRoot()
    x = normal * cosLatitude * cosLongitude
    y = normal * cosLatitude * sinLongitude
    z = normal * (1 - WGS84.eccentricitySquared) * sinLatitude
  }

  package static func - (end: Self, start: Self) -> Self {
    EarthCentered(x: end.x - start.x, y: end.y - start.y, z: end.z - start.z)
  }

  func dot(_ other: Self) -> Double { x * other.x + y * other.y + z * other.z }

  package var length: Double { dot(self).squareRoot() }

  /// The shortest way to the straight line between two points, ends included.
  package func distance(toSegmentFrom start: Self, to end: Self) -> Double {
    let along = end - start
    let toSelf = self - start
    let squared = along.dot(along)
    guard squared > 0 else { return toSelf.length }
    let part = min(max(toSelf.dot(along) / squared, 0), 1)
    return EarthCentered(
      x: toSelf.x - part * along.x, y: toSelf.y - part * along.y, z: toSelf.z - part * along.z
    ).length
  }
}
