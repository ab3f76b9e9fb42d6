import Testing

@testable import LocationCore

@Suite("Follow mode: states, limits, requests (F1, F2, F7, F10)")
struct FollowStateTests {
  @Test func `F1: A view starts following, even before a fix`() throws {
    var fixture = FollowFixture()
    #expect(fixture.state().following)
    try fixture.report(here, cause: .user, 0)
    #expect(fixture.registry.states == [FollowState(view: "main", following: true, reason: .initial)])
  }

  @Test(arguments: [here, place(0, 0), place(60, 25), place(-17, 180), place(90, 0), place(-89.9999, 12)])
  func `F2: A view 100.000 m away follows, 100.001 m away it is free, everywhere`(_ position: Coordinate) throws {
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

  @Test func `F2: The limit is configurable`() throws {
    var fixture = try FollowFixture.settled(driftLimit: 20)
    #expect(try fixture.report(here.moved(20), seq: 1, 1) == [])
    #expect(try fixture.report(here.moved(20.001), seq: 1, 2).count == 1)
  }

  @Test func `F7: A request engages at once and always sends the newest fix`() throws {
    var fixture = try FollowFixture.settled()
    try fixture.report(here.moved(500), seq: 1, 5)
    fixture.publish(here.moved(3), 6)
    let engaged = FollowState(view: "main", following: true, reason: .requested, seq: 2)
    #expect(try fixture.set(true, 7) == [.changed(engaged), .sendNewest])
    #expect(try fixture.set(true, 8) == [.sendNewest], "no transition, but the newest fix")
    #expect(fixture.state() == engaged)
  }

  @Test func `F7: A request works for an unknown view and before any fix`() throws {
    var fixture = FollowFixture()
    #expect(try fixture.set(false, view: "other", 0).count == 1)
    #expect(fixture.state("other").reason == .requested)
    #expect(try fixture.set(true, view: "other", 1).count == 2)
  }

  @Test func `F7: A release is one transition, also after a drift`() throws {
    var fixture = try FollowFixture.settled()
    try fixture.report(here.moved(500), seq: 1, 5)
    let released = FollowState(view: "main", following: false, reason: .requested, seq: 1)
    #expect(try fixture.set(false, 6) == [.changed(released)])
    #expect(try fixture.set(false, 7) == [])
  }

  @Test func `F10: There is one event per transition, not one per report`() throws {
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

/// A registry with a rider and a renderer, in virtual time.
struct FollowFixture {
  var registry: FollowRegistry
  /// What is behind the clients, if it is known.
  var peers: [ClientID: ClientPeer] = [:]
  var ride = RideFixture()
  let client = ClientID(1)

  init(driftLimit: Double = 100) { registry = FollowRegistry(driftLimit: driftLimit) }

  /// A registry with a fix at `here` (seq 1, at 0 s) and the view "main" after its grace period.
  static func settled(driftLimit: Double = 100) throws -> FollowFixture {
    var fixture = FollowFixture(driftLimit: driftLimit)
    _ = fixture.publish(here, 0)
    #expect(try fixture.report(here, seq: 1, cause: .follow, 0) == [])
    return fixture
  }

  @discardableResult
  mutating func publish(
    _ position: Coordinate, _ second: Double, speed: Double? = 5, changes: FixChanges = []
  ) -> [FollowAction] {
    registry.published(ride.fix(position, at: at(second), speed: speed, changes: changes), at: at(second))
  }

  @discardableResult
  mutating func report(
    _ position: Coordinate, seq: UInt64? = nil, cause: ViewCause? = .user, view: String = "main",
    sent: UInt64? = nil, from client: ClientID? = nil, _ second: Double
  ) throws(RequestRefusal) -> [FollowAction] {
    try registry.report(
      ViewRequest(view: view, coordinate: position, seq: seq, cause: cause), sent: sent,
      from: client ?? self.client, of: peer(of: client), at: at(second))
  }

  @discardableResult
  mutating func set(
    _ following: Bool, view: String = "main", from client: ClientID? = nil, _ second: Double
  ) throws(RequestRefusal) -> [FollowAction] {
    try registry.set(
      following: following, view: view, client: client ?? self.client, of: peer(of: client), at: at(second))
  }

  @discardableResult
  mutating func restore(
    following: Bool = false, view: String = "main", from client: ClientID? = nil, _ second: Double
  ) throws(RequestRefusal) -> [FollowAction] {
    try registry.restore(
      following: following, view: view, client: client ?? self.client, of: peer(of: client), at: at(second))
  }

  private func peer(of client: ClientID?) -> ClientPeer {
    peers[client ?? self.client] ?? .connection(client ?? self.client)
  }

  func state(_ view: String = "main") -> FollowState { registry.state(of: view) }
}
