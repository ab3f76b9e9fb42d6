import Glibc
import NIOCore
import NIOEmbedded
import Testing

@testable import LocationDaemon

@Suite("Client limit and stopping")
struct AdmissionTests {
  @Test func `A client beyond the limit receives an ERROR and is closed; a disconnect frees its place`() throws {
    let daemon = try VirtualDaemon { $0.maxClients = 2 }
    let first = daemon.connect()
    let second = daemon.connect()
    let refused = daemon.connect()
    #expect(refused.isClosed)
    let lines = try refused.take()
    #expect(lines.names == ["ERROR"])
    #expect(lines.errors.first?.code == .init("tooManyClients"))
    #expect(lines.errors.first?.message.contains("2 clients") == true)
    let reader = daemon.connect(.nmea)
    #expect(try reader.isClosed && reader.takeText() == "", "the NMEA socket carries sentences only")
    #expect(try first.ask("?STATUS;").statuses.first?.counts?["clientsRefused"] == 2)
    second.close()
    let next = daemon.connect()
    #expect(!next.isClosed)
    #expect(try next.take().names == ["VERSION"])
    #expect(try first.ask("?STATUS;").statuses.first?.clients == 2)
  }

  @Test func `A stop sends ERROR to every client; on the NMEA socket it only closes`() throws {
    let daemon = try VirtualDaemon()
    let clients = (0..<3).map { _ in daemon.connect() }
    let reader = daemon.connect(.nmea)
    var isDone = false
    daemon.server.stop(within: .seconds(1)) { isDone = true }
    for client in clients {
      #expect(try client.take().errors.map(\.code) == [.stopping])
      #expect(client.isClosed)
    }
    #expect(try reader.takeText() == "")
    #expect(reader.isClosed)
    #expect(daemon.server.clients.sessions.isEmpty)
    #expect(isDone)
  }

  @Test(arguments: [true, false])
  func `A slow client has a second to read the final line`(reads: Bool) throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let slow = try daemon.watch()
    daemon.ride(0...0)
    slow.stopReading()
    daemon.ride(1...2)
    var isDone = false
    daemon.server.stop(within: .seconds(1)) { isDone = true }
    daemon.loop.advanceTime(by: .milliseconds(999))
    #expect(!isDone)
    #expect(!slow.isClosed)
    if reads {
      slow.resumeReading()
      #expect(try slow.take().errors.map(\.code) == [.stopping])
    } else {
      daemon.loop.advanceTime(by: .milliseconds(1))
    }
    #expect(isDone)
    #expect(slow.isClosed)
  }

  @Test func `Without clients a stop completes at once`() throws {
    var isDone = false
    try VirtualDaemon().server.stop(within: .seconds(1)) { isDone = true }
    #expect(isDone)
  }

  @Test(arguments: [true, false])
  func `The loss of a listening socket is reported, a deliberate close is not`(isClosing: Bool) throws {
    let daemon = try VirtualDaemon()
    var lost: [String] = []
    daemon.server.onListenerLost = { lost.append("\($0)") }
    let guardian = AcceptGuard(server: daemon.server)
    let channel = EmbeddedChannel(handler: guardian, loop: daemon.loop)
    channel.connect(to: try SocketAddress(unixDomainSocketPath: "/listening"), promise: nil)
    channel.pipeline.fireErrorCaught(IOError(errnoCode: EINVAL, reason: "accept"))
    guardian.isClosing = isClosing
    channel.close(promise: nil)
    #expect(lost.count == (isClosing ? 0 : 1))
    #expect(lost.allSatisfy { $0.contains("the listening socket was lost: ") && $0.contains("accept") })
  }
}

@Suite("Malformed requests")
struct MalformedRequestTests {
  @Test(
    arguments: [
      "hello\n", "?\n", "?;", "?NOPE;", "?WATCH=\n", "?WATCH=1\n", "?WATCH={\n", #"?WATCH={"json":1};"#,
      #"?WATCH={"distanceFilter":-1};"#, #"?WATCH={"distanceFilter":"ten"};"#, #"?WATCH={"heartbeat":0.01};"#,
      #"?VIEW={"lat":91,"lon":0};"#, #"?VIEW={"lat":1};"#, "?VIEW;", #"?VIEW={"lat":1,"lon":1,"cause":"wind"};"#,
      #"?LOCATE={"timeout":-1};"#, #"?TARGET={"lat":1,"lon":1};"#, "?POLL={};", "\u{0}\n", "\u{FF}\n",
      "?" + String(repeating: "A", count: 5000) + "\n", #"?WATCH={"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1"# + "\n",
    ]
  )
  func `Each malformed request gets one ERROR, and the connection stays open`(request: String) throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.take()
    let lines = try client.ask(request)
    #expect(lines.names == ["ERROR"])
    let error = try #require(lines.errors.first)
    #expect(error.code == .init("request"))
    #expect(error.message.count > 10)
    #expect(!client.isClosed)
    #expect(try client.ask("?VERSION;").names == ["VERSION"])
    #expect(daemon.server.clients.counters.badRequests == 1)
  }

  @Test func `16 in a row close the connection, each with its ERROR`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.take()
    for _ in 0..<15 { try client.send("?NOPE;") }
    #expect(!client.isClosed)
    try client.send("?NOPE;?VERSION;")
    #expect(client.isClosed)
    #expect(try client.take().names == Array(repeating: "ERROR", count: 16))
    #expect(daemon.server.clients.sessions.isEmpty)
  }

  @Test func `16 in one read close it too, and a valid request resets the count`() throws {
    let daemon = try VirtualDaemon()
    let valid = daemon.connect()
    try valid.send(String(repeating: String(repeating: "?NOPE;", count: 15) + "?VERSION;", count: 4))
    #expect(!valid.isClosed)
    let invalid = daemon.connect()
    _ = try invalid.take()
    try invalid.send(String(repeating: "?NOPE;", count: 40))
    #expect(invalid.isClosed)
    #expect(try invalid.take().errors.count == 16)
  }

  @Test func `Garbage of one client does not affect another`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let good = try daemon.watch()
    let bad = daemon.connect()
    for number in 0..<20 {
      if !bad.isClosed { try bad.send("\u{1}\u{2}garbage {{{{ \n") }
      daemon.ride(number...number)
    }
    #expect(bad.isClosed)
    #expect(try good.take().fixes.count == 20)
  }
}
