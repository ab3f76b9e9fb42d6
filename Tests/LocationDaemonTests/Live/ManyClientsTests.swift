import GPSDProtocol
import Glibc
import Testing

@Suite("Misbehaving clients", .onOwnThread, .timeLimit(.minutes(5)))
struct ManyClientsTests {
  @Test func `A client beyond the limit is refused with an ERROR`() throws {
    let daemon = try DaemonUnderTest("serial:/nowhere/gps0", environment: ["HANDLEBAR_MAX_CLIENTS": "3"])
    var clients = try (0..<3).map { _ in try daemon.connect() }
    let refused = try #require(try TestClient(to: daemon.socket))
    #expect(try refused.waitForEnd().errors.map(\.code) == [.tooManyClients])
    clients.removeLast()
    _ = try until("a free place") {
      let next = try TestClient(to: daemon.socket)
      return try next?.next().name == "VERSION" ? next : nil
    }
    #expect(try daemon.stop() == 0)
  }

  @Test func `Garbage is answered 16 times, then the connection closes; other clients are unaffected`() throws {
    let daemon = try DaemonUnderTest("serial:/nowhere/gps0")
    let good = try daemon.connect()
    let bad = try daemon.connect()
    _ = try? bad.send(String(repeating: "\u{7}\u{1B}garbage\n", count: 1000))
    let lines = try bad.waitForEnd()
    #expect(lines.errors.count <= 16)
    #expect(lines.names.allSatisfy { $0 == "ERROR" })
    try good.send("?VERSION;")
    _ = try good.line("VERSION")
    #expect(try daemon.stop() == 0)
  }

  @Test func `Requests of a client that does not read need no memory`() throws {
    let daemon = try DaemonUnderTest("serial:/nowhere/gps0")
    let good = try daemon.connect()
    let greedy = try daemon.connect()
    let before = daemon.residentBytes
    let request = "?STATUS;\n"
    var taken = 0
    // Until the daemon stops reading or closes.
    while taken < 1 << 24 {
      guard let count = try? greedy.sendSome(String(repeating: request, count: 100), within: .milliseconds(200)),
        count == request.utf8.count * 100
      else { break }
      taken += count
    }
    #expect(taken < 1 << 20)
    try good.send("?VERSION;")
    _ = try good.line("VERSION")
    // The address sanitizer keeps released memory for a while.
    #expect(daemon.residentBytes - before < (getenv("HANDLEBAR_SANITIZER") == nil ? 4 << 20 : 16 << 20))
    #expect(try daemon.stop() == 0)
  }

  @Test func `A client that never reads is closed after 10 s without stale fixes or effects on others`() throws {
    let line = try PseudoTerminal()
    let daemon = try DaemonUnderTest("serial:\(line.path)")
    let reader = try daemon.watch()
    let frozen = try daemon.watch()
    _ = try reader.state("acquiring")
    let start = ContinuousClock.now
    var number = 0
    var received: [UInt64] = []
    // Epochs that a busy machine delivers late, several at once: the newest is a fix.
    var late = 0
    var stalledAfter: Duration?
    while stalledAfter == nil, start.duration(to: .now) < .seconds(120) {
      try line.write(NMEAEpoch(number: number, period: 0.05, north: Double(number), speed: 20, hasNoise: true).text)
      number += 1
      let due = ContinuousClock.now + .milliseconds(50)
      while ContinuousClock.now < due {
        if let text = try? reader.next(within: ContinuousClock.now.duration(to: due)), case .tpv(let fix) = text.report
        {
          received.append(fix.seq ?? 0)
        }
      }
      // Read all output of this epoch before the next one, even on a busy machine.
      try reader.send("?STATUS;")
      let status = try reader.wait(for: "STATUS") { line -> StatusReport? in
        if case .tpv(let fix) = line.report { received.append(fix.seq ?? 0) }
        guard case .status(let status) = line.report else { return nil }
        return status
      }
      late = status.counts?["lateFixes"] ?? 0
      if status.counts?["clientsStalled"] == 1 { stalledAfter = start.duration(to: .now) }
    }
    let stalled = try #require(stalledAfter)
    #expect(stalled > .seconds(10))
    #expect(received == Array(1...UInt64(received.count)))
    #expect(received.count + late >= number - 2)
    // The kernel holds only a few fixes, followed by the end.
    let held = try frozen.waitForEnd()
    #expect(held.fixes.count < 40)
    #expect(held.fixes.last?.seq ?? 0 < 60)
    #expect(try daemon.stop() == 0)
  }
}
