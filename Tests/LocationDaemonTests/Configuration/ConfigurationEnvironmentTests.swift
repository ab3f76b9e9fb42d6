import Glibc
import Testing

@testable import LocationDaemon

@Suite("Configuration from the environment")
struct ConfigurationEnvironmentTests {
  private func applied(_ environment: [String: String]) throws(ConfigurationError) -> DaemonConfiguration {
    var configuration = DaemonConfiguration()
    try configuration.apply(environment: environment)
    return configuration
  }

  @Test("every variable sets its value")
  func values() throws {
    let configuration = try applied([
      "HANDLEBAR_SOURCE": "serial:/dev/gps0?speed=9600  recording:a.nmea",
      "HANDLEBAR_SOCKET": "/tmp/s", "HANDLEBAR_SOCKET_MODE": "600", "HANDLEBAR_SOCKET_GROUP": "gps",
      "HANDLEBAR_DISTANCE_FILTER": "2.5", "HANDLEBAR_DRIFT_LIMIT": "50", "HANDLEBAR_RECORD": "/rides",
      "HANDLEBAR_MAX_CLIENTS": "3", "HANDLEBAR_LOG_LEVEL": "debug", "PATH": "/bin",
    ])
    #expect(
      configuration.sources == [
        .serial(SerialOptions(path: "/dev/gps0", speed: 9600)), .recording(RecordingOptions(paths: ["a.nmea"])),
      ])
    #expect(configuration.socketPath == "/tmp/s")
    #expect(configuration.socketMode == 0o600)
    #expect(configuration.socketGroup == "gps")
    #expect(configuration.distanceFilter == 2.5)
    #expect(configuration.driftLimit == 50)
    #expect(configuration.recordDirectory == "/rides")
    #expect(configuration.maxClients == 3)
    #expect(configuration.logLevel == .debug)
  }

  @Test("an empty path or group takes back what a lower layer said")
  func none() throws {
    var configuration = DaemonConfiguration()
    configuration.recordDirectory = "/rides"
    configuration.socketGroup = "gps"
    configuration.nmeaSocketPath = "/n"
    try configuration.apply(environment: [
      "HANDLEBAR_RECORD": "", "HANDLEBAR_SOCKET_GROUP": "", "HANDLEBAR_NMEA_SOCKET": "",
    ])
    #expect(configuration == DaemonConfiguration())
  }

  @Test("an empty environment changes nothing")
  func nothing() throws {
    #expect(try applied([:]) == DaemonConfiguration())
  }

  @Test(
    "what is no value is refused under the variable's name",
    arguments: [
      ("HANDLEBAR_SOCKET_MODE", "888"), ("HANDLEBAR_SOCKET_MODE", "1777"), ("HANDLEBAR_SOCKET_MODE", "rw"),
      ("HANDLEBAR_SOCKET_MODE", ""), ("HANDLEBAR_DISTANCE_FILTER", "ten"), ("HANDLEBAR_DRIFT_LIMIT", ""),
      ("HANDLEBAR_MAX_CLIENTS", "0"), ("HANDLEBAR_MAX_CLIENTS", "65537"), ("HANDLEBAR_MAX_CLIENTS", "1e2"),
      ("HANDLEBAR_LOG_LEVEL", "loud"), ("HANDLEBAR_LOG_LEVEL", ""),
    ])
  func refuses(key: String, value: String) throws {
    let error = try #require(throws: ConfigurationError.self) { try applied([key: value]) }
    #expect(error.key == key)
    #expect(!error.message.isEmpty)
  }

  @Test("a source in it that is none is refused under its own text")
  func badSource() throws {
    let error = try #require(throws: ConfigurationError.self) {
      try applied(["HANDLEBAR_SOURCE": "serial:/dev/gps0 usb:1"])
    }
    #expect(error.key == "usb:1")
  }

  @Test("the process's own environment is read")
  func process() throws {
    let path = try #require(getenv("PATH"))
    #expect(Environment.process["PATH"] == String(cString: path))
  }
}
