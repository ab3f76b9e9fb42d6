import Testing

@testable import LocationCore

@Suite("Geodesics")
struct GeodesicTests {
  /// The reference lines of the positioning rules.
  struct Reference: Sendable {
    let start: Coordinate?
    let azimuth: Double
    let distance: Double
    let end: Coordinate?

    init(
      _ latitude: Double, _ longitude: Double, _ azimuth: Double, _ metres: Double, _ toLatitude: Double,
      _ toLongitude: Double
    ) {
      start = Coordinate(latitude: latitude, longitude: longitude)
      self.azimuth = azimuth
      distance = metres
      end = Coordinate(latitude: toLatitude, longitude: toLongitude)
    }

    static let all = [
      Reference(0, 0, 90, 10, 0, 0.00008983152841),
      Reference(0, 0, 0, 10, 0.00009043694771, 0),
      Reference(45, 7, 37, 100, 45.00071863569865, 7.00076328053691),
      Reference(51.5, -0.12, 90, 10, 51.49999999991160, -0.11985599185484),
      Reference(60, 25, 45, 100, 60.00063466965, 25.00126724069),
      Reference(0, 179.99995, 90, 10, 0, -179.99996016847157),
      Reference(65.5, 179.9999, 90, 100, 65.49999998461527, -179.99793979581486),
      Reference(90, 0, 0, 10, 89.99991046965970, 180),
      Reference(89.9999, 0, 0, 100, 89.99920469660, 180),
    ]
  }

  @Test(arguments: Reference.all)
  func `The direct problem reproduces the reference lines`(_ line: Reference) throws {
    let (start, end) = (try #require(line.start), try #require(line.end))
    let reached = try #require(Geodesic.direct(from: start, bearing: line.azimuth, distance: line.distance))
    #expect(abs(reached.latitude - end.latitude) < 1.1e-11)
    #expect(abs(Degrees.normalized(reached.longitude - end.longitude)) < 1.1e-11)
  }

  @Test(arguments: Reference.all)
  func `The inverse problem reproduces the reference lines`(_ line: Reference) throws {
    let (start, end) = (try #require(line.start), try #require(line.end))
    let found = Geodesic.inverse(from: start, to: end)
    #expect(abs(found.distance - line.distance) < 1e-6)
    // At a pole the azimuth counts from the meridian of the start: from 90° N 0° E, azimuth 0 leads to 180° E.
    #expect(abs(Degrees.normalized(found.initialBearing - line.azimuth)) < 1e-4)
    #expect(abs(start.distance(to: end) - line.distance) < 1e-6)
    #expect(abs((start.bearing(to: end) ?? .nan) - found.initialBearing) == 0)
  }

  @Test(arguments: GeodesicVector.all)
  func `Lines of all lengths agree with an independent implementation`(_ vector: GeodesicVector) throws {
    let found = Geodesic.inverse(from: vector.start, to: vector.end)
    #expect(abs(found.distance - vector.distance) < 2e-8)
    // Antipodal points have several geodesics, so the azimuths are checked by the point they lead to.
    let reached = try #require(
      Geodesic.direct(from: vector.start, bearing: found.initialBearing, distance: found.distance))
    #expect(reached.chord(to: vector.end) < 5e-8)
    let back = Geodesic.inverse(from: vector.end, to: vector.start)
    #expect(abs(back.distance - vector.distance) < 2e-8)
  }

  @Test func `Unambiguous azimuths are exact`() {
    var checked = 0
    for vector in GeodesicVector.all where (1...19_900_000).contains(vector.distance) {
      guard abs(vector.start.latitude) < 89.9, abs(vector.end.latitude) < 89.9 else { continue }
      let found = Geodesic.inverse(from: vector.start, to: vector.end)
      let slack = 1e-9 + 1e-6 / vector.distance
      #expect(abs(Degrees.normalized(found.initialBearing - vector.initialBearing)) < slack)
      #expect(abs(Degrees.normalized(found.finalBearing - vector.finalBearing)) < slack)
      checked += 1
    }
    #expect(checked >= 85)
    #expect(GeodesicVector.all.count == 180)
  }

  @Test func `Direct and inverse problems undo each other everywhere and at every length`() throws {
    var random = SeededNoise(seed: 11)
    for _ in 0..<2_000 {
      let start = random.coordinate()
      let azimuth = random.uniform(0...360)
      let distance = min(magnitude(random.uniform(-2...7.2)), 19_900_000)
      let end = try #require(Geodesic.direct(from: start, bearing: azimuth, distance: distance))
      let found = Geodesic.inverse(from: start, to: end)
      #expect(abs(found.distance - distance) < 3e-8, "\(start) \(azimuth) \(distance)")
    }
  }

  @Test func `Coincident points have a distance of 0`() throws {
    var random = SeededNoise(seed: 12)
    for _ in 0..<200 {
      let here = random.coordinate()
      #expect(Geodesic.inverse(from: here, to: here).distance == 0)
      #expect(here.chord(to: here) == 0)
      #expect(here.bearing(to: here) == nil)
    }
    let pole = try #require(Coordinate(latitude: 90, longitude: 0))
    let samePole = try #require(Coordinate(latitude: 90, longitude: 120))
    #expect(pole.distance(to: samePole) < 1e-9)
    let east = try #require(Coordinate(latitude: 30, longitude: 180))
    let west = try #require(Coordinate(latitude: 30, longitude: -180))
    #expect(east.distance(to: west) == 0)
  }

  @Test func `An argument that is not finite gives no point`() throws {
    let start = try #require(Coordinate(latitude: 1, longitude: 2))
    #expect(Geodesic.direct(from: start, bearing: .nan, distance: 1) == nil)
    #expect(Geodesic.direct(from: start, bearing: 1, distance: .infinity) == nil)
    #expect(Geodesic.direct(from: start, bearing: -.infinity, distance: 1) == nil)
    #expect(Geodesic.direct(from: start, bearing: 1e300, distance: 1) != nil)
  }
}

/// A length distributed evenly over decades, and evenly within each.
private func magnitude(_ power: Double) -> Double {
  var value = 1.0
  let whole = power.rounded(.down)
  for _ in 0..<Int(abs(whole)) { value *= whole < 0 ? 0.1 : 10 }
  return value * (1 + 9 * (power - whole))
}
