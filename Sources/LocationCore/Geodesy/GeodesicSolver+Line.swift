import Glibc

extension GeodesicSolver {
  /// A first azimuth, from the sphere.
  struct Guess {
    var azimuth: UnitVector
    /// Difference of longitude on the auxiliary sphere.
    var omega: UnitVector
    var sinArc: Double
    var cosArc: Double
    /// Of the local sphere; `nil` when the points are too far apart for it.
    var stretch: Double?
  }

  /// The geodesic that leaves the start in some direction, as far as the latitude of the end.
  struct Attempt {
    /// How far east of the end it arrives, radians.
    var miss: Double
    /// The change of `miss` with the azimuth.
    var slope: Double
    /// In semi-minor axes.
    var distance: Double
    var azimuthAtEnd: UnitVector
  }

  func guess() -> Guess {
    let sinBeta = end.sin * start.cos - end.cos * start.sin
    let cosBeta = end.cos * start.cos + end.sin * start.sin
    let sinBetaSum = end.sin * start.cos + end.cos * start.sin
    var omega = target
    var stretch: Double?
    if cosBeta >= 0, sinBeta < 0.5, end.cos * longitude < 0.5 {
      let middle = UnitVector(sin: start.sin + end.sin, cos: start.cos + end.cos)
      let local = (1 + GeodesicSeries.secondEccentricitySquared * middle.sin * middle.sin).squareRoot()
      omega = UnitVector(radians: longitude / ((1 - WGS84.flattening) * local))
      stretch = local
    }
    let east = end.cos * omega.sin
    let bend = end.cos * start.sin * omega.sin * omega.sin
    let north = omega.cos >= 0 ? sinBeta + bend / (1 + omega.cos) : sinBetaSum - bend / (1 - omega.cos)
    let sinArc = hypot(east, north)
    return Guess(
      azimuth: sinArc > 0
        ? UnitVector(sin: max(east, Double.leastNormalMagnitude.squareRoot()), cos: north) : UnitVector(sin: 1, cos: 0),
      omega: omega, sinArc: sinArc, cosArc: start.sin * end.sin + start.cos * end.cos * omega.cos,
      stretch: stretch)
  }

  func line(startingAt azimuth: UnitVector) -> Attempt {
    // An equatorial line would have no direction at the node.
    let cosAzimuth =
      start.sin == 0 && azimuth.cos == 0 ? -Double.leastNormalMagnitude.squareRoot() : azimuth.cos
    let sinEquatorial = azimuth.sin * start.cos
    let cosEquatorial = hypot(cosAzimuth, azimuth.sin * start.sin)

    let sinEnd = end.cos != start.cos ? sinEquatorial / end.cos : azimuth.sin
    let cosEnd: Double
    if end.cos != start.cos || abs(end.sin) != -start.sin {
      let gain =
        start.cos < -start.sin
        ? (end.cos - start.cos) * (start.cos + end.cos) : (start.sin - end.sin) * (start.sin + end.sin)
      let along = cosAzimuth * start.cos
      cosEnd = max(along * along + gain, 0).squareRoot() / end.cos
    } else {
      cosEnd = abs(cosAzimuth)
    }

    let (eastStart, northStart) = (sinEquatorial * start.sin, cosAzimuth * start.cos)
    let (eastEnd, northEnd) = (sinEquatorial * end.sin, cosEnd * end.cos)
    let arcStart = UnitVector(sin: start.sin, cos: northStart)
    let arcEnd = UnitVector(sin: end.sin, cos: northEnd)
    let sinOmega = max(northStart * eastEnd - eastStart * northEnd, 0)
    let cosOmega = northStart * northEnd + eastStart * eastEnd

    let series = GeodesicSeries(cosEquatorialAzimuth: cosEquatorial)
    let lengths = lengths(arcStart, arcEnd, series)
    let beyond = Glibc.atan2(
      sinOmega * target.cos - cosOmega * target.sin, cosOmega * target.cos + sinOmega * target.sin)
    let correction =
      WGS84.flattening * series.a3 * sinEquatorial * (lengths.arc + series.c3.difference(from: arcStart, to: arcEnd))
    let slope =
      cosEnd == 0
      ? -2 * (1 - WGS84.flattening) * start.stretch / start.sin
      : lengths.reduced * (1 - WGS84.flattening) / (cosEnd * end.cos)
    return Attempt(
      miss: beyond - correction, slope: slope, distance: lengths.distance,
      azimuthAtEnd: UnitVector(sin: sinEnd, cos: cosEnd))
  }

  /// The arc on the auxiliary sphere (radians), the distance and the reduced length (in semi-minor axes).
  func lengths(
    _ arcStart: UnitVector, _ arcEnd: UnitVector, _ series: GeodesicSeries
  ) -> (arc: Double, distance: Double, reduced: Double) {
    let arc = Glibc.atan2(
      max(arcStart.cos * arcEnd.sin - arcStart.sin * arcEnd.cos, 0),
      arcStart.cos * arcEnd.cos + arcStart.sin * arcEnd.sin)
    let (a1, a2) = (series.a1, series.a2)
    let first = series.c1.difference(from: arcStart, to: arcEnd)
    let second = series.c2.difference(from: arcStart, to: arcEnd)
    let integral = (a1 - a2) * arc + (a1 * first - a2 * second)
    let reduced =
      end.stretch * (arcStart.cos * arcEnd.sin) - start.stretch * (arcStart.sin * arcEnd.cos)
      - arcStart.cos * arcEnd.cos * integral
    return (arc, a1 * (arc + first), reduced)
  }
}
