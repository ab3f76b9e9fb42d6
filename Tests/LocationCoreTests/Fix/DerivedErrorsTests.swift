import Testing

@testable import LocationCore

@Suite("Derived errors")
struct DerivedErrorsTests {
  private static let sky = Sky(
    satellites: [(90, 0), (0, 0), (0, 120), (0, 240)].enumerated().map { number, direction in
      Satellite(prn: number + 1, elevation: direction.0, azimuth: direction.1, used: true)
    })
  /// The dilution of `sky` towards the east and towards the north.
  private static let dilution = (2.0 / 3).squareRoot()

  private static func fix(
    second: Int = 0, north: Double = 0, altitude: Double? = 500, status: FixStatus = .normal
  ) throws -> Fix {
    let position = try #require(Coordinate(latitude: 48 + north / 111_200, longitude: 11))
    var fix = Fix(
      position: position, mode: altitude == nil ? .twoD : .threeD, status: status,
      measured: UTCInstant(nanosecondsSince1970: (1_773_921_600 + Int64(second)) * 1_000_000_000),
      received: .zero + .seconds(second))
    fix.altitudeMSL = altitude
    return fix
  }

  private static func isNear(_ value: Double?, _ expected: Double, _ tolerance: Double = 1e-6) -> Bool {
    value.map { abs($0 - expected) <= tolerance } ?? false
  }

  @Test(arguments: [false, true])
  func `Without an error of the receiver the dilutions count, times gpsd's range errors`(isDifferential: Bool) throws {
    var model = ErrorModel()
    model.take(Self.sky)
    let errors = model.errors(of: try Self.fix(status: isDifferential ? .dgps : .normal))
    let factor = isDifferential ? 0.25 : 1
    #expect(Self.isNear(errors.longitude, Self.dilution * 15 * factor))
    #expect(Self.isNear(errors.latitude, Self.dilution * 15 * factor))
    #expect(Self.isNear(errors.altitude, (4.0 / 3).squareRoot() * 23 * factor))
    #expect(Self.isNear(errors.horizontal, (4.0 / 3).squareRoot() * 19 * factor))
    #expect(Self.isNear(errors.spherical, (8.0 / 3).squareRoot() * 19 * factor))
    #expect(errors.time == 0.005)
    #expect(errors.speed == nil && errors.course == nil && errors.climbError == nil)
  }

  @Test func `Without satellites the receiver's horizontal dilution counts in all directions`() throws {
    var model = ErrorModel()
    var fix = try Self.fix()
    fix.hdop = 2
    (fix.horizontalAccuracy, fix.horizontalBasis) = (13.8, .dilution)
    let errors = model.errors(of: fix)
    #expect(Self.isNear(errors.longitude, 2 * 15 * 0.5.squareRoot()))
    #expect(errors.longitude == errors.latitude)
    #expect(errors.horizontal == 38)
    #expect(errors.altitude == nil && errors.spherical == nil)
    // An epoch without dilutions has those of the one before.
    #expect(model.errors(of: try Self.fix(second: 1)).horizontal == 38)
  }

  @Test(arguments: [ErrorBasis.gst, .proprietary, nil])
  func `The receiver's own errors are kept`(basis: ErrorBasis?) throws {
    var model = ErrorModel()
    model.take(Self.sky)
    var fix = try Self.fix()
    (fix.horizontalAccuracy, fix.horizontalBasis) = (4, basis)
    (fix.verticalAccuracy, fix.verticalBasis) = (3, basis)
    var errors = model.errors(of: fix)
    #expect(errors.horizontal == 4 && errors.altitude == 3 && errors.spherical == 5)
    // The geometry's shape, the receiver's size.
    #expect(Self.isNear(errors.longitude, 4 * Confidence.line / Confidence.circle, 0.01))
    fix.longitudeError = 1
    fix.latitudeError = 2
    errors = model.errors(of: fix)
    #expect(errors.longitude == 1 && errors.latitude == 2)
  }

  @Test func `Rates follow from the fix before`() throws {
    var model = ErrorModel()
    model.take(Self.sky)
    _ = model.errors(of: try Self.fix())
    let errors = model.errors(of: try Self.fix(second: 2, north: 40, altitude: 503))
    #expect(Self.isNear(errors.speed, Self.dilution * 15))
    #expect(Self.isNear(errors.climbError, (4.0 / 3).squareRoot() * 23))
    #expect(Self.isNear(errors.groundSpeed, 20, 0.1))
    #expect(Self.isNear(errors.course, 34, 1))
  }

  @Test func `A step within the error gives no direction, a fix in two dimensions no vertical error`() throws {
    var model = ErrorModel()
    model.take(Self.sky)
    _ = model.errors(of: try Self.fix())
    let errors = model.errors(of: try Self.fix(second: 1, north: 5, altitude: nil))
    #expect(errors.course == nil && errors.altitude == nil && errors.climbError == nil)
    #expect(errors.speed != nil)
  }

  @Test func `The receiver's error of the course is kept, one from two positions is not`() throws {
    var model = ErrorModel()
    var fix = try Self.fix()
    fix.courseAccuracy = 3
    #expect(model.errors(of: fix).course == 3)
    fix.isCourseAccuracyDerived = true
    #expect(model.errors(of: fix).course == nil)
  }

  @Test func `Time that does not advance and a loss give no rates`() throws {
    var model = ErrorModel()
    model.take(Self.sky)
    _ = model.errors(of: try Self.fix())
    #expect(model.errors(of: try Self.fix()).speed == nil)
    model.lost()
    #expect(model.newest == nil)
    #expect(model.errors(of: try Self.fix(second: 1)).speed == nil)
  }

  @Test func `Without anything known nothing is derived`() throws {
    var model = ErrorModel()
    var fix = try Self.fix()
    fix.measured = nil
    let errors = model.errors(of: fix)
    #expect(errors == DerivedErrors())
  }
}
