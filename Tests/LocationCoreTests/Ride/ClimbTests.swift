import Testing

@testable import LocationCore

struct ClimbTests {
  /// A ride at 6 m/s that climbs 40 m, stands for ten minutes while the altitude drifts, and climbs 40 m more.
  private static let ride = (0..<1000).map { second in
    let moving = Double(min(second, 200) + max(0, second - 800))
    let drift = second > 200 ? 8 * Double(min(second, 800) - 200) / 600 : 0
    return (time: Double(second), altitude: 500 + 0.2 * moving + drift, distance: 6 * moving)
  }

  private static func climb(error: (Int) -> Double? = { _ in 4 }, without: Range<Int> = 0..<0) -> Climb {
    var climb = Climb()
    for (second, point) in ride.enumerated() where !without.contains(second) {
      climb.add(
        point.altitude, error: error(second), isDilution: false, at: point.time, distance: point.distance)
    }
    return climb
  }

  private static func saved(_ climb: Climb) -> String {
    var (climb, words) = (climb, StateWords())
    climb.code(&words)
    return words.line
  }

  @Test func `Two climbs with a pause count, the drift at the pause does not`() throws {
    let climb = Self.climb()
    #expect(abs(try #require(climb.ascent) - 80) < 5, "\(climb.ascent ?? 0)")
    #expect(climb.descent == 0)
  }

  @Test(arguments: [50..<90, 300..<700, 150..<300, 780..<820])
  func `Altitudes missing for a while do not change the ascent`(missing: Range<Int>) throws {
    let climb = Self.climb(without: missing)
    #expect(abs(try #require(climb.ascent) - 80) < 8, "\(climb.ascent ?? 0)")
    #expect(climb.descent == 0)
  }

  @Test func `Without accuracies, or with some, the ascent is the same within metres`() throws {
    for error in [{ _ in nil }, { $0 % 5 == 0 ? 4 : nil }, { $0 < 500 ? 4 : nil }] as [(Int) -> Double?] {
      let climb = Self.climb(error: error)
      #expect(abs(try #require(climb.ascent) - 80) < 8, "\(climb.ascent ?? 0)")
    }
  }

  @Test func `A rise of 8 m counts as a climb of 20 s, as a drift of 20 min not`() throws {
    for (rise, expected) in [(20.0, 8.0), (1200, 0)] {
      var climb = Climb()
      for second in 0..<1400 {
        let altitude = 500 + 8 * min(max(0, Double(second) - 100) / rise, 1)
        climb.add(altitude, error: 4, isDilution: false, at: Double(second), distance: 20 * Double(second))
      }
      #expect(abs(try #require(climb.ascent) - expected) < 2, "\(climb.ascent ?? 0) of \(expected) in \(rise) s")
    }
  }

  @Test func `Without altitudes there is no ascent`() {
    #expect(Climb().ascent == nil && Climb().descent == nil)
  }

  @Test(arguments: [1, 120, 500, 810]) func `A climb that was saved continues to the digit`(split: Int) {
    var climb = Climb()
    for (second, point) in Self.ride.enumerated() {
      if second == split {
        var reading = StateWords(Self.saved(climb)[...])
        climb = Climb()
        climb.code(&reading)
        #expect(reading.isComplete)
      }
      climb.add(point.altitude, error: 4, isDilution: true, at: point.time, distance: point.distance)
    }
    var unbroken = Climb()
    for point in Self.ride {
      unbroken.add(point.altitude, error: 4, isDilution: true, at: point.time, distance: point.distance)
    }
    #expect(Self.saved(climb) == Self.saved(unbroken))
  }
}
