import Glibc
import NIOCore
import NIOEmbedded
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

  @Test("a daemon that stops tells every client; a reader of sentences sees the end")
  func stopping() throws {
    let daemon = try VirtualDaemon()
    let clients = (0..<3).map { _ in daemon.connect() }
    let reader = daemon.connect(.nmea)
    var isDone = false
    daemon.server.stop(within: .seconds(1)) { isDone = true }
    for client in clients {
      #expect(try client.take().errors.map(\.code) == ["stopping"])
      #expect(client.isClosed)
    }
    #expect(try reader.takeText() == "")
    #expect(reader.isClosed)
    #expect(daemon.server.clients.sessions.isEmpty)
    #expect(isDone)
  }

  @Test("who reads slowly has a second for the last words", arguments: [true, false])
  func stoppingSlowly(reads: Bool) throws {
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
      slow.readOn()
      #expect(try slow.take().errors.map(\.code) == ["stopping"])
    } else {
      daemon.loop.advanceTime(by: .milliseconds(1))
    }
    #expect(isDone)
    #expect(slow.isClosed)
  }

  @Test("with nobody there it is done at once")
  func stoppingAlone() throws {
    var isDone = false
    try VirtualDaemon().server.stop(within: .seconds(1)) { isDone = true }
    #expect(isDone)
  }

  @Test("a listening socket that is lost is told; one that is closed on purpose is not", arguments: [true, false])
  func listenerLost(isClosing: Bool) throws {
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
