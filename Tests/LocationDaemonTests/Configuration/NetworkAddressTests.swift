import Testing

@testable import LocationDaemon

@Suite struct NetworkAddressTests {
  @Test(arguments: [
    ("localhost:2947", "localhost", 2947), ("127.0.0.1:80", "127.0.0.1", 80), ("[::1]:2947", "::1", 2947),
    (":10110", "", 10_110), ("phone.local", "phone.local", 2947), ("[fe80::1]", "fe80::1", 2947),
  ])
  func reads(text: String, host: String, port: Int) {
    #expect(NetworkAddress(text, defaultPort: 2947) == NetworkAddress(host: host, port: port))
  }

  @Test(arguments: ["host:0", "host:65536", "host:x", "host:", "::1:2947", "[::1", "[::1]2947", "a:-1"])
  func refuses(text: String) {
    #expect(NetworkAddress(text, defaultPort: 2947) == nil)
  }

  @Test func withoutADefaultThePortMustBeThere() {
    #expect(NetworkAddress("localhost") == nil)
  }

  @Test(arguments: [
    ("gpsd://localhost:2947", "gpsd://localhost:2947"), ("gpsd://", "gpsd://localhost:2947"),
    ("gpsd://board:3000/dev/ttyUSB0", "/dev/ttyUSB0"), ("tcp://10.0.0.7:10110", "tcp://10.0.0.7:10110"),
    ("udp://:10110", "udp://:10110"),
  ])
  func sources(text: String, device: String) throws {
    #expect(try SourceURI(text).device == device)
  }

  @Test(arguments: ["gpsd:localhost", "gpsd://host:0", "tcp://:10110", "tcp://host/path", "udp://:x", "gpsd://h?x=1"])
  func refusesSources(text: String) {
    #expect(throws: ConfigurationError.self) { try SourceURI(text) }
  }
}
