import Glibc

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

extension Coordinate {
  /// How far two points may be apart for the chord to stand for the distance, metres.
  ///
  /// A chord of 10 km is 1 mm shorter than its geodesic.
  static let chordLimit = 10_000.0

  /// The straight line through the Earth to another point, metres.
  ///
  /// Within 4 nm of the geodesic up to 100 m, everywhere.
  package func chord(to other: Coordinate) -> Double {
    (EarthCentered(other) - EarthCentered(self)).length
  }

  /// The horizontal distance to another point, metres: the chord up to 10 km, the geodesic beyond.
  package func distance(to other: Coordinate) -> Double {
    let chord = chord(to: other)
    return chord <= Self.chordLimit ? chord : Geodesic.inverse(from: self, to: other).distance
  }

  /// The same distance, where the place of both points is known already.
  package func distance(to other: Coordinate, _ place: EarthCentered, _ otherPlace: EarthCentered) -> Double {
    let chord = (otherPlace - place).length
    return chord <= Self.chordLimit ? chord : Geodesic.inverse(from: self, to: other).distance
  }

  /// Whether another point is at most that many metres away.
  ///
  /// Mostly the way along the meridian and then along the parallel tells: it is never shorter than the distance, and
  /// nowhere is a degree of either longer than 111.7 km.
  package func isWithin(_ metres: Double, of other: Coordinate) -> Bool {
    let degrees = abs(latitude - other.latitude) + abs(longitude - other.longitude)
    return degrees * 111_700 <= metres || distance(to: other) <= metres
  }

  /// The direction of another point at the start of the shortest way, degrees from true north,
  /// 0 ≤ bearing < 360; `nil` when the points are the same.
  package func bearing(to other: Coordinate) -> Double? {
    let line = Geodesic.inverse(from: self, to: other)
    return line.distance > 0 ? line.initialBearing : nil
  }

  /// The distance to the straight line between two points, metres.
  ///
  /// The line is a chord: it dips s²/8R below the ellipsoid, 2 cm in 1 km. Meant for the way between two fixes.
  package func distance(toSegmentFrom start: Coordinate, to end: Coordinate) -> Double {
    EarthCentered(self).distance(toSegmentFrom: EarthCentered(start), to: EarthCentered(end))
  }
}

/// Trigonometry of angles in degrees, reduced exactly before anything is rounded to radians.
///
/// 90° has a cosine of exactly 0 and 179.9999° keeps all its digits, so poles and the antimeridian need no
/// special case.
enum Degrees {
  static let perRadian = 180 / Double.pi

  /// Sine and cosine of an angle of at most ± 720°.
  static func sinCos(_ degrees: Double) -> (sin: Double, cos: Double) {
    // Exact, as the remainder is: few quarters of 90 have no rounding, and what is left has a place in a Double.
    let quarters = (degrees / 90).rounded()
    let radians = (degrees - quarters * 90) / perRadian
    let (sine, cosine) = (sin(radians), cos(radians))
    switch quarters - ((quarters / 4).rounded(.down) * 4) {
    case 0: return (sine, cosine)
    case 1: return (cosine, 0 - sine)
    case 2: return (0 - sine, 0 - cosine)
    default: return (0 - cosine, sine)
    }
  }

  /// The direction of (x, y), −180 to 180, exact at the quarters.
  static func atan2(_ y: Double, _ x: Double) -> Double {
    Glibc.atan2(y, x) * perRadian
  }

  /// The same angle in −180 to 180.
  static func normalized(_ degrees: Double) -> Double {
    degrees.remainder(dividingBy: 360)
  }

  /// The same angle as a bearing, 0 ≤ bearing < 360.
  static func bearing(_ degrees: Double) -> Double {
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    let positive = rest < 0 ? rest + 360 : rest
    return positive < 360 ? positive + 0 : 0
  }

  /// `end − start` in −180 to 180, with the rounding error of the difference.
  static func difference(from start: Double, to end: Double) -> (degrees: Double, error: Double) {
    let (sum, error) = exactSum(normalized(-start), normalized(end))
    let wrapped = normalized(sum)
    // ± 180 are the same direction, and the error tells on which side of it the angle lies.
    if abs(wrapped) == 180, error != 0, wrapped.sign == error.sign { return (-wrapped, error) }
    return exactSum(wrapped, error)
  }

  /// The sum and what rounding took from it (Knuth's TwoSum).
  private static func exactSum(_ a: Double, _ b: Double) -> (degrees: Double, error: Double) {
    let sum = a + b
    let bPart = sum - a
    return (sum, (a - (sum - bPart)) + (b - bPart))
  }
}
