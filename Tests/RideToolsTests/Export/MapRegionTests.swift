import LocationCore
import Testing

@testable import RideTools

struct MapRegionTests {
  private static func region(_ points: [(Double, Double)]) -> MapRegion? {
    var bounds = TrackBounds()
    for (latitude, longitude) in points {
      bounds.add(Coordinate(latitude: latitude, longitude: longitude) ?? .equator)
    }
    return bounds.region
  }

  @Test func `Without a point there is no region`() {
    #expect(TrackBounds().region == nil)
  }

  @Test func `A region contains every point`() throws {
    let region = try #require(Self.region([(48, 11), (48.5, 10.5), (47.9, 11.2)]))
    #expect((region.south, region.west, region.north, region.east) == (47.9, 10.5, 48.5, 11.2))
  }

  @Test(
    arguments: [
      ([(0, 179.5), (1, -179.5), (0, 179.0)], 179.0, -179.5),
      ([(0, -179.5), (1, 179.5)], 179.5, -179.5),
      ([(0, 180), (1, -180)], 180, 180),
      ([(0, 180), (1, 179)], 179, 180),
      ([(0, -180), (1, -179)], -180, -179),
      ([(0, 0), (0, 120), (0, -120), (0, -1)], 0, -1),
      ([(0, 0), (0, 120), (0, -120), (0, 0)], -180, 180),
    ] as [([(Double, Double)], Double, Double)]
  )
  func `Regions cross the antimeridian`(points: [(Double, Double)], west: Double, east: Double) throws {
    let region = try #require(Self.region(points))
    #expect((region.west, region.east) == (west, east))
  }

  @Test func `A region is padded by a tenth`() throws {
    let padded = try #require(Self.region([(40, 10), (41, 12)])).padded
    #expect(abs(padded.south - 39.9) < 1e-9 && abs(padded.north - 41.1) < 1e-9)
    #expect(abs(padded.west - 9.8) < 1e-9 && abs(padded.east - 12.2) < 1e-9)
  }

  @Test(arguments: [(0.0, 0.0), (60, 25), (-45, 179.9999), (89, 0), (65, -180)])
  func `A region is padded by at least 100 m`(latitude: Double, longitude: Double) throws {
    let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
    let padded = try #require(Self.region([(latitude, longitude)])).padded
    for bearing in stride(from: 0.0, to: 360, by: 90) {
      let near = try #require(Geodesic.direct(from: place, bearing: bearing, distance: 98))
      let far = try #require(Geodesic.direct(from: place, bearing: bearing, distance: 105))
      #expect(padded.contains(near) && !padded.contains(far))
    }
    let centre = try #require(padded.centre)
    #expect(centre.distance(to: place) < 1)
  }

  @Test func `A region at a pole is the whole circle`() throws {
    let padded = try #require(Self.region([(89.9999, 30)])).padded
    #expect((padded.west, padded.east, padded.north) == (-180, 180, 90))
  }
}

extension MapRegion {
  func contains(_ place: Coordinate) -> Bool {
    let eastwards = place.longitude >= west ? place.longitude - west : place.longitude - west + 360
    return (south...north).contains(place.latitude) && eastwards <= width
  }
}
