import Libc

struct MotionState: Sendable {
  /// Above this speed, m/s, courses and ways are used to learn.
  static let learnsAbove = 1.0

  /// Of the measurement, nanoseconds.
  var time: Int64
  var position: Coordinate
  /// m/s.
  var speed: Double
  /// Radians from true north, clockwise.
  var course: Double
  /// From the courses before, rad/s.
  var turnRate = 0.0

  func seconds(since start: MotionState) -> Double { Double(time &- start.time) * 1e-9 }

  /// Metres and bearing to another state.
  func way(to end: MotionState) -> (distance: Double, bearing: Double) {
    let way = LocalPlane(at: position).point(of: end.position)
    return (way.length, atan2(way.x, way.y))
  }
}

/// The tangent plane at a position. Within 1 km of it, distances are right to 0.1 %.
struct LocalPlane: Sendable {
  let origin: Coordinate
  /// Metres per degree.
  let north: Double
  let east: Double

  init(at origin: Coordinate) {
    self.origin = origin
    let (sine, cosine) = Degrees.sinCos(origin.latitude)
    let curvature = 1 - WGS84.eccentricitySquared * sine * sine
    let normal = WGS84.semiMajorAxis / curvature.squareRoot()
    north = normal * (1 - WGS84.eccentricitySquared) / curvature / Degrees.perRadian
    // At a pole a degree of longitude has no length.
    east = max(normal * cosine / Degrees.perRadian, 1e-3)
  }

  /// Metres east and north.
  func point(of position: Coordinate) -> SIMD2<Double> {
    SIMD2(
      Degrees.normalized(position.longitude - origin.longitude) * east, (position.latitude - origin.latitude) * north)
  }

  func coordinate(east: Double, north: Double) -> Coordinate {
    Coordinate(
      latitude: min(max(origin.latitude + north / self.north, -90), 90),
      longitude: Degrees.normalized(origin.longitude + east / self.east)) ?? origin
  }
}

extension SIMD2<Double> {
  var length: Double { hypot(x, y) }
}

/// Angles in radians.
enum Angle {
  /// The equivalent angle in −π to π.
  static func wrapped(_ angle: Double) -> Double { angle.remainder(dividingBy: 2 * .pi) }
}
