import GPSDProtocol
import NIOCore
import Testing

@testable import LocationDaemon

@Suite("Clients on TCP")
struct TCPClientTests {
  static let changes = [
    #"?VIEW={"lat":48,"lon":11,"cause":"user"};"#, #"?FOLLOW={"enable":false};"#,
    #"?FOLLOW={"following":false,"restore":true};"#,
    #"?TARGET={"name":"home","lat":48,"lon":11};"#, #"?TARGET={"name":"home","enable":false};"#,
    #"?RECORD={"enable":false};"#, #"?PLAYBACK={"pause":true};"#,
  ]

  private func connect(to daemon: VirtualDaemon) throws -> VirtualClient {
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"enable":false,"handlebar":true};"#)
    return client
  }

  @Test(arguments: changes)
  func `A request that changes anything is forbidden, and changes nothing`(request: String) throws {
    let daemon = try VirtualDaemon()
    let client = try connect(to: daemon)
    let errors = try client.ask(request).errors
    #expect(errors.map(\.code) == [.forbidden])
    #expect(errors.first?.message.contains("tcp-control = true") == true)
    #expect(errors.first.flatMap(\.request).map { request.hasPrefix("?\($0)=") } == true)
    #expect(daemon.engineLoop.engine.desk.follow.states.isEmpty)
    #expect(daemon.engineLoop.engine.desk.targets.states.isEmpty)
    #expect(try client.ask("?STATUS;").statuses.first?.counts?["badRequests"] == 1)
    #expect(!client.isClosed)
  }

  @Test(arguments: changes)
  func `It is allowed on the Unix socket, and on TCP with tcp-control`(request: String) throws {
    let daemon = try VirtualDaemon { $0.tcpControl = true }
    #expect(try !connect(to: daemon).ask(request).errors.contains { $0.code == .init("forbidden") })
    #expect(try !VirtualDaemon().connect().ask(request).errors.contains { $0.code == .init("forbidden") })
  }

  @Test(arguments: [
    "?STATUS;", "?FOLLOW;", #"?FOLLOW={"view":"main"};"#, "?TARGET;", "?RECORD;", "?PLAYBACK;", "?LOCATE;",
  ])
  func `A request that asks only is answered`(request: String) throws {
    let daemon = try VirtualDaemon()
    let answer = try connect(to: daemon).ask(request)
    #expect(!answer.errors.contains { $0.code == .init("forbidden") })
  }

  @Test func `A reload grants and withdraws control of connected clients`() throws {
    let daemon = try VirtualDaemon()
    let client = try connect(to: daemon)
    for isGranted in [true, false] {
      var configuration = daemon.server.configuration
      configuration.tcpControl = isGranted
      daemon.apply(configuration)
      #expect(try client.ask(#"?FOLLOW={"enable":true};"#).errors.isEmpty == isGranted)
    }
  }

  @Test func `64 are served, and leave every other place to the Unix socket`() throws {
    let daemon = try VirtualDaemon { $0.maxClients = 70 }
    let clients = (0..<64).map { _ in daemon.connect(.gpsd) }
    let refused = daemon.connect(.gpsd)
    #expect(refused.isClosed)
    let errors = try refused.take().errors
    #expect(errors.map(\.code) == [.tooManyClients])
    #expect(errors.first?.message.contains("64 TCP clients") == true)
    let local = (0..<6).map { _ in daemon.connect() }
    #expect((clients + local).allSatisfy { !$0.isClosed })
    #expect(daemon.connect().isClosed)
    clients[0].close()
    #expect(!daemon.connect(.gpsd).isClosed)
    #expect(daemon.connect(.gpsd).isClosed)
  }

  @Test func `With fewer places one is left to the Unix socket`() throws {
    let daemon = try VirtualDaemon { $0.maxClients = 3 }
    #expect((0..<3).map { _ in daemon.connect(.gpsd).isClosed } == [false, false, true])
    #expect(!daemon.connect().isClosed)
  }

  @Test func `Without a place, the client that has been silent longest makes room after 60 s`() throws {
    let daemon = try VirtualDaemon { $0.maxClients = 6 }
    let watching = daemon.connect(.gpsd)
    try watching.send(#"?WATCH={"json":true};"#)
    let reading = daemon.connect(.gpsd)
    try reading.send(#"?WATCH={"nmea":true};"#)
    let asking = daemon.connect(.gpsd)
    daemon.loop.advanceTime(by: .seconds(1))
    let silent = [daemon.connect(.gpsd), daemon.connect(.gpsd)]
    daemon.loop.advanceTime(by: .milliseconds(500))
    try silent[0].send("?VERSION;")
    daemon.loop.advanceTime(by: .seconds(50))
    try asking.send("?VERSION;")
    daemon.loop.advanceTime(by: .milliseconds(9499))
    #expect(daemon.connect(.gpsd).isClosed)
    #expect(silent.map(\.isClosed) == [false, false])
    daemon.loop.advanceTime(by: .milliseconds(1))
    let first = daemon.connect(.gpsd)
    #expect(silent.map(\.isClosed) == [false, true])
    #expect(daemon.connect(.gpsd).isClosed)
    daemon.loop.advanceTime(by: .milliseconds(500))
    let second = daemon.connect(.gpsd)
    #expect(silent.map(\.isClosed) == [true, true])
    #expect(daemon.connect(.gpsd).isClosed)
    #expect([watching, reading, asking, first, second].allSatisfy { !$0.isClosed })
  }

  @Test func `A silent client stays while there is a place, and one on the Unix socket always`() throws {
    let daemon = try VirtualDaemon { $0.maxClients = 3 }
    let local = daemon.connect()
    let silent = daemon.connect(.gpsd)
    daemon.loop.advanceTime(by: .hours(1))
    let other = daemon.connect(.gpsd)
    #expect(!silent.isClosed)
    // All places are taken: the silent client's goes to a client of the Unix socket as well.
    #expect(!daemon.connect().isClosed)
    #expect(silent.isClosed)
    #expect(!local.isClosed && !other.isClosed)
  }
}

@Suite("Clients that speak another protocol")
struct ForeignProtocolClientTests {
  static let request = """
    POST / HTTP/1.1\r
    Host: 127.0.0.1:2947\r
    Content-Type: text/plain;charset=UTF-8\r
    \r
    ?WATCH={"handlebar":true};
    ?FOLLOW={"enable":false};

    """

  @Test(
    arguments: [
      Dialect.gpsd, .handlebar,
    ]
  )
  func `It is closed without an answer and the body is not a request, wherever it is split`(dialect: Dialect) throws {
    let daemon = try VirtualDaemon { $0.tcpControl = true }
    let bytes = Array(Self.request.utf8)
    for split in 0...bytes.count {
      let client = daemon.connect(dialect)
      for part in [bytes[..<split], bytes[split...]] {
        // The second part may find the connection closed.
        try? client.send(String(decoding: part, as: UTF8.self))
      }
      #expect(client.isClosed, "split at \(split)")
      #expect(try client.take().names == ["VERSION"], "split at \(split)")
    }
    #expect(daemon.engineLoop.engine.desk.follow.states.isEmpty)
    #expect(daemon.server.clients.sessions.isEmpty)
    let counts = try daemon.connect().ask("?STATUS;").statuses.first?.counts
    #expect(counts?["foreignProtocols"] == bytes.count + 1)
    #expect(counts?["badRequests"] == 0)
  }

  @Test func `It is closed behind requests that wait for their answers to be read`() throws {
    let daemon = try VirtualDaemon { $0.tcpControl = true }
    let client = daemon.connect(.gpsd)
    client.stopReading()
    try client.send(String(repeating: "?VERSION;", count: 40) + Self.request)
    client.resumeReading()
    daemon.loop.run()
    #expect(client.isClosed)
    #expect(daemon.engineLoop.engine.desk.follow.states.isEmpty)
    #expect(daemon.server.clients.counters.foreignProtocols == 1)
  }
}
