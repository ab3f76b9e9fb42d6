import Glibc
import LocationCore

/// A region between two parallels and two meridians, degrees; over the antimeridian `west` is greater than `east`.
package struct MapRegion: Hashable, Sendable {
  /// Its southern edge, −90 to 90.
  package let south: Double
  /// Its western edge, −180 to 180.
  package let west: Double
  /// Its northern edge, −90 to 90.
  package let north: Double
  /// Its eastern edge, −180 to 180. `west` −180 and `east` 180 is all around.
  package let east: Double

  /// How much a map keeps free around a ride on every side, of the ride's height or width.
  package static let paddingShare = 0.1
  /// What it keeps free at least, metres.
  package static let leastPadding = 100.0

  private static let metresPerDegree = 111_195.0

  /// The region from one edge to the other, eastwards; longitudes in any range, `east` not below `west`.
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

  /// How far it reaches from west to east, degrees.
  package var width: Double { east >= west ? east - west : east - west + 360 }

  /// How far it reaches from south to north, degrees.
  package var height: Double { north - south }

  /// Its middle.
  package var centre: Coordinate? {
    Coordinate(latitude: (south + north) / 2, longitude: Self.wrapped(west + width / 2))
  }

  /// The region that a map would zoom to: a tenth of height and width more on every side, and at least 100 m. One that
  /// reaches a pole goes all around.
  package var padded: MapRegion {
    let up = max(height * Self.paddingShare, Self.leastPadding / Self.metresPerDegree)
    let (low, high) = (south - up, north + up)
    guard low > -90, high < 90 else { return MapRegion(south: low, west: -180, north: high, east: 180) }
    // The parallel that is farthest from the equator has the shortest degrees.
    let scale = cos(max(abs(low), abs(high)) * .pi / 180) * Self.metresPerDegree
    let side = max(width * Self.paddingShare, Self.leastPadding / scale)
    return MapRegion(south: low, west: west - side, north: high, east: west + width + side)
  }

  /// The same longitude in −180 to 180.
  private static func wrapped(_ longitude: Double) -> Double {
    longitude.magnitude <= 180 ? longitude : longitude.remainder(dividingBy: 360)
  }
}

/// What a track reaches, in latitude, longitude and height, found in one pass. The longitudes follow the track, so a
/// ride over the antimeridian is as wide as it is, and not all around.
package struct TrackBounds: Sendable {
  private struct Reach {
    var south, west, north, east: Double
    /// The longitude of the newest point, counted on from the first without a jump at the antimeridian.
    var longitude: Double
  }

  private var reach: Reach?
  /// The lowest and highest height above the ellipsoid, metres; `nil` when no point had one.
  package private(set) var heights: ClosedRange<Double>?

  /// Of nothing yet.
  package init() {}

  /// Takes the next point.
  package mutating func take(_ point: Coordinate, height: Double? = nil) {
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

  /// The smallest region that holds all points; `nil` when there was none.
  package var region: MapRegion? {
    reach.map { MapRegion(south: $0.south, west: $0.west, north: $0.north, east: $0.east) }
  }
}
