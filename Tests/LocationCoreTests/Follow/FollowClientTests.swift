import Testing

@testable import LocationCore

@Suite("Follow mode: clients (F9)")
struct FollowClientTests {
  @Test("Views are independent")
  func independent() throws {
    var fixture = try FollowFixture.settled()
    try fixture.report(here, seq: 1, view: "inset", 1)
    try fixture.report(here.moved(500), seq: 1, view: "inset", 5)
    #expect(fixture.state().following)
    #expect(!fixture.state("inset").following)
    #expect(fixture.registry.states.map(\.view) == ["main", "inset"])
    #expect(try fixture.set(true, view: "inset", 6).last == .sendNewest(view: "inset"))
  }

  @Test("Views without a renderer make room for a rendered one")
  func crowdedOut() throws {
    var fixture = try FollowFixture.settled()
    let limit = fixture.registry.configuration.viewLimit
    for number in 1..<limit { try fixture.set(true, view: "name \(number)", Double(number) / 100) }
    #expect(throws: FollowError.tooManyViews(limit: limit)) { try fixture.set(true, view: "one more", 1) }
    #expect(try fixture.report(here, seq: 1, view: "inset", 1) == [])
    #expect(fixture.registry.states.map(\.view).contains("inset"))
    #expect(fixture.registry.states.map(\.view).contains("main"))
    #expect(!fixture.registry.states.map(\.view).contains("name 1"))
    #expect(fixture.registry.states.count == limit)
  }

  @Test("Reports and requests from an unknown client are ignored and counted")
  func unknownClient() throws {
    var fixture = try FollowFixture.settled()
    #expect(try fixture.report(here.moved(500), seq: 1, from: ClientID(7), 5) == [])
    #expect(try fixture.set(false, from: ClientID(7), 5) == [])
    #expect(fixture.registry.counters.unknownClient == 2)
    #expect(fixture.state().following)
    fixture.registry.clientDisconnected(fixture.client, at: at(6))
    #expect(try fixture.report(here.moved(500), seq: 1, 7) == [])
    #expect(fixture.registry.counters.unknownClient == 3)
  }

  @Test("A renderer that reconnects within 30 s finds its state", arguments: [29.9, 30])
  func returns(_ away: Double) throws {
    var fixture = try FollowFixture.settled()
    let again = ClientID(2)
    try fixture.report(here.moved(500), seq: 1, 5)
    let left = fixture.state()
    fixture.registry.clientDisconnected(fixture.client, at: at(10))
    #expect(fixture.registry.deadline == at(40))
    fixture.registry.clientConnected(again, at: at(10 + away))
    fixture.registry.expire(at: at(10 + away))
    let remembers = away < 30
    #expect(fixture.registry.states == (remembers ? [left] : []))
    #expect(try fixture.report(here, seq: 1, cause: .follow, from: again, 10 + away) == [])
    #expect(fixture.state().following == !remembers)
    #expect(fixture.registry.deadline == nil)
  }

  @Test("A following renderer that reconnects is following, with a grace period")
  func returnsFollowing() throws {
    var fixture = try FollowFixture.settled()
    fixture.registry.clientDisconnected(fixture.client, at: at(10))
    fixture.registry.clientConnected(ClientID(2), at: at(11))
    fixture.publish(here.moved(800), 11)
    #expect(try fixture.report(here, seq: 1, from: ClientID(2), 11.5) == [], "an older fix does not disengage")
    #expect(fixture.state().following)
  }

  @Test("The newest client owns a view, and the older one is ignored until the newer disconnects")
  func takeOver() throws {
    var fixture = try FollowFixture.settled()
    let newer = ClientID(2)
    fixture.registry.clientConnected(newer, at: at(5))
    try fixture.report(here, seq: 1, from: newer, 5)
    #expect(try fixture.report(here.moved(500), seq: 1, 9) == [])
    #expect(fixture.registry.counters.superseded == 1)
    fixture.registry.clientDisconnected(newer, at: at(10))
    try fixture.report(here, seq: 1, 11)
    #expect(try fixture.report(here.moved(500), seq: 1, 15).count == 1)
  }

  @Test("Disconnecting a superseded client does not affect the view")
  func lateClose() throws {
    var fixture = try FollowFixture.settled()
    fixture.registry.clientConnected(ClientID(2), at: at(5))
    try fixture.report(here, seq: 1, from: ClientID(2), 5)
    fixture.registry.clientDisconnected(fixture.client, at: at(6))
    #expect(fixture.registry.deadline == nil)
  }

  @Test("A view created by a request expires like a vanished one")
  func requestedOnly() throws {
    var fixture = FollowFixture()
    try fixture.set(false, view: "later", 0)
    #expect(fixture.registry.deadline == at(30))
    fixture.registry.expire(at: at(30))
    #expect(fixture.registry.states.isEmpty)
  }

  @Test("A request keeps a vanished view for another 30 s")
  func requestKeeps() throws {
    var fixture = FollowFixture()
    try fixture.set(false, view: "later", 0)
    try fixture.set(true, view: "later", 20)
    fixture.registry.expire(at: at(30))
    #expect(fixture.registry.states.count == 1)
    #expect(fixture.registry.deadline == at(50))
  }

  @Test("The number of views is limited, in total and per client")
  func bounded() throws {
    var fixture = FollowFixture()
    for number in 0..<16 { try fixture.report(here, view: "view \(number)", 0) }
    #expect(throws: FollowError.tooManyViewsOfClient(limit: 16)) { try fixture.report(here, view: "one more", 0) }
    for number in 0..<60 { _ = try? fixture.set(false, view: "request \(number)", 0) }
    #expect(fixture.registry.states.count == 64)
    #expect(throws: FollowError.tooManyViews(limit: 64)) { try fixture.set(true, view: "one more", 1) }
    try fixture.report(here, view: "view 3", 2)
    try fixture.set(true, view: "one more", 30)
    #expect(fixture.registry.states.count == 17, "views that vanished long ago make room")
    #expect(fixture.registry.counters.refused > 1)
  }

  @Test("A name has 1 to 64 bytes")
  func names() throws {
    var fixture = FollowFixture()
    #expect(throws: FollowError.viewName) { try fixture.report(here, view: "", 0) }
    #expect(throws: FollowError.viewName) { try fixture.set(true, view: String(repeating: "ä", count: 33), 0) }
    try fixture.report(here, view: String(repeating: "ä", count: 32), 0)
    #expect(fixture.registry.states.count == 1)
  }
}
