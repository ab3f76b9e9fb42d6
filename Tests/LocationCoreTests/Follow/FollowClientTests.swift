import Testing

@testable import LocationCore

@Suite("Follow mode: clients (F9)")
struct FollowClientTests {
  @Test func `Views are independent`() throws {
    var fixture = try FollowFixture.settled()
    try fixture.report(here, seq: 1, view: "inset", 1)
    try fixture.report(here.moved(500), seq: 1, view: "inset", 5)
    #expect(fixture.state().following)
    #expect(!fixture.state("inset").following)
    #expect(fixture.registry.states.map(\.view) == ["main", "inset"])
    #expect(try fixture.set(true, view: "inset", 6).last == .sendNewest)
  }

  @Test func `Views that were only requested make room first, then those without a renderer`() throws {
    var fixture = try FollowFixture.settled()
    let limit = Quota.views.limit
    try fixture.report(here, view: "vanished", from: ClientID(2), 0)
    fixture.registry.clientDisconnected(ClientID(2), at: at(0))
    for number in 1..<limit - 1 { try fixture.set(true, view: "name \(number)", Double(number) / 100) }
    #expect(try fixture.report(here, seq: 1, view: "inset", 1) == [])
    #expect(fixture.registry.states.map(\.view).contains("inset"))
    #expect(fixture.registry.states.map(\.view).contains("main"))
    #expect(fixture.registry.states.map(\.view).contains("vanished"))
    #expect(!fixture.registry.states.map(\.view).contains("name 1"))
    #expect(fixture.registry.states.count == limit)
  }

  @Test(arguments: [29.9, 30])
  func `A renderer that reconnects within 30 s finds its state`(_ away: Double) throws {
    var fixture = try FollowFixture.settled()
    let again = ClientID(2)
    try fixture.report(here.moved(500), seq: 1, 5)
    let left = fixture.state()
    fixture.registry.clientDisconnected(fixture.client, at: at(10))
    #expect(fixture.registry.deadline == at(40))
    fixture.registry.expire(at: at(10 + away))
    let remembers = away < 30
    #expect(fixture.registry.states == (remembers ? [left] : []))
    #expect(try fixture.report(here, seq: 1, cause: .follow, from: again, 10 + away) == [])
    #expect(fixture.state().following == !remembers)
    #expect(fixture.registry.deadline == nil)
  }

  @Test func `A following renderer that reconnects is following, with a grace period`() throws {
    var fixture = try FollowFixture.settled()
    fixture.registry.clientDisconnected(fixture.client, at: at(10))
    fixture.publish(here.moved(800), 11)
    #expect(try fixture.report(here, seq: 1, from: ClientID(2), 11.5) == [], "an older fix does not disengage")
    #expect(fixture.state().following)
  }

  @Test func `After a restart, a renderer restores the state that its view had`() throws {
    var fixture = FollowFixture()
    let released = FollowState(view: "main", following: false, reason: .requested)
    #expect(try fixture.restore(1) == [.changed(released)])
    fixture.publish(here, 2)
    #expect(try fixture.report(here, seq: 1, cause: .follow, 3) == [])
    #expect(fixture.state() == released)
    #expect(fixture.registry.deadline == nil, "the view has its renderer")
    #expect(try fixture.restore(4) == [])

    var reported = FollowFixture()
    try reported.report(here, 0)
    #expect(try reported.restore(1).count == 1, "the view is known through this client only")
    #expect(try reported.restore(following: true, view: "other", 2) == [])
    #expect(reported.registry.states.count == 1)
  }

  @Test func `A restored state never replaces one that the daemon knows`() throws {
    let other = ClientID(2)
    func fixture(_ prepare: (inout FollowFixture) throws -> Void) throws -> FollowFixture {
      var fixture = try FollowFixture.settled()
      try prepare(&fixture)
      return fixture
    }
    var rendered = try fixture { _ in }
    #expect(try rendered.restore(from: other, 20) == [])
    #expect(rendered.state().following, "another client reports the view")

    var engaged = try fixture { try $0.set(true, view: "inset", 5) }
    #expect(try engaged.restore(view: "inset", from: other, 20) == [])
    #expect(engaged.state("inset").following)

    var vanished = try fixture { $0.registry.clientDisconnected($0.client, at: at(10)) }
    #expect(try vanished.restore(from: other, 20) == [])
    #expect(vanished.state().following, "it was following when its renderer disconnected")

    var dragged = try fixture { try $0.report(here.moved(500), seq: 1, 5) }
    #expect(try dragged.restore(6) == [])
    #expect(dragged.state().reason == .drift)
    #expect(try dragged.restore(from: ClientID(9), 6) == [], "not connected")
  }

  @Test func `The newest client owns a view, and the older one is ignored until the newer disconnects`() throws {
    var fixture = try FollowFixture.settled()
    let newer = ClientID(2)
    try fixture.report(here, seq: 1, from: newer, 5)
    #expect(try fixture.report(here.moved(500), seq: 1, 9) == [])
    #expect(fixture.registry.counters.superseded == 1)
    fixture.registry.clientDisconnected(newer, at: at(10))
    try fixture.report(here, seq: 1, 11)
    #expect(try fixture.report(here.moved(500), seq: 1, 15).count == 1)
  }

  @Test func `Disconnecting a superseded client does not affect the view`() throws {
    var fixture = try FollowFixture.settled()
    try fixture.report(here, seq: 1, from: ClientID(2), 5)
    fixture.registry.clientDisconnected(fixture.client, at: at(6))
    #expect(fixture.registry.deadline == nil)
  }

  @Test func `A view created by a request expires like a vanished one`() throws {
    var fixture = FollowFixture()
    try fixture.set(false, view: "later", 0)
    #expect(fixture.registry.deadline == at(30))
    fixture.registry.expire(at: at(30))
    #expect(fixture.registry.states.isEmpty)
  }

  @Test func `A request keeps a vanished view for another 30 s`() throws {
    var fixture = FollowFixture()
    try fixture.set(false, view: "later", 0)
    try fixture.set(true, view: "later", 20)
    fixture.registry.expire(at: at(30))
    #expect(fixture.registry.states.count == 1)
    #expect(fixture.registry.deadline == at(50))
  }

  @Test func `The number of views is limited, in total and per client`() throws {
    var fixture = FollowFixture()
    for number in 0..<8 { try fixture.report(here, view: "view \(number)", 0) }
    #expect(throws: RequestRefusal.full(.viewsOfConnection)) { try fixture.report(here, view: "one more", 0) }
    for number in 0..<60 { try fixture.set(false, view: "request \(number)", 0) }
    #expect(fixture.registry.states.count == 64)
    try fixture.set(true, view: "one more", 1)
    #expect(fixture.registry.states.count == 64)
    #expect(fixture.registry.states.map(\.view).contains("view 7"))
    #expect(fixture.registry.states.last?.view == "one more")
    try fixture.report(here, view: "view 3", 2)
    try fixture.set(true, view: "another", 31)
    #expect(fixture.registry.states.count == 9, "requested views expire")
    #expect(fixture.registry.counters.refused == 1)
  }

  @Test func `The limit per client does not apply to the requests of a recording`() throws {
    var fixture = FollowFixture()
    fixture.peers[ClientID(0)] = .replay
    for number in 0..<40 { try fixture.report(here, view: "view \(number)", from: ClientID(0), 0) }
    #expect(fixture.registry.states.count == 40)
  }

  @Test(arguments: [ClientPeer.process(666, user: 1000), .host("::1"), nil])
  func `A program with many connections cannot keep out a rendered view, nor displace it`(_ peer: ClientPeer?) throws {
    var fixture = FollowFixture()
    fixture.publish(here, 0)
    let crowd = (100..<120).map { ClientID($0) }
    for client in crowd {
      fixture.peers[client] = peer
      for number in 0..<8 { try fixture.report(here, view: "\(client.number) \(number)", from: client, 0) }
    }
    #expect(fixture.registry.states.count == 64)
    try fixture.report(here, seq: 1, cause: .follow, view: "main", 1)
    try fixture.report(here, seq: 1, cause: .follow, view: "inset", 1)
    try fixture.report(here.moved(500), seq: 1, view: "main", 5)
    for second in 0..<5 {
      for client in crowd {
        for number in 0..<8 {
          try fixture.report(here, view: "\(client.number) \(number)", from: client, 6 + Double(second))
        }
      }
    }
    #expect(fixture.state("main").reason == .drift)
    #expect(fixture.registry.states.map(\.view).contains("inset"))
    #expect(fixture.registry.states.count == 64)
    #expect(fixture.registry.counters.refused == 0)
  }

  @Test func `The least recently reported view makes room when no program reports more than one`() throws {
    var fixture = FollowFixture()
    for number in 0..<64 {
      let client = ClientID(UInt64(100 + number))
      try fixture.report(here, view: "\(number)", from: client, Double(number))
    }
    try fixture.report(here, view: "0", from: ClientID(100), 64)
    try fixture.report(here, view: "main", 65)
    #expect(fixture.registry.states.count == 64)
    #expect(!fixture.registry.states.map(\.view).contains("1"))
  }

  @Test func `A requested view is refused only when every other one has been rendered`() throws {
    var fixture = FollowFixture()
    for number in 0..<8 {
      let client = ClientID(UInt64(100 + number))
      for view in 0..<8 { try fixture.report(here, view: "\(number) \(view)", from: client, 0) }
      fixture.registry.clientDisconnected(client, at: at(1))
    }
    #expect(throws: RequestRefusal.full(.views)) { try fixture.set(false, view: "one more", 2) }
    try fixture.report(here, view: "main", 3)
    #expect(!fixture.registry.states.map(\.view).contains("0 0"), "the renderer that vanished first")
  }

  @Test func `A name has 1 to 64 bytes`() throws {
    var fixture = FollowFixture()
    let refusal = RequestRefusal.invalid("the name of a view is invalid: use 1 to 64 bytes")
    #expect(throws: refusal) { try fixture.report(here, view: "", 0) }
    #expect(throws: refusal) { try fixture.set(true, view: String(repeating: "ä", count: 33), 0) }
    try fixture.report(here, view: String(repeating: "ä", count: 32), 0)
    #expect(fixture.registry.states.count == 1)
  }
}
