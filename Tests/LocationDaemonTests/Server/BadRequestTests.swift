import Testing

@testable import LocationDaemon

@Suite("Requests that are none")
struct BadRequestTests {
  @Test(
    "each gets one ERROR, and the connection lives",
    arguments: [
      "hello\n", "?\n", "?;", "?NOPE;", "?WATCH=\n", "?WATCH=1\n", "?WATCH={\n", #"?WATCH={"json":1};"#,
      #"?WATCH={"distanceFilter":-1};"#, #"?WATCH={"distanceFilter":"ten"};"#, #"?WATCH={"heartbeat":0.01};"#,
      #"?VIEW={"lat":91,"lon":0};"#, #"?VIEW={"lat":1};"#, "?VIEW;", #"?VIEW={"lat":1,"lon":1,"cause":"wind"};"#,
      #"?LOCATE={"timeout":-1};"#, #"?TARGET={"lat":1,"lon":1};"#, "?POLL={};", "\u{0}\n", "\u{FF}\n",
      "?" + String(repeating: "A", count: 5000) + "\n", #"?WATCH={"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1"# + "\n",
    ])
  func oneError(request: String) throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.take()
    let lines = try client.ask(request)
    #expect(lines.names == ["ERROR"])
    let error = try #require(lines.errors.first)
    #expect(error.code == "request")
    #expect(error.message.count > 10)
    #expect(!client.isClosed)
    #expect(try client.ask("?VERSION;").names == ["VERSION"])
    #expect(daemon.server.clients.counters.badRequests == 1)
  }

  @Test("16 in a row close, each with its ERROR")
  func sixteen() throws {
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

  @Test("16 in one read as well, and a good one begins the count anew")
  func inOneRead() throws {
    let daemon = try VirtualDaemon()
    let patient = daemon.connect()
    try patient.send(String(repeating: String(repeating: "?NOPE;", count: 15) + "?VERSION;", count: 4))
    #expect(!patient.isClosed)
    let hasty = daemon.connect()
    _ = try hasty.take()
    try hasty.send(String(repeating: "?NOPE;", count: 40))
    #expect(hasty.isClosed)
    #expect(try hasty.take().errors.count == 16)
  }

  @Test("one client's garbage is not another's")
  func others() throws {
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
