import LocationCore

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
