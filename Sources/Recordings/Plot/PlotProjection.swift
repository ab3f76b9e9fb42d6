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
