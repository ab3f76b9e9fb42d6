import Glibc
import LocationCore

/// The projection of a map: north up, one scale, exact in the middle; continuous over the antimeridian.
struct PlotProjection: Sendable {
  /// Space around the projected region, in units of the picture.
  typealias Insets = (left: Double, right: Double, top: Double, bottom: Double)

  /// Units of a metre.
  let scale: Double

  private let centre: (latitude: Double, longitude: Double)
  private let middle: (x: Double, y: Double)
  private let perDegree: (x: Double, y: Double)

  /// Fits a region into `width` × `height` units less the insets, enlarged no more than one of `least` metres.
  init(_ region: MapRegion, width: Double, height: Double, insets: Insets, least: Double = 40) {
    let latitude = (region.south + region.north) / 2
    let size = Self.metres(region)
    scale = min(
      (width - insets.left - insets.right) / max(size.width, least),
      (height - insets.top - insets.bottom) / max(size.height, least))
    centre = (latitude, region.west + region.width / 2)
    middle = ((insets.left + width - insets.right) / 2, (insets.top + height - insets.bottom) / 2)
    let parallel = max(cos(latitude * .pi / 180), 1e-6)
    perDegree = (MapRegion.metresPerDegree * parallel * scale, -MapRegion.metresPerDegree * scale)
  }

  /// The point of a position, from the upper left corner.
  func point(_ position: Coordinate) -> (x: Double, y: Double) {
    let east = (position.longitude - centre.longitude).remainder(dividingBy: 360)
    return (middle.x + east * perDegree.x, y(latitude: position.latitude))
  }

  func y(latitude: Double) -> Double { middle.y + (latitude - centre.latitude) * perDegree.y }
  /// Where a meridian lies; the longitude is one of ``longitudes(width:)``.
  func x(longitude: Double) -> Double { middle.x + (longitude - centre.longitude) * perDegree.x }

  func latitudes(height: Double) -> ClosedRange<Double> {
    let low = centre.latitude + (height - middle.y) / perDegree.y
    let high = centre.latitude - middle.y / perDegree.y
    return max(low, -90)...min(high, 90)
  }

  /// The longitudes from the left to the right edge, beyond ±180° over the antimeridian, at most once around.
  func longitudes(width: Double) -> ClosedRange<Double> {
    let low = centre.longitude - middle.x / perDegree.x
    let high = centre.longitude + (width - middle.x) / perDegree.x
    return max(low, centre.longitude - 180)...min(high, centre.longitude + 180)
  }

  /// The size of a region in its middle, metres.
  static func metres(_ region: MapRegion) -> (width: Double, height: Double) {
    let parallel = cos((region.south + region.north) / 2 * .pi / 180)
    return (region.width * parallel * MapRegion.metresPerDegree, region.height * MapRegion.metresPerDegree)
  }
}

enum AxisTicks {
  /// The smallest step (1, 2 or 5 times a power of ten, from `least` on) that gives a length at most so many parts.
  static func step(_ length: Double, parts: Int, least: Double = 1e-3) -> Double {
    guard length.isFinite, length > 0 else { return 1 }
    var power = least
    while power < 1e9 {
      for factor in [1, 2, 5] as [Double] where power * factor * Double(parts) >= length { return power * factor }
      power *= 10
    }
    return power
  }

  /// The same for seconds, in steps of clocks.
  static func timeStep(_ seconds: Double, parts: Int) -> Double {
    let steps: [Double] = [
      1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
    ]
    if let step = steps.first(where: { $0 * Double(parts) >= seconds }) { return step }
    return step(seconds / 86_400, parts: parts).rounded(.up) * 86_400
  }

  static func multiples(of step: Double, in range: ClosedRange<Double>) -> [Double] {
    let (first, last) = ((range.lowerBound / step).rounded(.up), (range.upperBound / step).rounded(.down))
    guard first <= last, last - first < 1000 else { return [] }
    return (0...Int(last - first)).map { (first + Double($0)) * step }
  }

  /// A time since the start in the unit that suits an axis of that length: `40 s`, `2 min`, `1:30 min`, `1:30 h`.
  static func text(_ seconds: Double, step: Double, length: Double) -> String {
    let whole = Int(min(max(seconds, 0), 1e9))
    if length < 60 { return "\(whole) s" }
    if length < 3600 { return step >= 60 ? "\(whole / 60) min" : "\(whole / 60):\(padded(whole % 60)) min" }
    return step >= 3600 ? "\(whole / 3600) h" : "\(whole / 3600):\(padded(whole / 60 % 60)) h"
  }

  /// A duration for people: `42 s`, `3 min 20 s`, `2 h 05 min`.
  static func duration(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds, 0), 1e9).rounded())
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return whole % 60 == 0 ? "\(whole / 60) min" : "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(padded(whole / 60 % 60)) min"
  }

  /// An angle with the decimals of a step: `48.140° N`, `0.5° W`.
  static func degrees(_ angle: Double, step: Double, positive: Character, negative: Character) -> String {
    var decimals = 0
    var unit = step
    while decimals < 7, unit < 0.999 {
      unit *= 10
      decimals += 1
    }
    let number = String(fixed: angle.magnitude, decimals: decimals, trimmed: false)
    return angle.magnitude < step / 2 ? "0°" : "\(number)° \(angle < 0 ? negative : positive)"
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
