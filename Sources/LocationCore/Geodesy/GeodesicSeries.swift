/// Sixth-order series: C. F. F. Karney, "Algorithms for geodesics", J. Geod. 87 (2013), equations 17, 18, 21, 24, 25,
/// 42 and 43, for WGS 84. `epsilon`, of equation 16, depends on the azimuth at the equator.
struct GeodesicSeries {
  static let secondEccentricitySquared = WGS84.eccentricitySquared / (1 - WGS84.eccentricitySquared)
  static let thirdFlattening = WGS84.flattening / (2 - WGS84.flattening)

  let epsilon: Double

  init(cosEquatorialAzimuth: Double) {
    let k2 = cosEquatorialAzimuth * cosEquatorialAzimuth * Self.secondEccentricitySquared
    epsilon = k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
  }

  /// Scale of the distance integral (17).
  var a1: Double {
    let e2 = epsilon * epsilon
    return (1 + e2 * (1 / 4.0 + e2 * (1 / 64.0 + e2 / 256))) / (1 - epsilon)
  }

  /// Sine terms of the distance integral (18).
  var c1: SineSeries {
    let (e, e2) = (epsilon, epsilon * epsilon)
    let (e3, e4) = (e * e2, e2 * e2)
    return SineSeries(
      c1: e * (-1 / 2.0 + e2 * (3 / 16.0 - e2 / 32)),
      c2: e2 * (-1 / 16.0 + e2 * (1 / 32.0 - e2 * 9 / 2048)),
      c3: e3 * (-1 / 48.0 + e2 * 3 / 256),
      c4: e4 * (-5 / 512.0 + e2 * 3 / 512),
      c5: e4 * e * -7 / 1280,
      c6: e4 * e2 * -7 / 2048)
  }

  /// Sine terms of the inverted distance integral (21).
  var c1Reverted: SineSeries {
    let (e, e2) = (epsilon, epsilon * epsilon)
    let (e3, e4) = (e * e2, e2 * e2)
    return SineSeries(
      c1: e * (1 / 2.0 + e2 * (-9 / 32.0 + e2 * 205 / 1536)),
      c2: e2 * (5 / 16.0 + e2 * (-37 / 96.0 + e2 * 1335 / 4096)),
      c3: e3 * (29 / 96.0 - e2 * 75 / 128),
      c4: e4 * (539 / 1536.0 - e2 * 2391 / 2560),
      c5: e4 * e * 3467 / 7680,
      c6: e4 * e2 * 38081 / 61440)
  }

  /// Scale of the second integral of the reduced length (42).
  var a2: Double {
    let e2 = epsilon * epsilon
    return (1 - e2 * (3 / 4.0 + e2 * (7 / 64.0 + e2 * 11 / 256))) / (1 + epsilon)
  }

  /// Sine terms of the second integral of the reduced length (43).
  var c2: SineSeries {
    let (e, e2) = (epsilon, epsilon * epsilon)
    let (e3, e4) = (e * e2, e2 * e2)
    return SineSeries(
      c1: e * (1 / 2.0 + e2 * (1 / 16.0 + e2 / 32)),
      c2: e2 * (3 / 16.0 + e2 * (1 / 32.0 + e2 * 35 / 2048)),
      c3: e3 * (5 / 48.0 + e2 * 5 / 256),
      c4: e4 * (35 / 512.0 + e2 * 7 / 512),
      c5: e4 * e * 63 / 1280,
      c6: e4 * e2 * 77 / 2048)
  }

  /// Scale of the longitude integral (24).
  var a3: Double {
    let (e, n) = (epsilon, Self.thirdFlattening)
    let e1 = (n - 1) / 2
    let e2 = ((3 * n - 1) * n - 2) / 8
    let e3 = ((-n - 3) * n - 1) / 16
    let e4 = (-2 * n - 3) / 64
    return 1 + e * (e1 + e * (e2 + e * (e3 + e * (e4 - e * 3 / 128))))
  }

  /// Sine terms of the longitude integral (25).
  var c3: SineSeries {
    let (e, n) = (epsilon, Self.thirdFlattening)
    let e2 = e * e
    let one =
      e * ((1 - n) / 4 + e * ((1 - n * n) / 8 + e * (((3 - n) * n + 3) / 64 + e * ((2 * n + 5) / 128 + e * 3 / 128))))
    let two = e2 * (((n - 3) * n + 2) / 32 + e * (((-3 * n - 2) * n + 3) / 64 + e * ((n + 3) / 128 + e * 5 / 256)))
    let three = e2 * e * (((5 * n - 9) * n + 5) / 192 + e * ((9 - 10 * n) / 384 + e * 7 / 512))
    let four = e2 * e2 * ((7 - 14 * n) / 512 + e * 7 / 512)
    return SineSeries(c1: one, c2: two, c3: three, c4: four, c5: e2 * e2 * e * 21 / 2560)
  }
}

/// A sine series of six terms, Σ cₗ sin 2lσ: the form of each integral along a geodesic.
struct SineSeries {
  var c1 = 0.0
  var c2 = 0.0
  var c3 = 0.0
  var c4 = 0.0
  var c5 = 0.0
  var c6 = 0.0

  /// The sum at an angle, by Clenshaw's recurrence.
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

  func difference(from start: UnitVector, to end: UnitVector) -> Double {
    self(sin: end.sin, cos: end.cos) - self(sin: start.sin, cos: start.cos)
  }
}
