import Testing

@testable import LocationCore

@Suite("Rates of two fixes")
struct FixRatesTests {
  private static func fix(_ second: Int, north: Double = 0, altitude: Double? = nil) throws -> Fix {
    let position = try #require(Coordinate(latitude: 48 + north / 111_200, longitude: 11))
    var fix = Fix(
      position: position, mode: .threeD,
      measured: UTCInstant(nanosecondsSince1970: (1_773_921_600 + Int64(second)) * 1_000_000_000),
      received: .zero + .seconds(second))
    fix.altitudeMSL = altitude
    fix.course = 0
    fix.horizontalAccuracy = 5
    return fix
  }

  private static func complete(_ fixes: [Fix], with rates: FixRates = FixRates()) -> Fix? {
    var rates = rates
    var fixes = fixes
    for index in fixes.indices { rates.complete(&fixes[index], of: 1) }
    return fixes.last
  }

  @Test func `The climb is the difference of two altitudes by their time`() throws {
    #expect(Self.complete([try Self.fix(0, altitude: 500)])?.climb == nil)
    #expect(Self.complete([try Self.fix(0, altitude: 500), try Self.fix(2, altitude: 503)])?.climb == 1.5)
  }

  @Test func `An altitude in every second epoch gives a climb in each of those`() throws {
    let fixes = [try Self.fix(0, altitude: 500), try Self.fix(1), try Self.fix(2, altitude: 499)]
    #expect(Self.complete(Array(fixes.prefix(2)))?.climb == nil)
    #expect(Self.complete(fixes)?.climb == -0.5)
  }

  @Test func `The receiver's climb and error of the course are kept`() throws {
    var fix = try Self.fix(1, north: 20, altitude: 503)
    fix.climb = 2
    fix.courseAccuracy = 1
    let complete = Self.complete([try Self.fix(0, altitude: 500), fix])
    #expect(complete?.climb == 2 && complete?.courseAccuracy == 1 && complete?.isCourseAccuracyDerived == false)
  }

  @Test func `The error of the course follows from a step that is longer than the error of the position`() throws {
    let long = try #require(Self.complete([try Self.fix(0), try Self.fix(1, north: 20)]))
    let degrees = try #require(long.courseAccuracy)
    #expect(abs(degrees - 28.07) < 0.1 && long.isCourseAccuracyDerived)
    let short = try #require(Self.complete([try Self.fix(0), try Self.fix(1, north: 4)]))
    #expect(short.courseAccuracy == nil && !short.isCourseAccuracyDerived)
    var aimless = try Self.fix(1, north: 20)
    aimless.course = nil
    #expect(Self.complete([try Self.fix(0), aimless])?.courseAccuracy == nil)
  }

  @Test func `Nothing follows across a loss, another source, 10 s, or without a time or in two dimensions`() throws {
    let first = try Self.fix(0, altitude: 500)
    let second = try Self.fix(1, north: 20, altitude: 503)
    func after(_ change: (inout FixRates) -> Void, _ fix: Fix) -> Fix {
      var (rates, first, fix) = (FixRates(), first, fix)
      rates.complete(&first, of: 1)
      change(&rates)
      rates.complete(&fix, of: 1)
      return fix
    }
    let lost = after({ $0.lost() }, second)
    #expect(lost.climb == nil && lost.courseAccuracy == nil)
    let other = after(
      { rates in
        var fix = first
        rates.complete(&fix, of: 2)
      }, second)
    #expect(other.climb == nil && other.courseAccuracy == nil)
    #expect(after({ _ in }, try Self.fix(11, altitude: 503)).climb == nil)
    #expect(after({ _ in }, try Self.fix(0, altitude: 503)).climb == nil)
    var flat = second
    flat.mode = .twoD
    #expect(after({ _ in }, flat).climb == nil)
    var timeless = second
    timeless.measured = nil
    #expect(after({ _ in }, timeless).climb == nil)
  }
}
