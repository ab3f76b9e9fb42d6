import Glibc

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
