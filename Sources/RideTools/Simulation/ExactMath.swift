/// Elementary functions that use additions, multiplications, divisions and square roots only.
/// IEEE 754 determines these four to the last bit, libm's sine differs between versions and processors: so a simulated
/// ride is the same bytes on every machine. Errors are below 1e-14, far less than a receiver's last decimal.
enum ExactMath {
  static let pi = 3.141_592_653_589_793
  private static let radiansPerDegree = pi / 180

  /// Sine and cosine of an angle in degrees, up to a few turns.
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

  /// The same direction from −180° to 180°.
  static func halfTurn(_ degrees: Double) -> Double { degrees - (degrees / 360).rounded() * 360 }
  /// The same direction from 0° to below 360°.
  static func fullTurn(_ degrees: Double) -> Double { degrees - (degrees / 360).rounded(.down) * 360 }

  /// The course of a step, degrees from north, 0 ≤ course < 360; 0 for an empty step.
  static func course(east: Double, north: Double) -> Double {
    let (small, large) = (min(abs(east), abs(north)), max(abs(east), abs(north)))
    guard large > 0 else { return 0 }
    var angle = arcTangent(small / large) / radiansPerDegree
    if abs(east) > abs(north) { angle = 90 - angle }
    if north < 0 { angle = 180 - angle }
    if east < 0 { angle = 360 - angle }
    return angle >= 360 ? 0 : angle
  }

  /// e to the power of a number ≤ 1.
  static func exponential(_ exponent: Double) -> Double {
    let part = max(exponent, -700) / 1024
    var sum = 1.0
    for divisor in stride(from: 8.0, through: 1, by: -1) { sum = 1 + sum * part / divisor }
    for _ in 0..<10 { sum *= sum }
    return sum
  }

  /// Taylor series for at most an eighth of a turn.
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

  /// The arc tangent of 0 to 1: halved twice, then Taylor series.
  private static func arcTangent(_ tangent: Double) -> Double {
    var reduced = tangent
    for _ in 0..<2 { reduced = reduced / (1 + (1 + reduced * reduced).squareRoot()) }
    let square = reduced * reduced
    var sum = 0.0
    for order in stride(from: 25.0, through: 1, by: -2) { sum = 1 / order - sum * square }
    return 4 * reduced * sum
  }
}

/// A generator of pseudo-random numbers that are the same on every machine: xoshiro256**, seeded by SplitMix64
/// (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021).
package struct SeededRandom: Sendable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  package init(seed: UInt64, stream: UInt64) {
    var mixer = seed &+ stream &* 0xD1B5_4A32_D192_ED03
    func mixed() -> UInt64 {
      mixer &+= 0x9E37_79B9_7F4A_7C15
      var word = mixer
      word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
      return word ^ (word >> 31)
    }
    state = (mixed(), mixed(), mixed(), mixed())
  }

  package mutating func next() -> UInt64 {
    let scaled = state.1 &* 5
    let result = (scaled << 7 | scaled >> 57) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = state.3 << 45 | state.3 >> 19
    return result
  }

  package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// A normal deviate within ± 6, from the sum of twelve uniform ones: additions give the same result everywhere.
  package mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += uniform() }
    return sum
  }
}
