import Testing

@testable import LocationCore

@Suite("Degrees")
struct DegreesTests {
  @Test(
    "the quarters are exact",
    arguments: [
      (0.0, 0.0, 1.0), (90, 1, 0), (180, 0, -1), (-180, 0, -1), (-90, -1, 0), (270, -1, 0), (360, 0, 1), (450, 1, 0),
    ])
  func quarters(_ angle: Double, _ sine: Double, _ cosine: Double) {
    let found = Degrees.sinCos(angle)
    #expect(found.sin == sine)
    #expect(found.cos == cosine)
  }

  @Test("an angle near a half turn keeps its digits")
  func nearHalf() {
    #expect(Degrees.sinCos(180 - 0x1p-30).sin == Degrees.sinCos(0x1p-30).sin)
    #expect(Degrees.sinCos(90 + 0x1p-30).cos == -Degrees.sinCos(0x1p-30).sin)
  }

  @Test("differences go the short way, and know what rounding took")
  func difference() {
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

  @Test("a bearing is at least 0 and less than 360", arguments: [-1e-20, 360, -360, 720, -0.0, 359.99999999999997])
  func bearing(_ angle: Double) {
    let bearing = Degrees.bearing(angle)
    #expect((0..<360).contains(bearing))
    #expect(bearing.sign == .plus)
  }

  @Test("a coordinate exists only in range")
  func range() {
    #expect(Coordinate(latitude: 90, longitude: 180) != nil)
    #expect(Coordinate(latitude: -90, longitude: -180) != nil)
    #expect(Coordinate(latitude: 90.0000001, longitude: 0) == nil)
    #expect(Coordinate(latitude: 0, longitude: -180.0000001) == nil)
    #expect(Coordinate(latitude: .nan, longitude: 0) == nil)
    #expect(Coordinate(latitude: 0, longitude: .nan) == nil)
    #expect(Coordinate(latitude: .infinity, longitude: 0) == nil)
  }
}
