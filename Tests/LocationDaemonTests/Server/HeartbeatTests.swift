import Testing

@testable import LocationDaemon

@Suite("The heartbeat")
struct HeartbeatTests {
  private func watching(_ daemon: VirtualDaemon) throws -> VirtualClient {
    let client = daemon.connect()
    try client.send(#"?WATCH={"json":true,"distanceFilter":1000,"heartbeat":5};"#)
    daemon.ride(0...0)
    _ = try client.take()
    return client
  }

  private func stand(_ daemon: VirtualDaemon, _ numbers: ClosedRange<Int>) {
    for number in numbers { daemon.play(NMEAEpoch(number: number, north: 1, speed: 1)) }
  }

  @Test func `The newest fix is repeated without movement, at its deadline`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try watching(daemon)
    stand(daemon, 1...4)
    #expect(try client.take().fixes.isEmpty)
    stand(daemon, 5...11)
    let fixes = try client.take().fixes
    #expect(fixes.map(\.reason) == ["heartbeat", "heartbeat"])
    let first = try #require(fixes.first?.seq)
    let last = try #require(fixes.last?.seq)
    #expect(first < last)
  }

  @Test func `A heartbeat is due between epochs too, once there is a newer fix`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try watching(daemon)
    stand(daemon, 1...4)
    daemon.advance(0.5)
    #expect(try client.take().fixes.isEmpty)
    daemon.advance(0.5)
    #expect(try client.take().fixes.map(\.seq) == [5])
  }

  @Test func `A delivered fix is not repeated`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try watching(daemon)
    stand(daemon, 1...6)
    #expect(try client.take().fixes.map(\.reason) == ["heartbeat"])
    daemon.advance(2.5)
    #expect(try client.take().isEmpty)
  }

  @Test func `Without a fix there is no heartbeat, and a filtered fix does not become the reference`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect()
    try client.send(#"?WATCH={"json":true,"distanceFilter":1000,"heartbeat":10};"#)
    daemon.ride(0...4)
    _ = try client.take()
    daemon.advance(60)
    let silent = try client.take()
    #expect(silent.states.map(\.phase.rawValue) == ["lost"])
    #expect(silent.fixes.isEmpty)
    let session = try #require(daemon.server.clients.sessions.first)
    #expect(session.feed?.filter.reference?.seq == 1)
    daemon.ride(70...70)
    #expect(try client.take().fixes.map(\.reason) == ["regained"])
  }

  @Test func `A heartbeat of 0 is off`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try watching(daemon)
    _ = try client.ask(#"?WATCH={"heartbeat":0};"#)
    stand(daemon, 1...20)
    #expect(try client.take().fixes.isEmpty)
  }
}
