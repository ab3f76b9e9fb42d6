/// Elementary functions from additions, multiplications, divisions and square roots alone.
///
/// IEEE 754 fixes the result of those four to the last bit, and nothing else: libm's sine differs between
/// versions and processors. A simulated ride is to be the same byte for byte on every machine.
/// Errors stay below 1e-14, far under the last decimal that a receiver writes.
enum ExactMath {
  static let pi = 3.141_592_653_589_793
  private static let radiansPerDegree = pi / 180

  /// Sine and cosine of an angle in degrees, any angle of up to a few turns.
  static func sineCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    let quarter = (degrees / 90).rounded()
    let (sine, cosine) = sineCosine(small: (degrees - quarter * 90) * radiansPerDegree)
    switch Int(quarter) & 3 {
    case 0: return (sine, cosine)
    case 1: return (cosine, -sine)
    case 2: return (-sine, -cosine)
    default: return (-cosine, sine)
    }
  }

  /// The course of a step, degrees from north, 0 ≤ course < 360; 0 for no step.
  static func course(east: Double, north: Double) -> Double {
    let (small, large) = (min(abs(east), abs(north)), max(abs(east), abs(north)))
    guard large > 0 else { return 0 }
    var angle = arcTangent(small / large) / radiansPerDegree
    if abs(east) > abs(north) { angle = 90 - angle }
    if north < 0 { angle = 180 - angle }
    if east < 0 { angle = 360 - angle }
    return angle >= 360 ? 0 : angle
  }

  /// e to the power of a number that is not positive.
  static func exponential(_ exponent: Double) -> Double {
    let part = max(exponent, -700) / 1024
    var sum = 1.0
    for divisor in stride(from: 8.0, through: 1, by: -1) { sum = 1 + sum * part / divisor }
    for _ in 0..<10 { sum *= sum }
    return sum
  }

  /// Taylor series, for at most an eighth of a turn.
  private static func sineCosine(small angle: Double) -> (Double, Double) {
    let square = angle * angle
    var sine = 1.0
    var cosine = 1.0
    for order in stride(from: 18.0, through: 2, by: -2) {
      sine = 1 - sine * square / (order * (order + 1))
      cosine = 1 - cosine * square / (order * (order - 1))
    }
    return (sine * angle, cosine)
  }

  /// The arc tangent of 0 to 1: halved twice, then its series.
  private static func arcTangent(_ tangent: Double) -> Double {
    var reduced = tangent
    for _ in 0..<2 { reduced = reduced / (1 + (1 + reduced * reduced).squareRoot()) }
    let square = reduced * reduced
    var sum = 0.0
    for order in stride(from: 25.0, through: 1, by: -2) { sum = 1 / order - sum * square }
    return 4 * reduced * sum
  }
}
