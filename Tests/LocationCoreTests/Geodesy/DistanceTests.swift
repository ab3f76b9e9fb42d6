import Testing

@testable import LocationCore

@Suite("Distances")
struct DistanceTests {
  @Test("the chord is within 4 nm of the geodesic up to 100 m, poles and antimeridian included")
  func chord() {
    var random = SeededNoise(seed: 21)
    var worst = 0.0
    for _ in 0..<20_000 {
      let start = random.coordinate()
      let end = start.moved(random.uniform(0.01...100), towards: random.uniform(0...360))
      worst = max(worst, abs(start.chord(to: end) - Geodesic.inverse(from: start, to: end).distance))
    }
    #expect(worst < 4e-9, "worst \(worst * 1e9) nm")
  }

  @Test("the same both ways")
  func symmetric() {
    var random = SeededNoise(seed: 22)
    for _ in 0..<500 {
      let (one, other) = (random.coordinate(), random.coordinate())
      #expect(abs(one.distance(to: other) - other.distance(to: one)) < 2e-8)
      let near = one.moved(random.uniform(1...9_000), towards: random.uniform(0...360))
      #expect(one.distance(to: near) == near.distance(to: one))
    }
  }

  @Test("chord up to 10 km, geodesic beyond")
  func change() {
    let near = here.moved(9_990)
    let far = here.moved(10_010)
    #expect(here.distance(to: near) == here.chord(to: near))
    #expect(abs(here.distance(to: near) - 9_990) < 1.1e-3)
    #expect(abs(here.distance(to: far) - 10_010) < 1e-7)
    #expect(here.chord(to: far) < 10_010 - 9e-4)
  }

  @Test("within so many metres says what the distance says, to the millimetre, poles and antimeridian included")
  func within() {
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

  @Test("the nearest point of a way is on it, or one of its ends")
  func segment() {
    let end = here.moved(1_000, towards: 90)
    #expect(abs(here.moved(500, towards: 90).moved(30, towards: 0).distance(toSegmentFrom: here, to: end) - 30) < 0.01)
    #expect(abs(here.moved(40, towards: 270).distance(toSegmentFrom: here, to: end) - 40) < 1e-6)
    #expect(abs(end.moved(50, towards: 45).distance(toSegmentFrom: here, to: end) - 50) < 1e-6)
    #expect(abs(here.moved(7).distance(toSegmentFrom: here, to: here) - 7) < 1e-6)
    let pole = place(90, 0)
    #expect(pole.distance(toSegmentFrom: place(89.9999, 0), to: place(89.9999, 180)) < 1e-4)
  }
}
