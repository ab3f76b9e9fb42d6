import LocationCore
import NIOCore
import Testing

@testable import LocationDaemon

@Suite("Slow clients")
struct SlowClientTests {
  @Test func `A slow client receives the newest fix and none of the old ones`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let slow = try daemon.watch()
    let fast = try daemon.watch()
    daemon.ride(0...0)
    _ = try slow.take()
    slow.stopReading()
    daemon.ride(1...100)
    slow.resumeReading()
    // The fix being written when reading stopped, then the newest.
    #expect(try slow.take().fixes.compactMap(\.seq) == [2, 101])
    #expect(try fast.take().fixes.compactMap(\.seq) == Array(1...101))
    daemon.ride(101...102)
    #expect(try slow.take().fixes.compactMap(\.seq) == [102, 103])
  }

  @Test func `A reason that is reported once is not lost with a replaced fix`() throws {
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

  @Test func `Events keep their order and precede the newest fix`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let slow = try daemon.watch(#","satellites":false"#)
    daemon.ride(0...0)
    _ = try slow.take()
    slow.stopReading()
    daemon.ride(1...1)
    daemon.advance(10)
    daemon.ride(20...21)
    slow.resumeReading()
    let lines = try slow.take()
    #expect(lines.names == ["TPV", "STATE", "STATE", "TPV"])
    #expect(lines.states.map(\.phase.rawValue) == ["lost", "tracking"])
    #expect(lines.fixes.last?.seq == 4)
    #expect(lines.fixes.last?.reason == "regained")
  }

  @Test(arguments: [false, true])
  func `65 unread events are replaced by the current state`(_ isLossless: Bool) throws {
    let daemon = try VirtualDaemon()
    daemon.engineLoop.clock.waitsForClients = isLossless
    daemon.open()
    let slow = try daemon.watch(#","satellites":false"#)
    let steering = daemon.connect()
    daemon.ride(0...0)
    _ = try slow.take()
    slow.stopReading()
    daemon.ride(1...1)
    func steer(_ numbers: Range<Int>) throws {
      for number in numbers {
        try steering.send(#"?FOLLOW={"enable":\#(number.isMultiple(of: 2) ? "false" : "true")};"#)
      }
    }
    try steer(0..<1001)
    try steering.send(#"?TARGET={"name":"home","lat":49,"lon":11.5};"#)
    #expect(!slow.isClosed)
    let session = try #require(daemon.server.clients.sessions.first)
    #expect(session.outbox.count < 64 && session.outbox.discardedEvents == 1002)
    slow.resumeReading()
    daemon.loop.run()
    let lines = try slow.take()
    #expect(lines.names == ["TPV", "WATCH", "STATE", "FOLLOW", "ARRIVAL"])
    #expect(lines.follows.last?.isFollowing == false)
    try steer(1001..<1002)
    #expect(try slow.take().follows.last?.isFollowing == true)
  }

  @Test func `65 unread answers and other lines close the connection and release its memory`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let frozen = daemon.connect()
    _ = try frozen.ask(#"?WATCH={"json":true};"#)
    frozen.stopReading()
    for number in 0...65 {
      var configuration = daemon.server.configuration
      configuration.distanceFilter = Double(number)
      daemon.apply(configuration)
    }
    #expect(frozen.isClosed)
    #expect(daemon.server.clients.sessions.isEmpty)
    #expect(!daemon.server.clients.isCongested)
  }

  @Test func `Requests are deferred while answers are unread`() throws {
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

  @Test func `Many requests in one read are all answered in order`() throws {
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

  @Test func `Deferred requests are kept once and answered as the client reads`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.take()
    client.stopReading()
    try client.send(String(repeating: "?STATUS;", count: 250))
    daemon.loop.run()
    let session = try #require(daemon.server.clients.sessions.first)
    #expect(session.outbox.count <= 16)
    #expect(!client.isReadingEnabled)
    #expect(!client.isClosed)
    client.resumeReading()
    daemon.loop.run()
    #expect(try client.take().statuses.count == 250)
  }

  @Test func `Held output stays small, whatever is published`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let frozen = try daemon.watch()
    daemon.ride(0...0)
    frozen.stopReading()
    for number in 1...3600 {
      daemon.play(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20, hasSky: true, hasNoise: true))
    }
    let session = try #require(daemon.server.clients.sessions.first)
    #expect(session.outbox.count <= 1)
    #expect(session.outbox.fix?.fix.seq == 3601)
    #expect(session.outbox.replacedFixes == 3598)
    #expect(daemon.server.clients.totals.replacedFixes == 3598)
    #expect(!frozen.isClosed, "the time of the fixes does not count for the stall")
  }

  @Test func `A client that disconnects with pending output is removed completely`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let closing = try daemon.watch()
    let other = try daemon.watch()
    closing.stopReading()
    daemon.ride(0...3)
    closing.close()
    daemon.ride(4...5)
    #expect(daemon.server.clients.sessions.count == 1)
    daemon.loop.run()
    #expect(!daemon.server.clients.isCongested)
    #expect(try other.take().fixes.count == 6)
  }
}

@Suite("Outbox")
struct OutboxTests {
  private func fix(_ seq: UInt64) -> PublishedFix {
    PublishedFix(fix: Fix(position: .munich, mode: .threeD, received: .zero), seq: seq, source: 0)
  }

  private func pending(_ seq: UInt64, _ reason: DeliveryReason) -> Outbox.PendingFix {
    Outbox.PendingFix(fix: fix(seq), reason: reason)
  }

  @Test func `Only the newest fix is held, and replaced ones are counted`() {
    var outbox = Outbox()
    #expect(outbox.isEmpty)
    for seq in 1...1000 { outbox.hold(pending(UInt64(seq), .moved)) }
    #expect(!outbox.isEmpty)
    #expect(outbox.fix?.fix.seq == 1000)
    #expect(outbox.replacedFixes == 999)
  }

  @Test func `64 lines are held; a further reply displaces the events and is then refused`() {
    var outbox = Outbox()
    for number in 0..<64 { outbox.append(event: ByteBuffer(string: "\(number)")) }
    #expect(outbox.count == 64 && !outbox.isStateDue)
    let taken = (0...64).map { outbox.append(reply: ByteBuffer(string: "\($0)")) }
    #expect(taken == Array(repeating: true, count: 64) + [false])
    #expect(outbox.count == 64 && outbox.discardedEvents == 64)
    #expect(outbox.take().lines.last == ByteBuffer(string: "63"))
    outbox.append(event: ByteBuffer(string: "late"))
    #expect(outbox.isEmpty && outbox.discardedEvents == 65)
    let isDue = [outbox.takeStateDue(), outbox.takeStateDue()]
    #expect(isDue == [true, false])
  }

  @Test func `Taking empties the outbox and keeps the count of replaced fixes`() {
    var outbox = Outbox()
    outbox.hold(pending(1, .moved))
    outbox.hold(pending(2, .moved))
    outbox.sky = ByteBuffer(string: "old")
    outbox.sky = ByteBuffer(string: "new")
    outbox.course = ByteBuffer(string: "course")
    outbox.append(event: ByteBuffer(string: "a"))
    _ = outbox.append(reply: ByteBuffer(string: "b"))
    let (lines, fix, rest) = outbox.take()
    #expect(lines == [ByteBuffer(string: "a"), ByteBuffer(string: "b")])
    #expect(fix?.fix.seq == 2)
    #expect(rest == [ByteBuffer(string: "new"), ByteBuffer(string: "course")])
    #expect(outbox.isEmpty)
    #expect(outbox.replacedFixes == 1)
  }

  /// The reported reason when the second fix replaces the first.
  static let replacements: [(old: DeliveryReason, new: DeliveryReason, reported: DeliveryReason)] = [
    (.stopped, .moved, .stopped), (.started, .moved, .started), (.mode, .moved, .mode), (.source, .moved, .source),
    (.regained, .moved, .regained), (.first, .moved, .first), (.moved, .moved, .moved),
    (.heartbeat, .moved, .moved), (.requested, .moved, .moved), (.snapshot, .moved, .moved),
    (.stopped, .heartbeat, .stopped), (.moved, .heartbeat, .moved),
    (.stopped, .started, .started), (.moved, .stopped, .stopped), (.mode, .regained, .regained),
    (.moved, .requested, .requested), (.first, .source, .source),
  ]

  @Test(arguments: replacements)
  func `A reason that is reported once outlives its fix`(
    old: DeliveryReason, new: DeliveryReason, reported: DeliveryReason
  ) {
    var outbox = Outbox()
    outbox.hold(pending(1, old))
    outbox.hold(pending(2, new))
    #expect(outbox.fix?.reason == reported)
    #expect(outbox.fix?.fix.seq == 2)
  }

  @Test func `All reasons that are reported once outlive a hundred fixes`() {
    var outbox = Outbox()
    for seq in UInt64(1)...100 {
      var pending = pending(seq, seq == 1 ? .stopped : seq == 50 ? .started : .moved)
      pending.fix.changes = seq == 1 ? [.stopped, .suspect] : seq == 50 ? .started : []
      outbox.hold(pending)
    }
    #expect(outbox.fix?.reason == .started)
    #expect(outbox.fix?.fix.changes == [.stopped, .started])
  }
}

@Suite("Stall")
struct StallTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  private static func unread(_ waiting: Int, inSocket: Int = 4000) -> UnreadBytes {
    UnreadBytes(waiting: waiting, inSocket: inSocket)
  }

  @Test func `The timeout is 10 s`() {
    let stall = Stall(since: at(5), Self.unread(100))
    #expect(stall.remaining(at: at(5)) == .seconds(10))
    #expect(stall.remaining(at: at(14)) == .seconds(1))
    #expect(stall.remaining(at: at(15)) == .zero)
    #expect(stall.remaining(at: at(16)) < .zero)
  }

  @Test func `Only fewer pending bytes restart the timeout`() {
    var stall = Stall(since: at(0), Self.unread(100))
    stall.observe(Self.unread(100), at: at(4))
    #expect(stall.remaining(at: at(4)) == .seconds(6))
    stall.observe(Self.unread(150), at: at(5))
    #expect(stall.remaining(at: at(5)) == .seconds(5))
    stall.observe(Self.unread(149), at: at(6))
    #expect(stall.remaining(at: at(6)) == .seconds(10))
    stall.observe(Self.unread(149), at: at(7))
    #expect(stall.remaining(at: at(7)) == .seconds(9))
    stall.observe(Self.unread(149, inSocket: 3999), at: at(8))
    #expect(stall.remaining(at: at(8)) == .seconds(10))
  }

  @Test func `A complete write restarts the timeout`() {
    var stall = Stall(since: at(0), Self.unread(100))
    stall.since = at(9)
    #expect(stall.remaining(at: at(9)) == .seconds(10))
  }

  @Test func `A client lags that has read nothing for 50 ms`() {
    var lag = Stall(since: at(0), Self.unread(0, inSocket: 0))
    func isLag(_ inSocket: Int, at seconds: Double) -> Bool {
      lag.isLag(Self.unread(0, inSocket: inSocket), at: at(seconds))
    }
    #expect(!isLag(0, at: 5))
    #expect(!isLag(1000, at: 5.02))
    // It waited for a processor, and read some.
    #expect(!isLag(3000, at: 5.04))
    #expect(!isLag(2000, at: 5.06))
    #expect(!isLag(4000, at: 5.1))
    #expect(isLag(4000, at: 5.11))
    #expect(!isLag(0, at: 9))
  }
}
