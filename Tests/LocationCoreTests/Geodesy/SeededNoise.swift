@testable import LocationCore

/// Random numbers that are the same in every run (SplitMix64), and positions made of them.
struct SeededNoise: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

  /// Normally distributed, mean 0, σ 1: twelve uniform numbers are near enough (Irwin–Hall).
  mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += uniform(0...1) }
    return sum
  }

  /// Anywhere on the ellipsoid, poles and antimeridian included.
  mutating func coordinate() -> Coordinate {
    let latitude = [uniform(-90...90), uniform(89.999...90), -90, uniform(-0.001...0.001)][
      Int.random(in: 0...3, using: &self)]
    let longitude = [uniform(-180...180), uniform(179.999...180), uniform(-180 ... -179.999)][
      Int.random(in: 0...2, using: &self)]
    return Coordinate(latitude: latitude, longitude: longitude) ?? here
  }
}

/// A place that many tests happen at.
let here = place(48.2, 16.37)

/// A coordinate of a test's own making.
func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
  guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
    preconditionFailure("no such place: \(latitude) \(longitude)")
  }
  return coordinate
}

extension Coordinate {
  /// The place that many metres away.
  func moved(_ metres: Double, towards bearing: Double = 90) -> Coordinate {
    Geodesic.direct(from: self, bearing: bearing, distance: metres) ?? self
  }

  /// The place that many metres to the north and east.
  func offset(north: Double, east: Double) -> Coordinate {
    moved((north * north + east * east).squareRoot(), towards: Degrees.atan2(east, north))
  }
}

/// Virtual time: seconds after the clock's start.
func at(_ seconds: Double) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: Int64((seconds * 1e9).rounded()))
}
