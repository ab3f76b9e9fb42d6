import Glibc
import Testing

@Suite("Starting and stopping", .onOwnThread, .timeLimit(.minutes(5)))
struct StoppingTests {
  @Test("asked to stop, it tells its clients, takes its socket away and ends with 0", arguments: [SIGTERM, SIGINT])
  func stops(signal: Int32) throws {
    let daemon = try DaemonUnderTest("serial:/nowhere/gps0")
    let clients = [try daemon.connect(), try daemon.watch()]
    #expect(try daemon.stop(signal) == 0)
    for client in clients {
      let last = try client.waitForEnd().last
      #expect(last?.text.contains(#""code":"stopping""#) == true)
    }
    #expect(access(daemon.socket, F_OK) != 0)
  }

  @Test("it starts without a receiver and serves", .timeLimit(.minutes(5)))
  func withoutReceiver() throws {
    let daemon = try DaemonUnderTest("serial:/nowhere/gps0")
    let client = try daemon.watch()
    let state = try client.state("failed")
    #expect(state.error == "notFound")
    #expect(state.device == "/nowhere/gps0")
    #expect(state.remedy?.isEmpty == false)
    try client.send("?POLL;")
    #expect(try client.line("POLL").text.contains(#""tpv":["#))
    #expect(try daemon.stop() == 0)
  }

  @Test("a socket of the wanted mode and group")
  func modeAndGroup() throws {
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
