import Testing

@testable import LocationDaemon

@Suite("A client that reads slowly")
struct SlowClientTests {
  @Test("it gets the newest fix when it reads again, and none of the old ones")
  func newestOnly() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let slow = try daemon.watch()
    let fast = try daemon.watch()
    daemon.ride(0...0)
    _ = try slow.take()
    slow.stopReading()
    daemon.ride(1...100)
    slow.readOn()
    // What was being written when it stopped, then the newest.
    #expect(try slow.take().fixes.compactMap(\.seq) == [2, 101])
    #expect(try fast.take().fixes.compactMap(\.seq) == Array(1...101))
    daemon.ride(101...102)
    #expect(try slow.take().fixes.compactMap(\.seq) == [102, 103])
  }

  @Test("what is told only once is not lost with a replaced fix")
  func reasonSurvives() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let slow = try daemon.watch()
    daemon.ride(0...0)
    slow.stopReading()
    daemon.ride(1...3)
    for number in 4...10 { daemon.play(NMEAEpoch(number: number, north: 60, speed: 0)) }
    slow.readOn()
    #expect(try slow.take().fixes.last?.reason == "stopped")
  }

  @Test("events are kept in order, and come before the newest fix")
  func events() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let slow = try daemon.watch()
    daemon.ride(0...0)
    _ = try slow.take()
    slow.stopReading()
    daemon.ride(1...1)
    daemon.advance(10)
    daemon.ride(20...21)
    slow.readOn()
    let lines = try slow.take()
    #expect(lines.names == ["TPV", "STATE", "STATE", "TPV"])
    #expect(lines.states.map(\.state) == ["lost", "tracking"])
    #expect(lines.fixes.last?.seq == 4)
    #expect(lines.fixes.last?.reason == "regained")
  }

  @Test("65 events unread close it, and what it held is given back")
  func tooManyEvents() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let frozen = try daemon.watch()
    let steering = daemon.connect()
    frozen.stopReading()
    daemon.ride(0...0)
    for number in 0..<64 {
      try steering.send(#"?FOLLOW={"enable":\#(number.isMultiple(of: 2) ? "false" : "true")};"#)
    }
    #expect(!frozen.isClosed)
    try steering.send(#"?FOLLOW={"enable":false};"#)
    #expect(frozen.isClosed)
    #expect(daemon.server.clients.sessions.count == 1)
    #expect(!daemon.server.clients.isCongested)
  }

  @Test("it is not listened to while it leaves its answers unread")
  func halted() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    client.stopReading()
    for _ in 0..<17 { try client.send("?VERSION;") }
    #expect(client.isHeard)
    try client.send("?VERSION;")
    #expect(!client.isHeard)
    #expect(!client.isClosed)
    client.readOn()
    daemon.loop.run()
    #expect(client.isHeard)
    #expect(try client.take().names == Array(repeating: "VERSION", count: 19))
  }

  @Test("many requests in one read are all answered, in their order, as fast as the answers are read")
  func burst() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.take()
    try client.send(String(repeating: "?VERSION;?DEVICES;", count: 200) + "?WAT")
    try client.send("CH;")
    daemon.loop.run()
    let names = try client.take().names
    #expect(names.count == 401)
    #expect(names == (0..<400).map { $0.isMultiple(of: 2) ? "VERSION" : "DEVICES" } + ["WATCH"])
  }

  @Test("what it asked too early is kept once, and nothing is answered before it is read")
  func frozenBurst() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.take()
    client.stopReading()
    try client.send(String(repeating: "?STATUS;", count: 250))
    daemon.loop.run()
    let session = try #require(daemon.server.clients.sessions.first)
    #expect(session.outbox.events.count <= 16)
    #expect(!client.isHeard)
    #expect(!client.isClosed)
    client.readOn()
    daemon.loop.run()
    #expect(try client.take().statuses.count == 250)
  }

  @Test("what is held for it stays small, whatever comes")
  func bounded() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let frozen = try daemon.watch()
    daemon.ride(0...0)
    frozen.stopReading()
    for number in 1...3600 {
      daemon.play(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20, hasSky: true, hasNoise: true))
    }
    let session = try #require(daemon.server.clients.sessions.first)
    #expect(session.outbox.events.count <= 1)
    #expect(session.outbox.fix?.fix.seq == 3601)
    #expect(session.outbox.replacedFixes == 3598)
    #expect(!frozen.isClosed, "time that only the fixes tell is not the client's")
  }

  @Test("a client that hangs up in the middle of everything leaves nothing behind")
  func hangsUp() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let leaver = try daemon.watch()
    let stays = try daemon.watch()
    leaver.stopReading()
    daemon.ride(0...3)
    leaver.close()
    daemon.ride(4...5)
    #expect(daemon.server.clients.sessions.count == 1)
    daemon.loop.run()
    #expect(!daemon.server.clients.isCongested)
    #expect(try stays.take().fixes.count == 6)
  }
}
