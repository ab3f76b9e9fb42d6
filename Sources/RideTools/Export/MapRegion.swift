import Glibc
import LocationCore

/// A region between two parallels and two meridians, in degrees. Across the antimeridian `west` is greater than `east`.
package struct MapRegion: Hashable, Sendable {
  package let south: Double
  package let west: Double
  package let north: Double
  /// Eastern edge, −180 to 180. From `west` −180 to `east` 180 it is the whole circle.
  package let east: Double

  /// Padding on every side as a fraction of the height or width.
  package static let paddingShare = 0.1
  package static let leastPadding = 100.0
  static let metresPerDegree = 111_195.0

  /// A region with longitudes in any range, `east` not below `west`.
  init(south: Double, west: Double, north: Double, east: Double) {
    self.south = max(south, -90)
    self.north = min(north, 90)
    guard east - west < 360 else {
      self.west = -180
      self.east = 180
      return
    }
    let start = Self.wrapped(west)
    let end = Self.wrapped(east)
    self.west = start == 180 && east > west ? -180 : start
    self.east = end == -180 && east > west ? 180 : end
  }

  package var width: Double { east >= west ? east - west : east - west + 360 }
  package var height: Double { north - south }

  package var centre: Coordinate? {
    Coordinate(latitude: (south + north) / 2, longitude: Self.wrapped(west + width / 2))
  }

  /// The region that a map would show: padded by a tenth on every side, at least 100 m; around a pole the whole circle.
  package var padded: MapRegion {
    let up = max(height * Self.paddingShare, Self.leastPadding / Self.metresPerDegree)
    let (low, high) = (south - up, north + up)
    guard low > -90, high < 90 else { return MapRegion(south: low, west: -180, north: high, east: 180) }
    // Degrees are shortest on the parallel farthest from the equator.
    let scale = cos(max(abs(low), abs(high)) * .pi / 180) * Self.metresPerDegree
    let side = max(width * Self.paddingShare, Self.leastPadding / scale)
    return MapRegion(south: low, west: west - side, north: high, east: west + width + side)
  }

  private static func wrapped(_ longitude: Double) -> Double {
    longitude.magnitude <= 180 ? longitude : longitude.remainder(dividingBy: 360)
  }
}

/// The extent of a track in latitude, longitude and height, collected in one pass. Longitudes are counted along the
/// track, so a ride across the antimeridian is not 360° wide.
package struct TrackBounds: Sendable {
  private struct Reach {
    var south, west, north, east: Double
    /// Longitude of the newest point, continuous across the antimeridian.
    var longitude: Double
  }

  private var reach: Reach?
  /// Heights above the ellipsoid, metres; `nil` if no point has one.
  package private(set) var heights: ClosedRange<Double>?

  package mutating func add(_ point: Coordinate, height: Double? = nil) {
    if let height, height.isFinite {
      heights = heights.map { min($0.lowerBound, height)...max($0.upperBound, height) } ?? height...height
    }
    guard var known = reach else {
      let (latitude, longitude) = (point.latitude, point.longitude)
      reach = Reach(south: latitude, west: longitude, north: latitude, east: longitude, longitude: longitude)
      return
    }
    known.longitude += (point.longitude - known.longitude).remainder(dividingBy: 360)
    known.south = min(known.south, point.latitude)
    known.north = max(known.north, point.latitude)
    known.west = min(known.west, known.longitude)
    known.east = max(known.east, known.longitude)
    reach = known
  }

  /// The smallest region with all points; `nil` without a point.
  package var region: MapRegion? {
    reach.map { MapRegion(south: $0.south, west: $0.west, north: $0.north, east: $0.east) }
  }
}
