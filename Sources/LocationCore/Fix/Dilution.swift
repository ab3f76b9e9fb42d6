/// Dilutions of precision: the error of a solution as a multiple of the error of one range.
package struct Dilution: Hashable, Sendable {
  /// Most that counts as a value; receivers send 99.99 for an unknown one.
  private static let limit = 99.0

  /// Towards the east and the north, horizontal, vertical, of the position in space, of the time, of both.
  @Compact package var x: Double?
  @Compact package var y: Double?
  @Compact package var h: Double?
  @Compact package var v: Double?
  @Compact package var p: Double?
  @Compact package var t: Double?
  @Compact package var g: Double?

  package init() {}

  /// The dilutions of a sky: the receiver's own, the others from the geometry of the satellites in use.
  package init(_ sky: borrowing Sky) {
    self = Dilution(satellites: sky.satellites) ?? Dilution()
    h = sky.hdop ?? h
    v = sky.vdop ?? v
    p = sky.pdop ?? p
  }

  /// From the satellites in use, with one receiver clock; `nil` for fewer than four directions or without a solution.
  package init?(satellites: [Satellite]) {
    // The normal matrix of the unit vectors to the satellites and the clock.
    var normal: [4 of SIMD4<Double>] = .init(repeating: .zero)
    var count = 0
    for satellite in satellites where satellite.used {
      guard let elevation = satellite.elevation, let azimuth = satellite.azimuth else { continue }
      let (up, across) = Degrees.sinCos(elevation)
      let (east, north) = Degrees.sinCos(azimuth)
      let direction = SIMD4(east * across, north * across, up, 1)
      for row in normal.indices { normal[row] += direction[row] * direction }
      count += 1
    }
    guard count >= 4, let variances = Self.diagonalOfInverse(normal), variances.min() > 0 else { return nil }
    let horizontal = variances.x + variances.y
    x = variances.x.squareRoot()
    y = variances.y.squareRoot()
    h = horizontal.squareRoot()
    v = variances.z.squareRoot()
    p = (horizontal + variances.z).squareRoot()
    t = variances.w.squareRoot()
    let all = variances.sum().squareRoot()
    guard all < Self.limit else { return nil }
    g = all
  }

  /// The diagonal of the inverse of a symmetric positive definite matrix; `nil` when it is singular.
  private static func diagonalOfInverse(_ matrix: [4 of SIMD4<Double>]) -> SIMD4<Double>? {
    var left = matrix
    var right: [4 of SIMD4<Double>] = [SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0), SIMD4(0, 0, 0, 1)]
    for pivot in left.indices {
      let scale = left[pivot][pivot]
      guard scale > 1e-9 else { return nil }
      left[pivot] /= scale
      right[pivot] /= scale
      for row in left.indices where row != pivot {
        let factor = left[row][pivot]
        left[row] -= factor * left[pivot]
        right[row] -= factor * right[pivot]
      }
    }
    return SIMD4(right[0][0], right[1][1], right[2][2], right[3][3])
  }

  package mutating func update(_ newer: Dilution) {
    // The geometry's values belong together.
    if newer.x != nil { (x, y, t, g) = (newer.x, newer.y, newer.t, newer.g) }
    h = newer.h ?? h
    v = newer.v ?? v
    p = newer.p ?? p
  }
}
