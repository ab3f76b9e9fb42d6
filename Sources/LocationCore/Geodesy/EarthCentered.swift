import Libc

/// A point in Earth-centred, Earth-fixed Cartesian coordinates, metres.
package struct EarthCentered: Hashable, Sendable {
  /// Towards 0° N 0° E, 0° N 90° E and the north pole.
  package var x: Double
  package var y: Double
  package var z: Double
}

extension EarthCentered {
  package init(_ coordinate: Coordinate) {
    let (sinLatitude, cosLatitude) = Degrees.sinCos(coordinate.latitude)
    let (sinLongitude, cosLongitude) = Degrees.sinCos(coordinate.longitude)
    let normal = WGS84.semiMajorAxis / (1 - WGS84.eccentricitySquared * sinLatitude * sinLatitude).squareRoot()
    self.init(
      x: normal * cosLatitude * cosLongitude, y: normal * cosLatitude * sinLongitude,
      z: normal * (1 - WGS84.eccentricitySquared) * sinLatitude)
  }

  /// The point of the ellipsoid below or above, exact to 1e-9° (Bowring 1976); `nil` more than 100 km from the surface.
  package var coordinate: Coordinate? {
    guard (WGS84.semiMinorAxis - 100_000...WGS84.semiMajorAxis + 100_000).contains(length) else { return nil }
    let (axis, minor) = (WGS84.semiMajorAxis, WGS84.semiMinorAxis)
    let equatorial = (x * x + y * y).squareRoot()
    let reduced = UnitVector(sin: z * axis, cos: equatorial * minor)
    let (sine, cosine) = (reduced.sin, reduced.cos)
    let second = WGS84.eccentricitySquared / (1 - WGS84.eccentricitySquared)
    let latitude = Degrees.atan2(
      z + second * minor * sine * sine * sine,
      equatorial - WGS84.eccentricitySquared * axis * cosine * cosine * cosine)
    return Coordinate(latitude: latitude, longitude: Degrees.atan2(y, x))
  }

  /// A difference of points or a velocity in the directions of a place.
  package func local(at place: Coordinate) -> (east: Double, north: Double, up: Double) {
    let (sinLatitude, cosLatitude) = Degrees.sinCos(place.latitude)
    let (sinLongitude, cosLongitude) = Degrees.sinCos(place.longitude)
    let outward = cosLongitude * x + sinLongitude * y
    let east = cosLongitude * y - sinLongitude * x
    return (east, cosLatitude * z - sinLatitude * outward, cosLatitude * outward + sinLatitude * z)
  }

  package static func - (end: Self, start: Self) -> Self {
    EarthCentered(x: end.x - start.x, y: end.y - start.y, z: end.z - start.z)
  }

  func dot(_ other: Self) -> Double { x * other.x + y * other.y + z * other.z }
  package var length: Double { dot(self).squareRoot() }

  /// Distance to the line segment between two points, metres.
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

/// Constants of the World Geodetic System 1984 (NIMA TR8350.2).
package enum WGS84 {
  /// Semi-major axis in metres.
  package static let semiMajorAxis = 6_378_137.0
  package static let flattening = 1 / 298.257_223_563
  package static let semiMinorAxis = semiMajorAxis * (1 - flattening)
  package static let eccentricitySquared = flattening * (2 - flattening)
}

/// An angle stored as sine and cosine, which keeps full precision near 0° and 90°.
struct UnitVector {
  var sin: Double
  var cos: Double

  /// Normalizes a vector whose length is not 0.
  init(sin: Double, cos: Double) {
    let length = hypot(sin, cos)
    self.sin = sin / length
    self.cos = cos / length
  }

  /// An angle within ± 720°.
  init(degrees: Double) { (sin, cos) = Degrees.sinCos(degrees) }

  init(radians: Double) {
    sin = Libc.sin(radians)
    cos = Libc.cos(radians)
  }

  func rotated(by other: UnitVector) -> UnitVector {
    UnitVector(sin: sin * other.cos + cos * other.sin, cos: cos * other.cos - sin * other.sin)
  }

  /// Angle from `start` to this one, −π to π.
  func radians(from start: UnitVector) -> Double {
    Libc.atan2(start.cos * sin - start.sin * cos, start.cos * cos + start.sin * sin)
  }
}
