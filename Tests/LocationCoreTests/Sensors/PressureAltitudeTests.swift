import Glibc
import Testing

@testable import LocationCore

/// Errors that are the same each time and have no memory.
private struct Noise {
  private var state: UInt64 = 1

  mutating func next() -> Double {
    var sum = -6.0
    for _ in 0..<12 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      sum += Double(state >> 11) * 0x1p-53
    }
    return sum
  }
}

@Suite("Altitude by pressure")
struct PressureAltitudeTests {
  /// The climb of a ride of so many seconds: `true` height and way of the second, with what GNSS and pressure add to it.
  private static func climb(
    seconds: Int, scale: Double = 1, drift: (Double) -> Double = { _ in 0 }, saved: Int? = nil,
    _ ride: (Double) -> (height: Double, way: Double)
  ) throws -> Climb {
    var (climb, noise, slow) = (Climb(), Noise(), 0.0)
    for second in 0..<seconds {
      let time = Double(second)
      let (height, way) = ride(time)
      slow = 0.99 * slow + 0.3 * noise.next()
      if second == saved {
        var words = StateWords()
        climb.code(&words)
        climb.codePressure(&words)
        var reading = StateWords(words.line[...])
        climb = Climb()
        climb.code(&reading)
        climb.codePressure(&reading)
        #expect(reading.isComplete)
      }
      climb.add(height + slow, error: 4, isDilution: false, at: time, distance: way)
      climb.add(
        pressure: scale * height + drift(time) + 0.1 * noise.next(), deviation: 0.1, at: time, distance: way)
    }
    return climb
  }

  @Test(arguments: [(101_325.0, 0.0), (89_874.6, 1000), (54_019.9, 5000), (103_751, -200)])
  func `The altitude of a pressure is that of the standard atmosphere`(pascals: Double, metres: Double) throws {
    #expect(abs(try #require(PressureAltitude.altitude(ofPressure: pascals)) - metres) < 0.5)
  }

  @Test(arguments: [Double.nan, .infinity, 0, -5, 19_999, 120_001])
  func `A pressure of no place has no altitude`(pascals: Double) {
    #expect(PressureAltitude.altitude(ofPressure: pascals) == nil)
  }

  @Test func `Standing for an hour while the pressure falls by 3 hPa climbs 0 m`() throws {
    let climb = try Self.climb(seconds: 3600, drift: { 25 * $0 / 3600 }) { _ in (500, 0) }
    #expect(climb.ascent == 0)
    #expect(climb.descent == 0)
    let (height, error) = try #require(climb.fused)
    #expect(abs(height - 500) < error, "\(height) ± \(error)")
  }

  @Test func `An hour on the flat while the pressure falls by 3 hPa climbs little`() throws {
    let climb = try Self.climb(seconds: 3600, drift: { 25 * $0 / 3600 }) { (500, 6 * $0) }
    #expect(try #require(climb.ascent) + (climb.descent ?? 0) < 8, "\(climb.ascent ?? 0), \(climb.descent ?? 0)")
  }

  /// Hills of 4 m height every 400 m.
  private static func hills(_ time: Double) -> (height: Double, way: Double) {
    let way = 6 * time
    let place = way.truncatingRemainder(dividingBy: 400)
    return (300 + 4 * (place < 200 ? place / 200 : 2 - place / 200), way)
  }

  @Test func `Hills of 4 m count with pressure`() throws {
    let climb = try Self.climb(seconds: 2000, Self.hills)
    // What is rounded off are their sharp tops.
    #expect(abs(try #require(climb.ascent) - 120) < 15, "\(climb.ascent ?? 0)")
  }

  @Test(arguments: [0.95, 1.05])
  func `Cold or warm air does not change the ascent of a mountain`(scale: Double) throws {
    let climb = try Self.climb(seconds: 3000, scale: scale) { (400 + 0.4 * $0, 6 * $0) }
    #expect(abs(try #require(climb.ascent) - 1200) < 24, "\(climb.ascent ?? 0)")
  }

  @Test func `A pressure that jumps is no climb`() throws {
    let climb = try Self.climb(seconds: 2000, drift: { $0 > 700 && $0 < 1300 ? 15 : 0 }, Self.hills)
    #expect(abs(try #require(climb.ascent) - 120) < 15, "\(climb.ascent ?? 0)")
  }

  @Test func `A climb that was saved continues to the digit`() throws {
    func line(_ climb: Climb) -> String {
      var (climb, words) = (climb, StateWords())
      climb.code(&words)
      climb.codePressure(&words)
      return words.line
    }
    let saved = try Self.climb(seconds: 900, saved: 430, Self.hills)
    #expect(line(saved) == line(try Self.climb(seconds: 900, Self.hills)))
  }

  /// The fixes of a road that rises by `grade` from 600 m on, at that speed, and what pressure adds to them.
  private static func fixes(speed: Double, grade: Double, rate: Int, _ body: (Double, Fix, FusedMotion) -> Void) {
    var (altitude, noise) = (PressureAltitude(), Noise())
    for tenth in 0..<Int(1000 / speed * 10) {
      let instant = MonotonicInstant(nanoseconds: Int64(tenth) * 100_000_000)
      let way = speed * Double(tenth) / 10
      let height = 400 + grade * max(0, way - 600)
      let pressure = 101_325 * pow(1 - height / 44_330.77, 1 / 0.190_263) + noise.next()
      if tenth % rate == 0 { altitude.receive(pressure: pressure, at: instant) }
      guard tenth % 10 == 0 else { continue }
      var fix = Fix(position: .origin, mode: .threeD, received: instant)
      (fix.speed, fix.altitudeMSL, fix.verticalAccuracy) = (speed, height + 2, 5)
      var fused = FusedMotion()
      altitude.complete(&fix, &fused)
      body(way, fix, fused)
    }
  }

  @Test(arguments: [(2.0, 0.08), (5, 0.08), (5, -0.12), (8, 0.05), (14, 0.06)])
  func `The grade is right 20 m after a change, and its error covers it`(speed: Double, grade: Double) throws {
    var (count, near, inside) = (0.0, 0.0, 0.0)
    Self.fixes(speed: speed, grade: grade, rate: 1) { way, _, fused in
      guard way > 100, way < 600 || way >= 620 + 1.1 * speed else { return }
      let error = 100 * (way < 600 ? 0 : grade) - Double(fused.grade ?? .infinity)
      count += 1
      near += abs(error) <= 1 ? 1 : 0
      inside += abs(error) <= Double(fused.gradeError ?? 0) ? 1 : 0
    }
    #expect(near >= 0.95 * count, "\(near) of \(count)")
    #expect(inside >= 0.9 * count, "\(inside) of \(count)")
  }

  @Test func `There is no grade below walking speed, and a climb by pressure above it`() throws {
    Self.fixes(speed: 0.8, grade: 0.08, rate: 1) { _, fix, fused in
      #expect(fused.grade == nil)
      #expect(fix.climb == nil)
    }
    var newest: Fix?
    Self.fixes(speed: 5, grade: 0.08, rate: 1) { _, fix, _ in newest = fix }
    #expect(abs(try #require(newest?.climb) - 0.4) < 0.06)
  }

  @Test func `Without pressures nothing is added to a fix`() {
    var altitude = PressureAltitude()
    for second in 0..<30 {
      var fix = Fix(
        position: .origin, mode: .threeD, received: MonotonicInstant(nanoseconds: Int64(second) * 1_000_000_000))
      (fix.speed, fix.altitudeMSL) = (5, 400)
      let before = fix
      var fused = FusedMotion()
      altitude.complete(&fix, &fused)
      #expect(fix == before && fused == FusedMotion())
    }
  }
}
