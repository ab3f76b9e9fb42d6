/// Pseudo-random numbers that are the same on every machine: xoshiro256**, seeded by SplitMix64
/// (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021).
package struct SeededRandom: Sendable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// A generator of one of the many independent streams of a seed.
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

  /// The next 64 bits.
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

  /// A number from 0 up to 1.
  package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number in the range.
  package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// A normal deviate of mean 0 and standard deviation 1, never beyond ± 6: the sum of twelve uniform ones
  /// needs additions only, which are the same everywhere.
  package mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += uniform() }
    return sum
  }
}
