import Glibc

/// An angle held as its sine and cosine, so that no digit is lost near 0° and 90°.
struct UnitVector {
  var sin: Double
  var cos: Double

  /// A direction; the length does not matter but must not be 0.
  init(sin: Double, cos: Double) {
    let length = hypot(sin, cos)
    self.sin = sin / length
    self.cos = cos / length
  }

  /// An angle of at most ± 720°.
  init(degrees: Double) {
    (sin, cos) = Degrees.sinCos(degrees)
  }

  /// An angle in radians.
  init(radians: Double) {
    sin = Glibc.sin(radians)
    cos = Glibc.cos(radians)
  }

  /// This angle with another one added.
  func rotated(by other: UnitVector) -> UnitVector {
    UnitVector(sin: sin * other.cos + cos * other.sin, cos: cos * other.cos - sin * other.sin)
  }

  /// From `start` to this angle, −π to π.
  func radians(from start: UnitVector) -> Double {
    Glibc.atan2(start.cos * sin - start.sin * cos, start.cos * cos + start.sin * sin)
  }

  /// −180 to 180.
  var degrees: Double { Degrees.atan2(sin, cos) }
}
