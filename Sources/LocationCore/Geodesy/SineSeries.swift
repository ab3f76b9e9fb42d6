/// A sine series of six terms, Σ cₗ sin 2lσ, the form of every integral along a geodesic.
struct SineSeries {
  var c1 = 0.0
  var c2 = 0.0
  var c3 = 0.0
  var c4 = 0.0
  var c5 = 0.0
  var c6 = 0.0

  /// The sum at an angle given by sine and cosine, by Clenshaw's recurrence.
  func callAsFunction(sin: Double, cos: Double) -> Double {
    let twice = 2 * (cos - sin) * (cos + sin)
    let b6 = c6
    let b5 = twice * b6 + c5
    let b4 = twice * b5 - b6 + c4
    let b3 = twice * b4 - b5 + c3
    let b2 = twice * b3 - b4 + c2
    let b1 = twice * b2 - b3 + c1
    return 2 * sin * cos * b1
  }

  /// The sum at `end` less the sum at `start`.
  func difference(from start: UnitVector, to end: UnitVector) -> Double {
    self(sin: end.sin, cos: end.cos) - self(sin: start.sin, cos: start.cos)
  }
}
