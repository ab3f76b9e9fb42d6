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

  /// Altitudes within a metre of the way.
  private struct Bin {
    let begin: Double
    var ways: Double
    var altitudes: Double
    var count = 1.0
    var way: Double { ways / count }
    var altitude: Double { altitudes / count }
  }

  private var bins: [Bin] = []

  mutating func removeAll() { bins.removeAll(keepingCapacity: true) }

  mutating func add(_ altitude: Double, at way: Double) {
    if let last = bins.last, way - last.begin < 1 {
      let index = bins.count - 1
      bins[index].ways += way
      bins[index].altitudes += altitude
      bins[index].count += 1
      return
    }
    bins.append(Bin(begin: way, ways: way, altitudes: altitude))
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
    guard let end = bins.last?.way else { return nil }
    let window = bins.reversed().prefix { $0.way >= end - reach }
    let count = Double(window.count)
    guard count >= Self.fewest, let begin = window.last?.way, end - begin >= 0.7 * reach else { return nil }
    let meanWay = window.reduce(0) { $0 + $1.way } / count
    let meanAltitude = window.reduce(0) { $0 + $1.altitude } / count
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for bin in window {
      let (x, y) = (bin.way - meanWay, bin.altitude - meanAltitude)
      (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y)
    }
    guard xx > 0 else { return nil }
    let variance = max((yy - xy * xy / xx) / (count - 2), Self.noise * Self.noise)
    // Of few altitudes the noise is not known well: about Student's factor.
    let factor = Confidence.line * (1 + 1.9 / (count - 2))
    let (slope, part) = (xy / xx, Self.part * xy / xx)
    return (slope, (factor * factor * variance / xx + part * part).squareRoot())
  }
}
