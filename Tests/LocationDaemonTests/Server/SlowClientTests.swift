import LocationCore
import NIOCore
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
    slow.resumeReading()
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
    slow.resumeReading()
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
    slow.resumeReading()
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
    #expect(client.isReadingEnabled)
    try client.send("?VERSION;")
    #expect(!client.isReadingEnabled)
    #expect(!client.isClosed)
    client.resumeReading()
    daemon.loop.run()
    #expect(client.isReadingEnabled)
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
    #expect(!client.isReadingEnabled)
    #expect(!client.isClosed)
    client.resumeReading()
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

@Suite("What waits for a slow client")
struct OutboxTests {
  private func fix(_ seq: UInt64) -> PublishedFix {
    PublishedFix(fix: Fix(position: .munich, mode: .threeD, received: .zero), seq: seq, source: 0)
  }

  private func pending(_ seq: UInt64, _ reason: DeliveryReason) -> Outbox.PendingFix {
    Outbox.PendingFix(fix: fix(seq), reason: reason)
  }

  @Test("only the newest fix waits, and what it replaced is counted")
  func newestFix() {
    var outbox = Outbox()
    #expect(outbox.isEmpty)
    for seq in 1...1000 { outbox.hold(pending(UInt64(seq), .moved)) }
    #expect(!outbox.isEmpty)
    #expect(outbox.fix?.fix.seq == 1000)
    #expect(outbox.replacedFixes == 999)
  }

  @Test("64 events wait, one more is refused and changes nothing")
  func events() {
    var outbox = Outbox()
    let taken = (0...64).map { outbox.append(event: ByteBuffer(string: "\($0)")) }
    #expect(taken == Array(repeating: true, count: 64) + [false])
    #expect(outbox.events.count == 64)
    #expect(outbox.events.last == ByteBuffer(string: "63"))
  }

  @Test("at full speed there is no bound: the replay waits instead")
  func unbounded() {
    var outbox = Outbox()
    for number in 0..<1000 { outbox.appendUnbounded(event: ByteBuffer(string: "\(number)")) }
    #expect(outbox.events.count == 1000)
  }

  @Test("taken out whole, it is empty, and the count of replaced fixes goes on")
  func take() {
    var outbox = Outbox()
    outbox.hold(pending(1, .moved))
    outbox.hold(pending(2, .moved))
    outbox.hold(sky: ByteBuffer(string: "old"))
    outbox.hold(sky: ByteBuffer(string: "new"))
    _ = outbox.append(event: ByteBuffer(string: "a"))
    _ = outbox.append(event: ByteBuffer(string: "b"))
    let (events, fix, sky) = outbox.take()
    #expect(Array(events) == [ByteBuffer(string: "a"), ByteBuffer(string: "b")])
    #expect(fix?.fix.seq == 2)
    #expect(sky == ByteBuffer(string: "new"))
    #expect(outbox.isEmpty)
    #expect(outbox.replacedFixes == 1)
  }

  /// What is told when the second takes the place of the first.
  static let replacements: [(old: DeliveryReason, new: DeliveryReason, told: DeliveryReason)] = [
    (.stopped, .moved, .stopped), (.started, .moved, .started), (.mode, .moved, .mode), (.source, .moved, .source),
    (.regained, .moved, .regained), (.first, .moved, .first), (.moved, .moved, .moved),
    (.heartbeat, .moved, .moved), (.requested, .moved, .moved), (.snapshot, .moved, .moved),
    (.stopped, .heartbeat, .stopped), (.moved, .heartbeat, .moved),
    (.stopped, .started, .started), (.moved, .stopped, .stopped), (.mode, .regained, .regained),
    (.moved, .requested, .requested), (.first, .source, .source),
  ]

  @Test("a reason that is told only once outlives the fix it came with", arguments: replacements)
  func reasons(old: DeliveryReason, new: DeliveryReason, told: DeliveryReason) {
    var outbox = Outbox()
    outbox.hold(pending(1, old))
    outbox.hold(pending(2, new))
    #expect(outbox.fix?.reason == told)
    #expect(outbox.fix?.fix.seq == 2)
  }

  @Test("and it outlives a hundred of them")
  func reasonStays() {
    var outbox = Outbox()
    outbox.hold(pending(1, .stopped))
    for seq in 2...100 { outbox.hold(pending(UInt64(seq), .moved)) }
    #expect(outbox.fix?.reason == .stopped)
  }
}

@Suite("A client that does not read")
struct StallTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  @Test("patience is 10 s")
  func patience() {
    let stall = Stall(since: at(5), waiting: 100)
    #expect(stall.remaining(at: at(5)) == .seconds(10))
    #expect(stall.remaining(at: at(14)) == .seconds(1))
    #expect(stall.remaining(at: at(15)) == .zero)
    #expect(stall.remaining(at: at(16)) < .zero)
  }

  @Test("fewer bytes waiting mean that it read; as many or more do not")
  func progress() {
    var stall = Stall(since: at(0), waiting: 100)
    stall.observe(waiting: 100, at: at(4))
    #expect(stall.remaining(at: at(4)) == .seconds(6))
    stall.observe(waiting: 150, at: at(5))
    #expect(stall.remaining(at: at(5)) == .seconds(5))
    stall.observe(waiting: 149, at: at(6))
    #expect(stall.remaining(at: at(6)) == .seconds(10))
    stall.observe(waiting: 149, at: at(7))
    #expect(stall.remaining(at: at(7)) == .seconds(9))
  }

  @Test("a write that was taken whole begins the patience anew")
  func restart() {
    var stall = Stall(since: at(0), waiting: 100)
    stall.restart(at: at(9))
    #expect(stall.remaining(at: at(9)) == .seconds(10))
  }
}
