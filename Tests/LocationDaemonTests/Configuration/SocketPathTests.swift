import Testing

@testable import LocationDaemon

/// Two sockets need two paths, however they are spelt.
struct SocketPathTests {
  @Test(arguments: [("/run/a.sock", "/run//./a.sock"), ("a.sock", "./a.sock"), ("//run/a.sock", "/run/a.sock")])
  func `One path under two spellings is refused`(socket: String, other: String) throws {
    var configuration = DaemonConfiguration()
    configuration.socketPath = socket
    configuration.nmeaSocketPath = other
    #expect(throws: ConfigurationError.self) { try configuration.validate() }
  }

  @Test(arguments: [("/run/a.sock", "run/a.sock"), ("/run/a.sock", "/run/b.sock")])
  func `Two paths are taken`(socket: String, other: String) throws {
    var configuration = DaemonConfiguration()
    configuration.socketPath = socket
    configuration.nmeaSocketPath = other
    try configuration.validate()
  }
}
