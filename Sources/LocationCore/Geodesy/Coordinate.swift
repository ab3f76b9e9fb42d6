import Libc

/// A point on the WGS 84 ellipsoid.
public struct Coordinate: Hashable, Codable, Sendable {
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

  /// Decodes a point; values out of range are corrupted data.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let latitude = try values.decode(Double.self, forKey: .latitude)
    let longitude = try values.decode(Double.self, forKey: .longitude)
    guard let point = Coordinate(latitude: latitude, longitude: longitude) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(latitude), \(longitude) is out of range"))
    }
    self = point
  }

  private init() { (latitude, longitude) = (0, 0) }

  /// The point 0, 0, for a value that is yet to be read.
  package static let origin = Coordinate()

  /// Longest chord that is returned as a distance, metres. A chord of 10 km is 1 mm shorter than its geodesic.
  static let chordLimit = 10_000.0

  /// Length of the straight line through the Earth, metres. Up to 100 m it is within 4 nm of the geodesic.
  package func chord(to other: Coordinate) -> Double { (EarthCentered(other) - EarthCentered(self)).length }

  /// Horizontal distance to another point, metres: the chord up to 10 km, which is at most 1 mm shorter than the
  /// geodesic, and the geodesic beyond (Karney 2013, accurate to 15 nm).
  public func distance(to other: Coordinate) -> Double {
    distance(to: other, EarthCentered(self), EarthCentered(other))
  }

  /// `distance(to:)` for points whose Cartesian coordinates are at hand.
  package func distance(to other: Coordinate, _ place: EarthCentered, _ otherPlace: EarthCentered) -> Double {
    let chord = (otherPlace - place).length
    return chord <= Self.chordLimit ? chord : Geodesic.inverse(from: self, to: other).distance
  }

  /// The path along meridian and parallel is tried first: never shorter than the distance, at most 111.7 km a degree.
  package func isWithin(_ metres: Double, of other: Coordinate) -> Bool {
    let degrees = abs(latitude - other.latitude) + abs(longitude - other.longitude)
    return degrees * 111_700 <= metres || distance(to: other) <= metres
  }

  /// Initial bearing of the geodesic, degrees from true north, 0 ≤ bearing < 360; `nil` when the points coincide.
  public func bearing(to other: Coordinate) -> Double? {
    let line = Geodesic.inverse(from: self, to: other)
    return line.distance > 0 ? line.initialBearing : nil
  }

  /// The point at the end of the geodesic that begins here (Karney 2013, accurate to 15 nm); `nil` when an argument is
  /// not finite.
  ///
  /// - Parameters:
  ///   - distance: Metres along the ellipsoid; negative values go backwards.
  ///   - bearing: Initial bearing, degrees from true north; at a pole, from the meridian of this point's longitude.
  public func moved(by distance: Double, bearing: Double) -> Coordinate? {
    Geodesic.direct(from: self, bearing: bearing, distance: distance)
  }

  /// Metres to the chord between two points, s²/8R below the ellipsoid (2 cm for 1 km): the path between two fixes.
  package func distance(toSegmentFrom start: Coordinate, to end: Coordinate) -> Double {
    EarthCentered(self).distance(toSegmentFrom: EarthCentered(start), to: EarthCentered(end))
  }
}

/// Angles reduced exactly before radians: cos 90° is 0, 179.9999° keeps its digits, no special case at the poles.
enum Degrees {
  static let perRadian = 180 / Double.pi

  /// Sine and cosine of an angle within ± 720°.
  static func sinCos(_ degrees: Double) -> (sin: Double, cos: Double) {
    // Exact: small multiples of 90 are not rounded, and the remainder is representable.
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

  /// Direction of (x, y), −180 to 180, exact at multiples of 90.
  static func atan2(_ y: Double, _ x: Double) -> Double { Libc.atan2(y, x) * perRadian }
  /// The equivalent angle in −180 to 180.
  static func normalized(_ degrees: Double) -> Double { degrees.remainder(dividingBy: 360) }

  /// The equivalent bearing, 0 ≤ bearing < 360.
  static func bearing(_ degrees: Double) -> Double {
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    let positive = rest < 0 ? rest + 360 : rest
    return positive < 360 ? positive + 0 : 0
  }

  /// `end − start` in −180 to 180, with the rounding error of the difference.
  static func difference(from start: Double, to end: Double) -> (degrees: Double, error: Double) {
    let (sum, error) = exactSum(normalized(-start), normalized(end))
    let wrapped = normalized(sum)
    // ± 180 are the same direction; the sign of the error selects the side.
    if abs(wrapped) == 180, error != 0, wrapped.sign == error.sign { return (-wrapped, error) }
    return exactSum(wrapped, error)
  }

  /// Sum and its rounding error (Knuth's TwoSum).
  private static func exactSum(_ a: Double, _ b: Double) -> (degrees: Double, error: Double) {
    let sum = a + b
    let bPart = sum - a
    return (sum, (a - (sum - bPart)) + (b - bPart))
  }
}
