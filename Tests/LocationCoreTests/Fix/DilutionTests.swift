import Testing

@testable import LocationCore

@Suite("Dilution of precision")
struct DilutionTests {
  private static func satellite(_ prn: Int, _ elevation: Double?, _ azimuth: Double?, used: Bool = true) -> Satellite {
    Satellite(prn: prn, elevation: elevation, azimuth: azimuth, used: used)
  }

  private static func isNear(_ value: Double?, _ expected: Double, _ tolerance: Double = 1e-9) -> Bool {
    value.map { abs($0 - expected) <= tolerance } ?? false
  }

  /// One satellite overhead and three on the horizon, 120° apart: the inverse is known in closed form.
  private static let regular = [satellite(1, 90, 0), satellite(2, 0, 0), satellite(3, 0, 120), satellite(4, 0, 240)]

  @Test func `A regular geometry has the dilutions of the closed form`() throws {
    let dilution = try #require(Dilution(satellites: Self.regular))
    #expect(Self.isNear(dilution.x, (2.0 / 3).squareRoot()))
    #expect(Self.isNear(dilution.y, (2.0 / 3).squareRoot()))
    #expect(Self.isNear(dilution.h, (4.0 / 3).squareRoot()))
    #expect(Self.isNear(dilution.v, (4.0 / 3).squareRoot()))
    #expect(Self.isNear(dilution.p, (8.0 / 3).squareRoot()))
    #expect(Self.isNear(dilution.t, (1.0 / 3).squareRoot()))
    #expect(Self.isNear(dilution.g, 3.0.squareRoot()))
  }

  @Test func `Satellites along the meridian leave the east undetermined in proportion`() throws {
    let narrow = [
      Self.satellite(1, 80, 0), Self.satellite(2, 20, 350), Self.satellite(3, 20, 190), Self.satellite(4, 25, 10),
      Self.satellite(5, 30, 170),
    ]
    let dilution = try #require(Dilution(satellites: narrow))
    #expect(try #require(dilution.x) > 2 * (try #require(dilution.y)))
  }

  @Test func `Only satellites in use with a direction count`() throws {
    let others = [Self.satellite(9, 45, 45, used: false), Self.satellite(10, nil, 20), Self.satellite(11, 20, nil)]
    #expect(Dilution(satellites: Self.regular + others) == Dilution(satellites: Self.regular))
    #expect(Dilution(satellites: Array(Self.regular.dropLast()) + others) == nil)
  }

  @Test(arguments: [0.0, 1e-4, 30, 90])
  func `A geometry that determines nothing has no dilution`(elevation: Double) {
    // All in one direction, or on one cone around the zenith: height and clock cannot be told apart.
    let line = (1...6).map { Self.satellite($0, elevation, 45) }
    #expect(Dilution(satellites: line) == nil)
    let cone = (1...6).map { Self.satellite($0, elevation, Double($0) * 60 - 60) }
    #expect(Dilution(satellites: cone) == nil)
  }

  @Test func `The receiver's own dilutions precede those of the geometry`() {
    var sky = Sky(satellites: Self.regular)
    sky.hdop = 0.7
    let dilution = Dilution(sky)
    #expect(dilution.h == 0.7)
    #expect(Self.isNear(dilution.v, (4.0 / 3).squareRoot()))
    #expect(Self.isNear(dilution.x, (2.0 / 3).squareRoot()))
  }

  @Test func `Values are kept until newer ones arrive`() {
    var model = ErrorModel()
    model.take(Sky(satellites: Self.regular))
    let before = model.dilution
    model.take(Sky(satellites: [Self.satellite(1, nil, nil)]))
    #expect(model.dilution == before)
    var sky = Sky()
    sky.pdop = 2
    model.take(sky)
    #expect(model.dilution.p == 2)
    #expect(model.dilution.x == before.x)
  }
}
