/// The grade just ridden: the slope of pressure altitudes over 20 m of way, up to 60 m as their noise needs. Metres.
struct GradeWindow: Sendable {
  private static let reach = (shortest: 20.0, longest: 60.0, step: 10.0)
  /// Error at which a longer way is not needed, metres per metre.
  private static let target = 0.01
  private static let fewest = 5.0
  /// Least standard deviation of an altitude: that of wind.
  private static let noise = 0.03
  /// Error of a slope as a part of it: those of the way while braking, and of the air's temperature.
  private static let part = 0.07

  /// Ways and altitudes within a metre of the way.
  private struct Bin {
    let begin: Double
    var sum: SIMD2<Double>
    var count = 1.0
    var mean: SIMD2<Double> { sum / count }
  }

  private var bins: [Bin] = []

  mutating func add(_ altitude: Double, at way: Double) {
    if let last = bins.last, way - last.begin < 1 {
      bins[bins.count - 1].sum += SIMD2(way, altitude)
      bins[bins.count - 1].count += 1
      return
    }
    bins.append(Bin(begin: way, sum: SIMD2(way, altitude)))
    let keep = way - Self.reach.longest - 1
    if let first = bins.firstIndex(where: { $0.begin >= keep }), first > 0 { bins.removeFirst(first) }
  }

  /// Metres per metre, and the 95 % error; `nil` without enough altitudes.
  var slope: (value: Double, error: Double)? {
    var best: (value: Double, error: Double)?
    for reach in stride(from: Self.reach.shortest, through: Self.reach.longest, by: Self.reach.step) {
      guard let slope = slope(over: reach) else { continue }
      if best.map({ slope.error < $0.error }) ?? true { best = slope }
      if slope.error <= Self.target { break }
    }
    return best
  }

  private func slope(over reach: Double) -> (value: Double, error: Double)? {
    guard let end = bins.last?.mean.x else { return nil }
    let window = bins.reversed().prefix { $0.mean.x >= end - reach }
    let count = Double(window.count)
    guard count >= Self.fewest, let begin = window.last?.mean.x, end - begin >= 0.7 * reach else { return nil }
    let mean = window.reduce(.zero) { $0 + $1.mean } / count
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for bin in window {
      let from = bin.mean - mean
      (xx, xy, yy) = (xx + from.x * from.x, xy + from.x * from.y, yy + from.y * from.y)
    }
    guard xx > 0 else { return nil }
    let variance = max((yy - xy * xy / xx) / (count - 2), Self.noise * Self.noise)
    // Of few altitudes the noise is not known well: about Student's factor.
    let factor = Confidence.line * (1 + 1.9 / (count - 2))
    let (slope, part) = (xy / xx, Self.part * xy / xx)
    return (slope, (factor * factor * variance / xx + part * part).squareRoot())
  }
}
