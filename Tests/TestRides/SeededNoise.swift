import Libc
import LocationCore

/// Reproducible random numbers (SplitMix64) and positions.
package struct SeededNoise: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  package mutating func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

  /// Normally distributed, mean 0, σ 1, from twelve uniform numbers (Irwin–Hall).
  package mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += uniform(0...1) }
    return sum
  }

  /// A position anywhere on the ellipsoid, including poles and antimeridian.
  package mutating func coordinate() -> Coordinate {
    let latitude = [uniform(-90...90), uniform(89.999...90), -90, uniform(-0.001...0.001)][
      Int.random(in: 0...3, using: &self)]
    let longitude = [uniform(-180...180), uniform(179.999...180), uniform(-180 ... -179.999)][
      Int.random(in: 0...2, using: &self)]
    return Coordinate(latitude: latitude, longitude: longitude) ?? here
  }
}

/// The default position of the tests.
package let here = place(48.2, 16.37)

/// A coordinate for a test.
package func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
  guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
    preconditionFailure("no such place: \(latitude) \(longitude)")
  }
  return coordinate
}

extension Coordinate {
  /// The position at a distance, metres.
  package func moved(_ metres: Double, towards bearing: Double = 90) -> Coordinate {
    Geodesic.direct(from: self, bearing: bearing, distance: metres) ?? self
  }

  /// The position at a northward and eastward offset, metres.
  package func offset(north: Double, east: Double) -> Coordinate {
    moved((north * north + east * east).squareRoot(), towards: atan2(east, north) * 180 / .pi)
  }
}

/// Virtual time: seconds after the clock's start.
package func at(_ seconds: Double) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: Int64((seconds * 1e9).rounded()))
}

/// The processor time of this thread, seconds: what other processes take does not count.
package func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Reproducible random numbers (xorshift64*).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  package mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
