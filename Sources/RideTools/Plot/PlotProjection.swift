import Glibc
import LocationCore

/// Puts places into a picture of given size: north up, one scale for both directions, true in its middle. The
/// antimeridian is a meridian as any other.
struct PlotProjection: Sendable {
  /// How many units a metre is.
  let scale: Double

  private static let metresPerDegree = 111_195.0
  private let centre: (latitude: Double, longitude: Double)
  private let middle: (x: Double, y: Double)
  private let perDegree: (x: Double, y: Double)

  /// Fits a region into `width` × `height` units with a margin on each side. What is smaller than `least` metres is not
  /// made larger than that would be.
  init(_ region: MapRegion, width: Double, height: Double, margin: Double, least: Double = 40) {
    let latitude = (region.south + region.north) / 2
    let size = Self.metres(region)
    scale = min(
      (width - 2 * margin) / max(size.width, least), (height - 2 * margin) / max(size.height, least))
    centre = (latitude, region.west + region.width / 2)
    middle = (width / 2, height / 2)
    let parallel = max(cos(latitude * .pi / 180), 1e-6)
    perDegree = (Self.metresPerDegree * parallel * scale, -Self.metresPerDegree * scale)
  }

  /// Where a place is, from the upper left corner.
  func point(_ place: Coordinate) -> (x: Double, y: Double) {
    let east = (place.longitude - centre.longitude).remainder(dividingBy: 360)
    return (middle.x + east * perDegree.x, middle.y + (place.latitude - centre.latitude) * perDegree.y)
  }

  /// How large a region is in its middle, metres.
  static func metres(_ region: MapRegion) -> (width: Double, height: Double) {
    let parallel = cos((region.south + region.north) / 2 * .pi / 180)
    return (region.width * parallel * metresPerDegree, region.height * metresPerDegree)
  }
}

/// Round numbers along an axis.
enum AxisTicks {
  /// The round step (1, 2 or 5 times a power of ten) that divides a length into at most that many parts.
  static func step(_ length: Double, parts: Int) -> Double {
    guard length.isFinite, length > 0 else { return 1 }
    var power = 1e-3
    while power < 1e9 {
      for factor in [1, 2, 5] as [Double] where power * factor * Double(parts) >= length { return power * factor }
      power *= 10
    }
    return power
  }

  /// The same for seconds, in steps that clocks have.
  static func timeStep(_ seconds: Double, parts: Int) -> Double {
    let steps: [Double] = [
      1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
    ]
    if let step = steps.first(where: { $0 * Double(parts) >= seconds }) { return step }
    return step(seconds / 86_400, parts: parts).rounded(.up) * 86_400
  }

  /// A time from the start, in the unit that suits an axis of that length: `40 s`, `2 min`, `1:30 min`, `1:30 h`.
  static func text(_ seconds: Double, step: Double, length: Double) -> String {
    let whole = Int(min(max(seconds, 0), 1e9))
    if length < 60 { return "\(whole) s" }
    if length < 3600 {
      return step >= 60 ? "\(whole / 60) min" : "\(whole / 60):\(padded(whole % 60)) min"
    }
    return step >= 3600 ? "\(whole / 3600) h" : "\(whole / 3600):\(padded(whole / 60 % 60)) h"
  }

  /// A duration for a person: `42 s`, `3 min 20 s`, `2 h 05 min`.
  static func duration(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds, 0), 1e9).rounded())
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return whole % 60 == 0 ? "\(whole / 60) min" : "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(padded(whole / 60 % 60)) min"
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
