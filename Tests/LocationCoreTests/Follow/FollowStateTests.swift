import Testing

@testable import LocationCore

@Suite("Follow mode: states, limits, requests (F1, F2, F7, F10)")
struct FollowStateTests {
  @Test("F1: a view starts following, even before a fix")
  func starts() throws {
    var fixture = FollowFixture()
    #expect(fixture.state().following)
    try fixture.report(here, cause: .user, 0)
    #expect(fixture.registry.states == [FollowState(view: "main", following: true, reason: .initial)])
    #expect(fixture.registry.counters.withoutFix == 1)
  }

  @Test(
    "F2: 100.000 m still follows, 100.001 m is free, everywhere",
    arguments: [here, place(0, 0), place(60, 25), place(-17, 180), place(90, 0), place(-89.9999, 12)])
  func limit(_ position: Coordinate) throws {
    for bearing in stride(from: 0.0, to: 360, by: 45) {
      var fixture = FollowFixture()
      fixture.publish(position, 0)
      #expect(try fixture.report(position.moved(99.999, towards: bearing), seq: 1, 1) == [])
      #expect(try fixture.report(position.moved(100.000, towards: bearing), seq: 1, 2) == [])
      let actions = try fixture.report(position.moved(100.001, towards: bearing), seq: 1, 3)
      #expect(actions.count == 1)
      let state = fixture.state()
      #expect(actions == [.changed(state)])
      #expect(!state.following && state.reason == .drift && state.seq == 1)
      #expect(abs((state.distance ?? 0) - 100.001) < 1e-5)
    }
  }

  @Test("F2: the limit is configurable, and checked")
  func configurable() throws {
    var fixture = try FollowFixture.settled(try FollowConfiguration(driftLimit: 20))
    #expect(try fixture.report(here.moved(20), seq: 1, 1) == [])
    #expect(try fixture.report(here.moved(20.001), seq: 1, 2).count == 1)
    for wrong in [Double.nan, 0, -1, .infinity] {
      #expect(throws: FollowError.self) { try FollowConfiguration(driftLimit: wrong) }
    }
    #expect(throws: FollowError.idleResume(.zero)) { try FollowConfiguration(idleResume: .zero) }
  }

  @Test("F7: a request engages at once and sends the newest fix; it always works")
  func engage() throws {
    var fixture = try FollowFixture.settled()
    try fixture.report(here.moved(500), seq: 1, 5)
    fixture.publish(here.moved(3), 6)
    let engaged = FollowState(view: "main", following: true, reason: .requested, seq: 2)
    #expect(try fixture.set(true, 7) == [.changed(engaged), .sendNewest(view: "main")])
    #expect(try fixture.set(true, 8) == [.sendNewest(view: "main")], "no transition, but still the newest fix")
    #expect(fixture.state() == engaged)
  }

  @Test("F7: a request works for a view that was never seen, and before any fix")
  func early() throws {
    var fixture = FollowFixture()
    #expect(try fixture.set(false, view: "other", 0).count == 1)
    #expect(fixture.state("other").reason == .requested)
    #expect(try fixture.set(true, view: "other", 1).count == 2)
  }

  @Test("F7: a release is a transition once; drift may turn into it")
  func release() throws {
    var fixture = try FollowFixture.settled()
    try fixture.report(here.moved(500), seq: 1, 5)
    let released = FollowState(view: "main", following: false, reason: .requested, seq: 1)
    #expect(try fixture.set(false, 6) == [.changed(released)])
    #expect(try fixture.set(false, 7) == [])
  }

  @Test("F7: idle resume is off by default")
  func idleOff() throws {
    var fixture = try FollowFixture.settled()
    try fixture.report(here.moved(500), seq: 1, 5)
    for second in 6..<600 { #expect(fixture.publish(here, Double(second), speed: 20) == []) }
    #expect(!fixture.state().following)
  }

  @Test("F7: idle resume after the time without a user report, while riding faster than 2 m/s")
  func idle() throws {
    var fixture = try FollowFixture.settled(try FollowConfiguration(idleResume: .seconds(15)))
    try fixture.report(here.moved(500), seq: 1, 5)
    try fixture.report(here.moved(900), seq: 1, 10)
    try fixture.report(here.moved(900), seq: 1, cause: .zoom, 20)
    #expect(fixture.publish(here, 24.9, speed: 9) == [])
    #expect(fixture.publish(here, 25, speed: 2) == [], "not riding")
    #expect(fixture.publish(here, 26, speed: nil) == [], "not known to be riding")
    let resumed = FollowState(view: "main", following: true, reason: .idle, seq: 5)
    #expect(fixture.publish(here, 27, speed: 2.1) == [.changed(resumed), .sendNewest(view: "main")])
    #expect(fixture.publish(here, 28, speed: 9) == [], "once")
  }

  @Test("F7: never after a release by request")
  func idleNeverAfterRequest() throws {
    var fixture = try FollowFixture.settled(try FollowConfiguration(idleResume: .seconds(15)))
    try fixture.set(false, 1)
    for second in 2..<100 { #expect(fixture.publish(here, Double(second), speed: 20) == []) }
  }

  @Test("F10: one event per transition, not one per report")
  func oneEvent() throws {
    var fixture = try FollowFixture.settled()
    var events = 0
    for step in 0..<50 {
      events += try fixture.report(here.moved(90 + Double(step)), seq: 1, 4 + Double(step)).count
    }
    #expect(events == 1)
    let state = fixture.state()
    #expect(state.reason == .drift && state.seq == 1 && (state.distance ?? 0) > 100)
  }
}
