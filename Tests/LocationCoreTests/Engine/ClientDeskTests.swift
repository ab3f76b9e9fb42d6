import Testing

@testable import LocationCore

/// What clients ask of a desk without sources, as a fake daemon has it.
struct ClientDeskTests {
  private let client = ClientID(1)

  /// The events of a view that is released and follows again, after a fix.
  private func eventsOfFollowing(hasFix: Bool) throws -> [EngineEvent] {
    let desk = ClientDesk(hasFix: hasFix)
    var events = EngineEvents()
    desk.connect(client)
    let fix = Fix(
      position: try #require(Coordinate(latitude: 48, longitude: 11)), mode: .threeD, received: .zero)
    desk.publish(PublishedFix(fix: fix, seq: 1, source: 0), at: .zero, into: &events)
    events.removeAll()
    for enable in [false, true] {
      try desk.handle(.setFollow(view: "main", enable: enable), from: client, at: .zero, into: &events)
    }
    return events.list.map(\.event)
  }

  @Test func `A view that follows again is told to all, and gets the newest fix`() throws {
    let events = try eventsOfFollowing(hasFix: true)
    let told = events.compactMap { if case .told(.follow, let recipients) = $0 { recipients } else { nil } }
    #expect(told == [.subscribers(and: client), .subscribers(and: client)])
    #expect(events.contains { if case .sendNewest(let fix) = $0 { fix.seq == 1 } else { false } })
    let lost = try eventsOfFollowing(hasFix: false)
    #expect(!lost.contains { if case .sendNewest = $0 { true } else { false } })
  }

  @Test func `Where a replay jumps, what its sensors told is forgotten`() throws {
    let desk = ClientDesk()
    var events = EngineEvents()
    let replay = ClientID(0)
    desk.connect(client)
    desk.connect(replay, of: .replay)
    try desk.handle(.sensor(SensorRequest(kind: .pressure, value: 95_000)), from: replay, at: .zero, into: &events)
    try desk.handle(.sensor(SensorRequest(kind: .heartRate, value: 142)), from: client, at: .zero, into: &events)
    #expect(desk.fusion != nil && desk.sensors.statuses.count == 2)
    desk.breakPath()
    #expect(desk.fusion == nil && desk.sensors.statuses.map(\.kind) == [.heartRate])
  }

  @Test func `Where a replay jumps, it passes no target`() throws {
    let desk = ClientDesk()
    var events = EngineEvents()
    desk.connect(client)
    func publish(_ seq: UInt64, latitude: Double) throws {
      let position = try #require(Coordinate(latitude: latitude, longitude: 11))
      desk.publish(
        PublishedFix(fix: Fix(position: position, mode: .threeD, received: .zero), seq: seq, source: 0), at: .zero,
        into: &events)
    }
    let home = TargetRequest(name: "home", position: try #require(Coordinate(latitude: 48, longitude: 11)))
    try desk.handle(.setTarget(home), from: client, at: .zero, into: &events)
    try publish(1, latitude: 47.99)
    desk.breakPath()
    try publish(2, latitude: 48.01)
    #expect(desk.targets.states.map(\.state) == [.away])
    try publish(3, latitude: 47.99)
    #expect(desk.targets.states.map(\.state) == [.arriving])
  }

  @Test func `A reading is recorded, reported to those who read sensors, and in the next fix`() throws {
    let desk = ClientDesk()
    var events = EngineEvents()
    desk.connect(client)
    let request = EngineRequest.sensor(SensorRequest(kind: .heartRate, value: 142))
    for _ in 0..<2 { try desk.handle(request, from: client, at: .zero, into: &events) }
    let fix = Fix(position: try #require(Coordinate(latitude: 48, longitude: 11)), mode: .threeD, received: .zero)
    desk.publish(PublishedFix(fix: fix, seq: 1, source: 0), at: .zero, into: &events)
    #expect(desk.newest?.sensed.rider.heartRate == 142)
    #expect(events.list.count { if case .accepted(request) = $0.event { true } else { false } } == 2)
    let told = events.list.compactMap { if case .told(.sensor, let recipients) = $0.event { recipients } else { nil } }
    #expect(told == [.sensorReaders(and: client)])
    // One of a recording is not recorded again.
    events.removeAll()
    desk.connect(ClientID(0), of: .replay)
    try desk.handle(
      .sensor(SensorRequest(kind: .power, value: 100)), from: ClientID(0), at: .zero, into: &events)
    #expect(!events.list.contains { if case .accepted = $0.event { true } else { false } })
  }

  @Test func `A course that ends with its connection is recorded as ended`() throws {
    let desk = ClientDesk()
    var events = EngineEvents()
    desk.connect(client)
    let points = [48, 48.01].compactMap { Coordinate(latitude: $0, longitude: 11).map { CoursePoint($0) } }
    for (name, isPersistent) in [("tour", false), ("kept", true)] {
      let request = CourseRequest(name: name, change: .set(points, isPersistent: isPersistent))
      try desk.handle(.course(request), from: client, at: .zero, into: &events)
    }
    events.removeAll()
    desk.disconnect(client, at: .zero, into: &events)
    let accepted = events.list.compactMap { if case .accepted(let request) = $0.event { request } else { nil } }
    #expect(accepted == [.course(CourseRequest(name: "tour", change: .end))])
  }

  @Test func `What is refused or unknown tells nobody`() throws {
    let desk = ClientDesk()
    var events = EngineEvents()
    try desk.handle(.removeTarget(name: "home"), from: client, at: .zero, into: &events)
    #expect(events.isEmpty, "it is not connected")
    desk.connect(client)
    #expect(throws: RequestRefusal.missing(.target, name: "home")) {
      try desk.handle(.removeTarget(name: "home"), from: client, at: .zero, into: &events)
    }
    #expect(events.isEmpty)
  }
}
