import Testing

@testable import LocationCore

@Suite("Distances")
struct DistanceTests {
  @Test func `The chord is within 4 nm of the geodesic up to 100 m, including poles and antimeridian`() {
    var random = SeededNoise(seed: 21)
    var worst = 0.0
    for _ in 0..<20_000 {
      let start = random.coordinate()
      let end = start.moved(random.uniform(0.01...100), towards: random.uniform(0...360))
      worst = max(worst, abs(start.chord(to: end) - Geodesic.inverse(from: start, to: end).distance))
    }
    #expect(worst < 4e-9, "worst \(worst * 1e9) nm")
  }

  @Test func `Earth-centred coordinates give the place back, at every altitude of a vehicle`() {
    var random = SeededNoise(seed: 27)
    for _ in 0..<5000 {
      let place = random.coordinate()
      let surface = EarthCentered(place)
      // The normal of the ellipsoid.
      let (sine, cosine) = Degrees.sinCos(place.latitude)
      let (sinLongitude, cosLongitude) = Degrees.sinCos(place.longitude)
      let altitude = random.uniform(-1000...50_000)
      let point = EarthCentered(
        x: surface.x + altitude * cosine * cosLongitude, y: surface.y + altitude * cosine * sinLongitude,
        z: surface.z + altitude * sine)
      #expect(point.coordinate.map { $0.chord(to: place) < 1e-3 } ?? false)
    }
    #expect(EarthCentered(x: 0, y: 0, z: 0).coordinate == nil)
    #expect(EarthCentered(x: .nan, y: 0, z: 6_400_000).coordinate == nil)
  }

  @Test func `The distance is the same in both directions`() {
    var random = SeededNoise(seed: 22)
    for _ in 0..<500 {
      let (one, other) = (random.coordinate(), random.coordinate())
      #expect(abs(one.distance(to: other) - other.distance(to: one)) < 2e-8)
      let near = one.moved(random.uniform(1...9_000), towards: random.uniform(0...360))
      #expect(one.distance(to: near) == near.distance(to: one))
    }
  }

  @Test func `The chord is used up to 10 km, the geodesic beyond`() {
    let near = here.moved(9_990)
    let far = here.moved(10_010)
    #expect(here.distance(to: near) == here.chord(to: near))
    #expect(abs(here.distance(to: near) - 9_990) < 1.1e-3)
    #expect(abs(here.distance(to: far) - 10_010) < 1e-7)
    #expect(here.chord(to: far) < 10_010 - 9e-4)
  }

  @Test func `isWithin agrees with the distance to the millimetre, including poles and antimeridian`() {
    var random = SeededNoise(seed: 23)
    for _ in 0..<20_000 {
      let start = random.coordinate()
      let end = start.moved(random.uniform(0.01...30_000), towards: random.uniform(0...360))
      let distance = start.distance(to: end)
      #expect(end.isWithin(distance, of: start))
      #expect(!end.isWithin(distance - 1e-3, of: start))
      #expect(end.isWithin(3 * distance, of: start))
    }
    #expect(here.isWithin(0, of: here))
    #expect(!here.moved(0.01).isWithin(0, of: here))
  }

  @Test func `The nearest point of a segment is on it or one of its ends`() {
    let end = here.moved(1_000, towards: 90)
    #expect(abs(here.moved(500, towards: 90).moved(30, towards: 0).distance(toSegmentFrom: here, to: end) - 30) < 0.01)
    #expect(abs(here.moved(40, towards: 270).distance(toSegmentFrom: here, to: end) - 40) < 1e-6)
    #expect(abs(end.moved(50, towards: 45).distance(toSegmentFrom: here, to: end) - 50) < 1e-6)
    #expect(abs(here.moved(7).distance(toSegmentFrom: here, to: here) - 7) < 1e-6)
    let pole = place(90, 0)
    #expect(pole.distance(toSegmentFrom: place(89.9999, 0), to: place(89.9999, 180)) < 1e-4)
  }
}

@Suite("Degrees")
struct DegreesTests {
  @Test(
    arguments: [
      (0.0, 0.0, 1.0), (90, 1, 0), (180, 0, -1), (-180, 0, -1), (-90, -1, 0), (270, -1, 0), (360, 0, 1), (450, 1, 0),
    ]
  )
  func `Multiples of 90° are exact`(_ angle: Double, _ sine: Double, _ cosine: Double) {
    let found = Degrees.sinCos(angle)
    #expect(found.sin == sine)
    #expect(found.cos == cosine)
  }

  @Test func `An angle near 180° keeps its digits`() {
    #expect(Degrees.sinCos(180 - 0x1p-30).sin == Degrees.sinCos(0x1p-30).sin)
    #expect(Degrees.sinCos(90 + 0x1p-30).cos == -Degrees.sinCos(0x1p-30).sin)
  }

  @Test func `Differences take the shorter way and include the rounding error`() {
    #expect(Degrees.difference(from: 179, to: -179).degrees == 2)
    #expect(Degrees.difference(from: -179, to: 179).degrees == -2)
    #expect(Degrees.difference(from: 10, to: 10).degrees == 0)
    #expect(abs(Degrees.difference(from: 0, to: 180).degrees) == 180)
    let tiny = Degrees.difference(from: 1e-20, to: 90)
    #expect(tiny.degrees == 90 && tiny.error == -1e-20)
    let beyond = Degrees.difference(from: 1e-20, to: -180)
    #expect(beyond.degrees == 180 && beyond.error == -1e-20)
    let before = Degrees.difference(from: -1e-20, to: -180)
    #expect(before.degrees == -180 && before.error == 1e-20)
  }

  @Test(arguments: [-1e-20, 360, -360, 720, -0.0, 359.99999999999997])
  func `A bearing is at least 0 and less than 360`(_ angle: Double) {
    let bearing = Degrees.bearing(angle)
    #expect((0..<360).contains(bearing))
    #expect(bearing.sign == .plus)
  }

  @Test func `A coordinate is valid only in range`() {
    #expect(Coordinate(latitude: 90, longitude: 180) != nil)
    #expect(Coordinate(latitude: -90, longitude: -180) != nil)
    #expect(Coordinate(latitude: 90.0000001, longitude: 0) == nil)
    #expect(Coordinate(latitude: 0, longitude: -180.0000001) == nil)
    #expect(Coordinate(latitude: .nan, longitude: 0) == nil)
    #expect(Coordinate(latitude: 0, longitude: .nan) == nil)
    #expect(Coordinate(latitude: .infinity, longitude: 0) == nil)
  }
}
