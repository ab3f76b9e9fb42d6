import Libc

/// Solver of the inverse problem in canonical form: φ₁ ≤ 0, |φ₂| ≤ |φ₁|, 0 ≤ λ ≤ 180°. There the final longitude
/// increases with the initial azimuth: one root up to 180°, which Newton's method with a bracket always finds.
struct GeodesicSolver {
  struct Solution {
    var distance: Double
    var azimuthAtStart: UnitVector
    var azimuthAtEnd: UnitVector
  }

  let start: Geodesic.ReducedLatitude
  let end: Geodesic.ReducedLatitude
  private let startsAtPole: Bool
  let longitude: Double
  let target: UnitVector

  /// A problem given by its latitudes and the difference of longitude with its rounding error, degrees.
  init(from startLatitude: Double, to endLatitude: Double, longitude: Double, error: Double) {
    start = Geodesic.ReducedLatitude(degrees: startLatitude)
    end = Geodesic.ReducedLatitude(degrees: endLatitude)
    startsAtPole = startLatitude == -90
    self.longitude = (longitude + error) / Degrees.perRadian
    // Beyond 90°, the supplement is the smaller angle and keeps more digits.
    if longitude > 90 {
      let supplement = UnitVector(degrees: (180 - longitude) - error)
      target = UnitVector(sin: supplement.sin, cos: -supplement.cos)
    } else {
      target = UnitVector(degrees: longitude + error)
    }
  }

  func solve() -> Solution { meridian() ?? equator() ?? shortLine() ?? byNewton() }

  /// A line along a meridian, across the pole if that is shorter.
  private func meridian() -> Solution? {
    guard startsAtPole || target.sin <= 0 else { return nil }
    let azimuth = UnitVector(sin: max(target.sin, 0), cos: target.cos)
    let arcStart = UnitVector(sin: start.sin, cos: azimuth.cos * start.cos)
    let arcEnd = UnitVector(sin: end.sin, cos: end.cos)
    let lengths = lengths(arcStart, arcEnd, GeodesicSeries(cosEquatorialAzimuth: 1))
    // Nearly antipodal points: a line off the meridian is shorter.
    guard lengths.arc < 1 || lengths.reduced >= 0 else { return nil }
    return Solution(
      distance: lengths.distance * WGS84.semiMinorAxis, azimuthAtStart: azimuth,
      azimuthAtEnd: UnitVector(sin: 0, cos: 1))
  }

  /// A line along the equator, which is the shortest up to 179.4°.
  private func equator() -> Solution? {
    guard start.sin == 0, longitude <= (1 - WGS84.flattening) * Double.pi else { return nil }
    let east = UnitVector(sin: 1, cos: 0)
    return Solution(distance: WGS84.semiMajorAxis * longitude, azimuthAtStart: east, azimuthAtEnd: east)
  }

  /// A line short enough for a sphere of the local curvature.
  private func shortLine() -> Solution? {
    let guess = guess()
    guard let stretch = guess.stretch, guess.sinArc < 3e-8 else { return nil }
    let omega = guess.omega
    let sinBeta = end.sin * start.cos - end.cos * start.sin
    return Solution(
      distance: Libc.atan2(guess.sinArc, guess.cosArc) * WGS84.semiMinorAxis * stretch,
      azimuthAtStart: guess.azimuth,
      azimuthAtEnd: UnitVector(
        sin: start.cos * omega.sin,
        cos: sinBeta - start.cos * end.sin * omega.sin * omega.sin / (1 + omega.cos)))
  }

  private func byNewton() -> Solution {
    let tolerance = 2 * Double.ulpOfOne
    var azimuth = guess().azimuth
    var low = UnitVector(sin: Double.leastNormalMagnitude.squareRoot(), cos: 1)
    var high = UnitVector(sin: low.sin, cos: -1)
    var line = line(startingAt: azimuth)
    for iteration in 0..<100 {
      if abs(line.miss) <= tolerance { break }
      if line.miss > 0 { high = azimuth } else { low = azimuth }
      let bracket = abs(high.radians(from: low))
      if bracket <= tolerance { break }
      let step = -line.miss / line.slope
      let next = azimuth.rotated(by: UnitVector(radians: step))
      let inside = next.sin > 0 && next.cos <= low.cos && next.cos >= high.cos
      // Newton's step if it stays within the bracket; after 20 iterations every third step is a bisection.
      if line.slope > 0, abs(step) < Double.pi, inside, iteration < 20 || iteration % 3 != 0 {
        if abs(step) <= tolerance / 8 { break }
        azimuth = next
      } else {
        azimuth = UnitVector(sin: (low.sin + high.sin) / 2, cos: (low.cos + high.cos) / 2)
        if !(azimuth.sin > 0) { azimuth = UnitVector(sin: 1, cos: 0) }
      }
      line = self.line(startingAt: azimuth)
    }
    return Solution(
      distance: line.distance * WGS84.semiMinorAxis, azimuthAtStart: azimuth, azimuthAtEnd: line.azimuthAtEnd)
  }

  /// A starting azimuth from spherical trigonometry.
  struct Guess {
    var azimuth: UnitVector
    /// Difference of longitude on the auxiliary sphere.
    var omega: UnitVector
    var sinArc: Double
    var cosArc: Double
    /// Stretch of the local sphere; `nil` when the points are too far apart.
    var stretch: Double?
  }

  /// The geodesic with a trial azimuth at the start, followed to the latitude of the end.
  struct Attempt {
    /// Longitude of its end minus that of the target, radians.
    var miss: Double
    /// Derivative of `miss` with respect to the azimuth.
    var slope: Double
    /// Length, in semi-minor axes.
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
    // An equatorial line has no direction at the node.
    let cosAzimuth = start.sin == 0 && azimuth.cos == 0 ? -Double.leastNormalMagnitude.squareRoot() : azimuth.cos
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
    let beyond = Libc.atan2(
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

  /// Arc on the auxiliary sphere (radians), distance and reduced length (semi-minor axes).
  func lengths(
    _ arcStart: UnitVector, _ arcEnd: UnitVector, _ series: GeodesicSeries
  ) -> (arc: Double, distance: Double, reduced: Double) {
    let arc = Libc.atan2(
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
