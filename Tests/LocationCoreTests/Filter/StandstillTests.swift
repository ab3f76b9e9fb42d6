import Testing

@testable import LocationCore

@Suite("Standstill")
struct StandstillTests {
  /// Deliveries per hour at rest, with one epoch per second, without the first; `speed`: in place of one near 0.
  private func deliveries(hours: Int, error: WanderingError, accuracy: Double?, speed: Double? = nil) -> Double {
    var error = error
    var ride = RideFixture(detector: ChangeDetector())
    var speeds = SeededNoise(seed: 77)
    var filter = DistanceFilter(.standard)
    var count = -1
    for second in 0..<hours * 3_600 {
      let instant = at(Double(second))
      let fix = ride.fix(
        error.next(around: here), at: instant, speed: speed ?? abs(speeds.normal()) * 0.15, accuracy: accuracy)
      if filter.evaluate(fix, at: instant) != nil { count += 1 }
    }
    return Double(count) / Double(hours)
  }

  @Test(arguments: [30.0, 60, 0])
  func `An hour with σ = 5 m gives fewer than 45 deliveries, for correlated and uncorrelated errors`(
    _ correlation: Double
  ) {
    let error = WanderingError(sigma: 5, correlation: correlation, seed: 1)
    #expect(deliveries(hours: 1, error: error, accuracy: error.radius) < 45)
    #expect(deliveries(hours: 12, error: error, accuracy: error.radius) < 45)
    #expect(deliveries(hours: 1, error: error, accuracy: nil) < 45, "a receiver without an accuracy")
  }

  @Test func `With σ = 8 m the plain rule gives over 190 deliveries an hour, the standstill rule about 40`() {
    let error = WanderingError(sigma: 8, correlation: 30, seed: 2)
    #expect(deliveries(hours: 10, error: error, accuracy: error.radius, speed: 1) > 190, "the rule of a moving rider")
    #expect((30...45).contains(deliveries(hours: 10, error: error, accuracy: error.radius)))
  }

  @Test func `A stop waits for a position that says something`() {
    var ride = RideFixture(detector: ChangeDetector())
    var filter = DistanceFilter(.standard)
    let places = [(0.0, 5.0), (0, 5), (222, 188), (-130, 190), (300, 185), (0, 5), (0, 5)]
    let reasons = places.enumerated().map { second, place in
      let instant = at(Double(second))
      return filter.evaluate(
        ride.fix(here.moved(place.0), at: instant, speed: 0.1, accuracy: place.1), at: instant)
    }
    #expect(reasons == [.first, nil, nil, nil, nil, .stopped, nil])
    // A start ends the wait.
    var moving = RideFixture(detector: ChangeDetector())
    filter = DistanceFilter(.standard)
    let later = [(0.0, 0.1, 5.0), (0, 0.1, 5), (222, 0.1, 188), (0, 5, 5), (5, 5, 5), (9, 5, 5), (16, 5, 5)]
      .enumerated()
      .map { second, place in
        let instant = at(Double(second))
        return filter.evaluate(
          moving.fix(here.moved(place.0), at: instant, speed: place.1, accuracy: place.2), at: instant)
      }
    #expect(later == [.first, nil, nil, .stopped, .started, nil, .moved])
  }

  @Test func `Of two changes that wait, and of one that another one overtakes, none is lost`() {
    var ride = RideFixture(detector: ChangeDetector())
    var filter = DistanceFilter(.standard)
    let places = [
      (0.0, 5.0, FixMode.threeD), (0, 5, .threeD), (222, 188, .threeD), (-130, 190, .twoD), (300, 185, .twoD),
      (0, 5, .twoD), (0, 5, .twoD), (0, 5, .twoD),
    ]
    let reasons = places.enumerated().map { second, place in
      let instant = at(Double(second))
      return filter.evaluate(
        ride.fix(here.moved(place.0), at: instant, speed: 0.1, accuracy: place.1, mode: place.2), at: instant)
    }
    #expect(reasons == [.first, nil, nil, nil, nil, .mode, .stopped, nil])
    ride = RideFixture(detector: ChangeDetector())
    filter = DistanceFilter(.standard)
    let later = [(0.0, 5.0), (0, 5), (222, 188), (0, 5), (0, 5), (0, 5)].enumerated().map { second, place in
      let instant = at(Double(second))
      if second == 3 { ride.detector?.lost() }
      return filter.evaluate(ride.fix(here.moved(place.0), at: instant, speed: 0.1, accuracy: place.1), at: instant)
    }
    #expect(later == [.first, nil, nil, .regained, .stopped, nil])
  }

  @Test(arguments: [(nil, 16.0), (3, 10.5), (12, 12.5), (40, 40.5), (900, 50.5)] as [(Double?, Double)])
  func `A bicycle pushed at 0.5 m/s is delivered as soon as it is outside the bound`(
    _ accuracy: Double?, _ metres: Double
  ) {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    var last = 0.0
    var widest = 0.0
    for second in 0..<3_600 {
      let travelled = 0.5 * Double(second)
      let fix = ride.fix(here.moved(travelled), at: at(Double(second)), speed: 0.5, accuracy: accuracy)
      guard let reason = filter.evaluate(fix, at: at(Double(second))) else { continue }
      #expect(reason == (second == 0 ? .first : .moved))
      widest = max(widest, travelled - last)
      last = travelled
    }
    #expect(widest <= metres)
    #expect(1_799.5 - last <= metres)
  }

  @Test(arguments: [(5.0, 0.0), (5, 30), (8, 0), (8, 30)])
  func `A pushed bicycle is delivered regularly despite noise`(_ sigma: Double, _ correlation: Double) {
    var error = WanderingError(sigma: sigma, correlation: correlation, seed: 3)
    var ride = RideFixture(detector: ChangeDetector())
    var speeds = SeededNoise(seed: 4)
    var filter = DistanceFilter(.standard)
    var last = 0.0
    var longest = 0.0
    var count = 0
    for second in 0..<3_600 {
      let instant = at(Double(second))
      let position = error.next(around: here.moved(0.5 * Double(second)))
      let speed = abs(0.5 + 0.1 * speeds.normal())
      let fix = ride.fix(position, at: instant, speed: speed, accuracy: error.radius)
      guard filter.evaluate(fix, at: instant) != nil else { continue }
      longest = max(longest, Double(second) - last)
      last = Double(second)
      count += 1
    }
    #expect(longest < 120)
    #expect(count > 60)
  }

  @Test func `One epoch outside is not enough, nor are two on opposite sides`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    var second = 0.0
    func next(_ metres: Double, _ bearing: Double) -> DeliveryReason? {
      second += 1
      let fix = ride.fix(here.moved(metres, towards: bearing), at: at(second), speed: 0.1, accuracy: 12)
      return filter.evaluate(fix, at: at(second))
    }
    #expect(next(0, 0) == .first)
    #expect(next(13, 90) == nil)
    #expect(next(3, 90) == nil)
    #expect(next(13, 90) == nil)
    #expect(next(13, 270) == nil)
    #expect(next(13.5, 270) == .moved)
  }

  @Test func `Beyond twice the radius two epochs need not agree`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    _ = filter.evaluate(ride.fix(here, at: at(0), speed: 0.1, accuracy: 12), at: at(0))
    let one = ride.fix(here.moved(24.5, towards: 0), at: at(1), speed: 0.1, accuracy: 12)
    let other = ride.fix(here.moved(24.5, towards: 180), at: at(2), speed: 0.1, accuracy: 12)
    #expect(filter.evaluate(one, at: at(1)) == nil)
    #expect(filter.evaluate(other, at: at(2)) == .moved)
  }

  @Test func `A speed from 0.7 m/s counts as riding`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    _ = filter.evaluate(ride.fix(here, at: at(0), speed: 0), at: at(0))
    #expect(filter.evaluate(ride.fix(here.moved(11), at: at(1), speed: 0.7, accuracy: 40), at: at(1)) == .moved)
    #expect(filter.evaluate(ride.fix(here.moved(22), at: at(2), speed: 0.69, accuracy: 10), at: at(2)) == nil)
  }

  @Test func `A rider without a known speed is delivered`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    var count = 0
    for second in 0..<600 {
      let fix = ride.fix(here.moved(8 * Double(second)), at: at(Double(second)), speed: nil)
      if filter.evaluate(fix, at: at(Double(second))) != nil { count += 1 }
    }
    #expect(count == 200, "every third epoch: two consecutive ones must be outside")
  }
}
