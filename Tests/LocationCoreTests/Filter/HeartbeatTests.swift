import Testing

@testable import LocationCore

@Suite("Heartbeat")
struct HeartbeatTests {
  @Test("off by default")
  func off() {
    var ride = RideFixture()
    var filter = DistanceFilter(.standard)
    _ = filter.evaluate(ride.fix(here, at: at(0)), at: at(0))
    _ = filter.evaluate(ride.fix(here, at: at(1)), at: at(1))
    #expect(filter.heartbeatDeadline == nil)
    #expect(filter.heartbeat(at: at(1e6)) == nil)
  }

  @Test("sends the newest fix once, and only one that was not delivered")
  func newest() throws {
    var ride = RideFixture()
    var filter = DistanceFilter(try FilterConfiguration(heartbeat: .seconds(30)))
    _ = filter.evaluate(ride.fix(here, at: at(0)), at: at(0))
    #expect(filter.heartbeatDeadline == nil, "nothing newer than the first is there")
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

  @Test("a fix that comes when the heartbeat is overdue is the heartbeat")
  func overdue() throws {
    var ride = RideFixture()
    var filter = DistanceFilter(try FilterConfiguration(heartbeat: .seconds(30)))
    _ = filter.evaluate(ride.fix(here, at: at(0)), at: at(0))
    #expect(filter.evaluate(ride.fix(here, at: at(40)), at: at(40)) == .heartbeat)
    #expect(filter.evaluate(ride.fix(here, at: at(41)), at: at(41)) == nil)
    #expect(filter.heartbeatDeadline == at(70))
  }

  @Test("every delivery starts the interval anew")
  func anew() throws {
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
