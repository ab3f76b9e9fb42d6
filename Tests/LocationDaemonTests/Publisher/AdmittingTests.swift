import Testing

@testable import LocationDaemon

@Suite("How many clients")
struct AdmittingTests {
  @Test("one more than may be gets an ERROR and is closed; a place that is left is given again")
  func limit() throws {
    let daemon = try VirtualDaemon { $0.maxClients = 2 }
    let first = daemon.connect()
    let second = daemon.connect()
    let refused = daemon.connect()
    #expect(refused.isClosed)
    let lines = try refused.take()
    #expect(lines.names == ["ERROR"])
    #expect(lines.errors.first?.code == "tooManyClients")
    #expect(lines.errors.first?.message.contains("2 clients") == true)
    #expect(try first.ask("?STATUS;").statuses.first?.counts?["clientsRefused"] == 1)
    second.close()
    let next = daemon.connect()
    #expect(!next.isClosed)
    #expect(try next.take().names == ["VERSION"])
    #expect(try first.ask("?STATUS;").statuses.first?.clients == 2)
  }

  @Test("a daemon that stops tells every client")
  func stopping() throws {
    let daemon = try VirtualDaemon()
    let clients = (0..<3).map { _ in daemon.connect() }
    daemon.publisher.stop()
    for client in clients {
      #expect(try client.take().errors.map(\.code) == ["stopping"])
      #expect(client.isClosed)
    }
    #expect(daemon.publisher.audience.sessions.isEmpty)
  }
}
