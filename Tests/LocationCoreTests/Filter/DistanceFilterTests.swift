import Testing

@testable import LocationCore

@Suite("Distance filter")
struct DistanceFilterTests {
  struct Spot: Sendable {
    let name: String
    let position: Coordinate

    static let all = [
      Spot(name: "equator", position: place(0, 33)), Spot(name: "60° N", position: place(60, 25)),
      Spot(name: "antimeridian", position: place(-17.5, 179.99999)),
      Spot(name: "antimeridian itself", position: place(65.5, 180)),
      Spot(name: "north pole", position: place(90, 0)), Spot(name: "south pole", position: place(-90, 77)),
      Spot(name: "over the pole", position: place(89.99996, -120)),
    ]
  }

  @Test(arguments: Spot.all)
  func `A fix 9.999 m away is suppressed, 10.000 m and 10.001 m pass, in every direction`(_ spot: Spot) {
    for bearing in stride(from: 0.0, to: 360, by: 7.5) {
      for (metres, passes) in [(9.999, false), (10.000, true), (10.001, true)] {
        var ride = RideFixture()
        var filter = DistanceFilter(.standard)
        #expect(filter.evaluate(ride.fix(spot.position, at: at(0)), at: at(0)) == .first)
        let next = ride.fix(spot.position.moved(metres, towards: bearing), at: at(1))
        #expect(filter.evaluate(next, at: at(1)) == (passes ? .moved : nil), "\(spot.name) \(bearing)° \(metres) m")
      }
    }
  }

  @Test func `A distance of 0 passes every fix, moving or not`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.everyFix)
    #expect(filter.evaluate(ride.fix(here, at: at(0), speed: 0), at: at(0)) == .first)
    for second in 1..<50 {
      let fix = ride.fix(here, at: at(Double(second)), speed: second % 2 == 0 ? nil : 0)
      #expect(filter.evaluate(fix, at: at(Double(second))) == .moved)
    }
  }

  @Test func `A change of altitude does not pass`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    _ = filter.evaluate(ride.fix(here, at: at(0)), at: at(0))
    var climbed = ride.fix(here, at: at(1))
    climbed.fix.altitudeMSL = 4_000
    #expect(filter.evaluate(climbed, at: at(1)) == nil)
  }

  @Test func `The distance is measured from the last fix delivered, not from the last one received`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    var moved = 0
    for step in 0...374 {
      let instant = at(Double(step))
      let fix = ride.fix(here.moved(1.01 * Double(step)), at: instant, speed: 1.01)
      if filter.evaluate(fix, at: instant) == .moved { moved += 1 }
    }
    #expect(moved == 37)
  }

  @Test(
    arguments: [
      ([.source, .regained, .mode, .stopped, .started], .source), ([.regained, .mode, .stopped], .regained),
      ([.mode, .stopped], .mode), ([.stopped], .stopped), ([.started], .started), ([.suspect], nil),
    ] as [(FixChanges, DeliveryReason?)]
  )
  func `A line carries one reason, in the documented order`(_ changes: FixChanges, _ reason: DeliveryReason?) {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    #expect(filter.evaluate(ride.fix(here, at: at(0), changes: changes), at: at(0)) == .first)
    #expect(filter.evaluate(ride.fix(here, at: at(1), changes: changes), at: at(1)) == reason)
    let far = ride.fix(here.moved(500), at: at(2), changes: changes)
    #expect(filter.evaluate(far, at: at(2)) == reason ?? .moved)
  }

  @Test(arguments: 1...20)
  func `Every delivery becomes the reference, and nothing else does`(_ seed: Int) {
    var random = SeededNoise(seed: UInt64(seed))
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    var position = here
    var delivered: PublishedFix?
    for step in 0..<400 {
      let instant = at(Double(step))
      position = position.moved(random.uniform(0...8), towards: random.uniform(0...360))
      let changes: FixChanges = random.uniform(0...1) < 0.03 ? .mode : []
      let fix = ride.fix(position, at: instant, speed: random.uniform(0...3), changes: changes)
      switch random.uniform(0...1) {
      case ..<0.05:
        filter.delivered(fix, at: instant)
        delivered = fix
      case ..<0.1:
        break  // Rejected before the filter.
      default:
        let before = delivered
        if let reason = filter.evaluate(fix, at: instant) {
          delivered = fix
          if reason == .moved, let before {
            #expect(before.fix.position.distance(to: position) >= 10 - DistanceFilter.tolerance)
          }
        } else if let before, let speed = fix.fix.speed, speed >= Standstill.startedFrom {
          #expect(before.fix.position.distance(to: position) < 10)
        }
      }
      #expect(filter.reference?.seq == delivered?.seq)
      #expect(filter.reference?.position == delivered?.fix.position)
    }
  }

  @Test func `A delivered fix is not delivered again`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.everyFix)
    let fix = ride.fix(here, at: at(0))
    filter.delivered(fix, at: at(0))
    #expect(filter.evaluate(fix, at: at(0)) == nil)
    #expect(filter.evaluate(ride.fix(here, at: at(1)), at: at(1)) == .moved)
  }

  @Test func `A stop or start after a delivered fix is delivered with it`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    var fix = ride.fix(here, at: at(0))
    #expect(filter.evaluate(fix, at: at(0)) == .first)
    fix.changes = .started
    #expect(filter.evaluate(fix, at: at(0.6)) == .started)
    _ = filter.evaluate(ride.fix(here.moved(20), at: at(1)), at: at(1))
    #expect(filter.evaluate(fix, at: at(1.1)) == nil)
  }

  @Test(arguments: [FixChanges.stopped, .started])
  func `A stop or start between two fixes is delivered once, with the next one`(change: FixChanges) {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    #expect(filter.evaluate(ride.fix(here, at: at(0)), at: at(0)) == .first)
    filter.expect(change)
    #expect(filter.evaluate(ride.fix(here, at: at(1)), at: at(1)) == (change == .stopped ? .stopped : .started))
    #expect(filter.evaluate(ride.fix(here, at: at(2)), at: at(2)) == nil)
  }

  @Test func `A snapshot is a delivery and becomes the reference`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    filter.delivered(ride.fix(here, at: at(0)), at: at(5))
    #expect(filter.evaluate(ride.fix(here.moved(9), at: at(6)), at: at(6)) == nil)
    #expect(filter.evaluate(ride.fix(here.moved(11), at: at(7)), at: at(7)) == .moved)
  }

  @Test(arguments: [Double.nan, -0.001, -.infinity, .infinity])
  func `Invalid distances and intervals are errors`(_ distance: Double) {
    let error = RequestRefusal.invalid("distance filter \(distance) is invalid: use 0 m (every fix) or more")
    #expect(throws: error) { try FilterConfiguration(distance: distance) }
    #expect(throws: RequestRefusal.self) { try FilterConfiguration(heartbeat: .zero) }
    #expect(throws: RequestRefusal.self) { try FilterConfiguration(heartbeat: .seconds(-1)) }
  }

  @Test func `A distance of −0 counts as 0, and a huge distance is valid`() throws {
    var ride = RideFixture()
    var zero = DistanceFilter(try FilterConfiguration(distance: -0.0))
    var huge = DistanceFilter(try FilterConfiguration(distance: 1e9))
    for second in 0..<3 {
      let fix = ride.fix(here, at: at(Double(second)))
      #expect(zero.evaluate(fix, at: at(Double(second))) != nil)
      #expect(huge.evaluate(fix, at: at(Double(second))) == (second == 0 ? .first : nil))
    }
    #expect(huge.evaluate(ride.fix(place(-48.2, -163.63), at: at(4)), at: at(4)) == nil)
  }
}

@Suite("Heartbeat")
struct HeartbeatTests {
  @Test func `The heartbeat is off by default`() {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    _ = filter.evaluate(ride.fix(here, at: at(0)), at: at(0))
    _ = filter.evaluate(ride.fix(here, at: at(1)), at: at(1))
    #expect(filter.heartbeatDeadline == nil)
    #expect(filter.heartbeat(at: at(1e6)) == nil)
  }

  @Test func `A heartbeat delivers the newest fix once, unless it was already delivered`() throws {
    var ride = RideFixture()
    var filter = DistanceFilter(try FilterConfiguration(heartbeat: .seconds(30)))
    _ = filter.evaluate(ride.fix(here, at: at(0)), at: at(0))
    #expect(filter.heartbeatDeadline == nil, "no newer fix is available")
    _ = filter.evaluate(ride.fix(here, at: at(1)), at: at(1))
    let newest = ride.fix(here.moved(2), at: at(2))
    #expect(filter.evaluate(newest, at: at(2)) == nil)
    #expect(filter.heartbeatDeadline == at(30))
    #expect(filter.heartbeat(at: at(29.999)) == nil)
    #expect(filter.heartbeat(at: at(30)) == newest)
    #expect(filter.reference?.seq == newest.seq)
    #expect(filter.heartbeat(at: at(60)) == nil, "the same position is never repeated as new")
    #expect(filter.heartbeatDeadline == nil)
  }

  @Test func `A fix that arrives when the heartbeat is overdue is delivered as the heartbeat`() throws {
    var ride = RideFixture()
    var filter = DistanceFilter(try FilterConfiguration(heartbeat: .seconds(30)))
    _ = filter.evaluate(ride.fix(here, at: at(0)), at: at(0))
    #expect(filter.evaluate(ride.fix(here, at: at(40)), at: at(40)) == .heartbeat)
    #expect(filter.evaluate(ride.fix(here, at: at(41)), at: at(41)) == nil)
    #expect(filter.heartbeatDeadline == at(70))
  }

  @Test func `Every delivery restarts the interval`() throws {
    var ride = RideFixture()
    var filter = DistanceFilter(try FilterConfiguration(heartbeat: .seconds(30)))
    _ = filter.evaluate(ride.fix(here, at: at(0)), at: at(0))
    #expect(filter.evaluate(ride.fix(here.moved(20), at: at(20)), at: at(20)) == .moved)
    _ = filter.evaluate(ride.fix(here.moved(20), at: at(21)), at: at(21))
    #expect(filter.heartbeatDeadline == at(50))
    filter.delivered(ride.fix(here, at: at(22)), at: at(45))
    #expect(filter.heartbeatDeadline == nil)
  }
}
