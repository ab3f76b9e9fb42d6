import Testing

@testable import LocationCore

@Suite("Requests to the engine")
struct EngineRequestTests {
  @Test func `A view dragged away disengages; a refused request is an error and changes nothing`() throws {
    var rig = EngineRig(.sentences)
    rig.epoch(0)
    _ = rig.take()
    let far = try #require(Coordinate(latitude: 48.13, longitude: 11.5))
    let view = ViewRequest(view: "main", coordinate: far, seq: 1, cause: .user)
    try rig.engine.handle(.view(view), from: rig.client, at: rig.now, into: &rig.events)
    guard case .told(.follow(let state), to: .subscribers(and: rig.client))? = rig.take().first?.event else {
      Issue.record("no follow event")
      return
    }
    #expect(!state.following && state.reason == .drift)
    #expect(throws: RequestRefusal.missing(.target, name: "home")) {
      try rig.engine.handle(.removeTarget(name: "home"), from: rig.client, at: rig.now, into: &rig.events)
    }
    #expect(rig.events.isEmpty)
  }

  @Test func `A request of a client that is not connected has no effect`() throws {
    var rig = EngineRig(.sentences)
    rig.epoch(0)
    rig.engine.disconnect(rig.client, at: rig.now, into: &rig.events)
    _ = rig.take()
    for request in [
      EngineRequest.setFollow(view: "main", enable: false), .trip(TripRequest(name: "day")),
      .removeTarget(name: "home"),
    ] {
      try rig.engine.handle(request, from: rig.client, at: rig.now, into: &rig.events)
    }
    #expect(rig.events.isEmpty && rig.engine.desk.trips.isEmpty && rig.engine.desk.follow.states.isEmpty)
  }

  @Test func `A locate request without a fix is answered when its time is over`() throws {
    var rig = EngineRig(.sentences)
    let asked = rig.now
    try rig.engine.handle(
      .locate(timeout: nil, maxAge: nil), from: rig.client, at: rig.now, into: &rig.events)
    #expect(rig.engine.deadline == asked + .seconds(10))
    rig.wait(.seconds(30))
    let events = rig.take()
    #expect(events.names == ["located"])
    #expect(events.first?.instant == asked + .seconds(10))
  }
}
