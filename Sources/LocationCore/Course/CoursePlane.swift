/// The tangent plane at a fix: distances within 10 km are right to 1 cm, directions everywhere, also at the poles.
struct CoursePlane {
  let origin: EarthCentered
  private let latitude: (sin: Double, cos: Double)
  private let longitude: (sin: Double, cos: Double)

  init(at coordinate: Coordinate) {
    origin = EarthCentered(coordinate)
    latitude = Degrees.sinCos(coordinate.latitude)
    longitude = Degrees.sinCos(coordinate.longitude)
  }

  /// Metres east and north.
  func point(_ place: EarthCentered) -> SIMD2<Double> {
    let way = place - origin
    let outwards = longitude.cos * way.x + longitude.sin * way.y
    return SIMD2(
      longitude.cos * way.y - longitude.sin * way.x, latitude.cos * way.z - latitude.sin * outwards)
  }
}

extension SIMD2<Double> {
  /// The unit vector of a course, degrees from true north: east and north.
  init(course: Double) {
    let (sine, cosine) = Degrees.sinCos(course)
    self.init(sine, cosine)
  }

  func dot(_ other: Self) -> Double { x * other.x + y * other.y }
}
