import Glibc
import Testing

@Suite("Starting and stopping", .onOwnThread, .timeLimit(.minutes(5)))
struct LifecycleTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `A signal sends ERROR to the clients, removes the socket and exits with 0`(signal: Int32) throws {
    let daemon = try DaemonUnderTest("serial:/nowhere/gps0")
    let clients = [try daemon.connect(), try daemon.watch()]
    #expect(try daemon.stop(signal) == 0)
    for client in clients {
      let last = try client.waitForEnd().last
      #expect(last?.text.contains(#""code":"stopping""#) == true)
    }
    #expect(access(daemon.socket, F_OK) != 0)
  }

  @Test(.timeLimit(.minutes(5)))
  func `The daemon serves clients without a receiver`() throws {
    let daemon = try DaemonUnderTest("serial:/nowhere/gps0")
    let client = try daemon.watch()
    let state = try client.state("failed")
    #expect(state.error == .init("notFound"))
    #expect(state.device == "/nowhere/gps0")
    #expect(state.remedy?.isEmpty == false)
    try client.send("?POLL;")
    #expect(try client.line("POLL").text.contains(#""tpv":["#))
    #expect(try daemon.stop() == 0)
  }

  @Test func `The socket has the configured mode and group`() throws {
    let group = String(cString: try #require(getgrgid(getegid())).pointee.gr_name)
    let daemon = try DaemonUnderTest(
      "serial:/nowhere/gps0",
      environment: ["HANDLEBAR_SOCKET_MODE": "606", "HANDLEBAR_SOCKET_GROUP": group])
    _ = try daemon.connect()
    var status = stat()
    #expect(stat(daemon.socket, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o606)
    #expect(status.st_gid == getegid())
    #expect(try daemon.stop() == 0)
  }
}

@Suite("One instance owns the socket", .onOwnThread, .timeLimit(.minutes(5)))
struct SocketOwnerTests {
  @Test func `A second instance exits and names the owner, which continues`() throws {
    let directory = try ScratchDirectory()
    let first = try DaemonUnderTest("serial:/nowhere/gps0", in: directory)
    let client = try first.connect()
    let second = try DaemonUnderTest("serial:/nowhere/gps0", in: directory)
    #expect(try second.process.waitForEnd() == 71)
    #expect(second.log.contains("process \(first.pid);"), "\(second.log)")
    try client.send("?VERSION;")
    _ = try client.line("VERSION")
    _ = try first.connect()
    #expect(try first.stop() == 0)
    #expect(access(first.socket, F_OK) != 0)
  }

  @Test(arguments: [false, true])
  func `Exactly one of several simultaneous instances wins, even with a stale socket`(overStale: Bool) throws {
    let directory = try ScratchDirectory()
    if overStale {
      let killed = try DaemonUnderTest("serial:/nowhere/gps0", in: directory)
      _ = try killed.connect()
      killed.process.signal(SIGKILL)
      #expect(try killed.process.waitForEnd() == 128 + SIGKILL)
      #expect(access(killed.socket, F_OK) == 0)
    }
    let racers = try (0..<4).map { _ in try DaemonUnderTest("serial:/nowhere/gps0", in: directory) }
    _ = try until("all but one to end") { racers.count { $0.process.exitCode == nil } <= 1 ? true : nil }
    let winner = try #require(racers.first { $0.process.exitCode == nil })
    _ = try winner.connect()
    for loser in racers where loser !== winner {
      #expect(loser.process.exitCode == 71)
      #expect(loser.log.contains("is in use by process \(winner.pid);"), "\(loser.log)")
    }
    #expect(try winner.stop() == 0)
    #expect(access(winner.socket, F_OK) != 0)
  }

  @Test func `The socket of a successor survives the late stop of its predecessor`() throws {
    let directory = try ScratchDirectory()
    let late = try DaemonUnderTest("serial:/nowhere/gps0", in: directory)
    _ = try late.connect()
    unlink(late.socket)
    let successor = try DaemonUnderTest("serial:/nowhere/gps0", in: directory)
    _ = try successor.connect()
    #expect(try late.stop() == 0)
    _ = try successor.connect()
    #expect(try successor.stop() == 0)
  }
}
