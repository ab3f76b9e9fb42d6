import GPSDProtocol
import Libc
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Daemon configuration")
struct DaemonConfigurationTests {
  private func valid(_ change: (inout DaemonConfiguration) -> Void = { _ in }) -> DaemonConfiguration {
    var configuration = DaemonConfiguration()
    configuration.sources = [SourceURI(SerialOptions(path: "/dev/gps0"))]
    change(&configuration)
    return configuration
  }

  @Test func `Defaults are the documented ones`() {
    let configuration = DaemonConfiguration()
    #expect(configuration.socketPath == "/run/handlebar/location.sock")
    #expect(configuration.socketMode == 0o660)
    #expect(configuration.socketGroup == nil)
    #expect(configuration.distanceFilter == 10)
    #expect(configuration.driftLimit == 100)
    #expect(configuration.latency == 0.1)
    #expect(configuration.tcpControl == nil)
    #expect(configuration.maxClients == 256)
    #expect(configuration.recordDirectory == nil)
    #expect(configuration.sources == [SourceURI(SerialOptions(path: "/dev/gps0"))])
    #expect(configuration.logLevel == .info)
    #expect(throws: Never.self) { try valid().validate() }
  }

  @Test func `Control by TCP that was configured with other addresses waits for them`() {
    let running = valid {
      $0.tcpAddresses = [NetworkAddress(host: "0.0.0.0", port: 2947)]
      $0.tcpControl = false
    }
    var wanted = running
    wanted.tcpControl = true
    #expect(running.applicable(wanted) == (wanted, []))
    wanted.tcpAddresses = [NetworkAddress(host: "127.0.0.1", port: 2947)]
    #expect(running.applicable(wanted) == (running, [.tcp, .tcpControl]))
    // Less is taken over at once.
    var less = wanted
    less.tcpControl = nil
    let (applied, kept) = wanted.applicable(less)
    #expect(applied.tcpControl == nil && kept.isEmpty)
  }

  @Test func `Sensors wait for a restart with the sources beside them`() throws {
    let barometer = try SourceURI("iio:pressure")
    let replaying = valid { $0.sources = [SourceURI(RecordingOptions(paths: ["ride.nmea"]))] }
    let riding = valid { $0.sensors = [barometer] }
    #expect(replaying.applicable(riding) == (replaying, [.sources]))
    #expect(riding.applicable(replaying) == (riding, [.sources]))
    #expect(valid().applicable(riding) == (riding, []))
  }

  @Test func `Bounds are inclusive`() {
    #expect(throws: Never.self) { try valid { $0.distanceFilter = 0 }.validate() }
    #expect(throws: Never.self) { try valid { $0.driftLimit = 0.001 }.validate() }
    #expect(throws: Never.self) { try valid { $0.socketPath = String(repeating: "x", count: 107) }.validate() }
  }

  static let wrong: [(key: String, words: String, @Sendable (inout DaemonConfiguration) -> Void)] = [
    ("sources", "--source serial:/dev/gps0?speed=auto", { $0.sources = [] }),
    ("distance-filter", "0 or more", { $0.distanceFilter = -1 }),
    ("distance-filter", "0 or more", { $0.distanceFilter = .nan }),
    ("distance-filter", "0 or more", { $0.distanceFilter = .infinity }),
    ("drift-limit", "more than 0", { $0.driftLimit = 0 }),
    ("drift-limit", "more than 0", { $0.driftLimit = .nan }),
    ("drift-limit", "more than 0", { $0.driftLimit = -1 }),
    ("drift-limit", "more than 0", { $0.driftLimit = .infinity }),
    ("latency", "0 to 2", { $0.latency = 2.1 }),
    ("latency", "0 to 2", { $0.latency = .nan }),
    ("tcp", "tcp-control = false", { $0.tcpAddresses = [NetworkAddress(host: "0.0.0.0", port: 2947)] }),
    (
      "tcp", "[fe80::1]:1 is open to other machines",
      { $0.tcpAddresses = [NetworkAddress(host: "::1", port: 1), NetworkAddress(host: "fe80::1", port: 1)] }
    ),
    ("socket", "1 to 107 bytes", { $0.socketPath = "" }),
    ("socket", "1 to 107 bytes", { $0.socketPath = String(repeating: "x", count: 108) }),
    ("socket", "1 to 107 bytes", { $0.socketPath = String(repeating: "é", count: 54) }),
    (
      "sources", "only source",
      { $0.sources.append(SourceURI(RecordingOptions(paths: ["a"], speed: .times(10)))) }
    ),
    ("sources", "only source", { $0.sources.append(SourceURI(RecordingOptions(paths: ["a"], speed: .max))) }),
  ]

  @Test(arguments: wrong.indices)
  func `An invalid value is rejected with its key and a remedy`(index: Int) throws {
    let (key, words, change) = Self.wrong[index]
    let error = try #require(throws: ConfigurationError.self) { try valid(change).validate() }
    #expect(error.key == key)
    #expect(error.message.contains(words))
  }

  @Test func `A recording in real time is allowed next to other sources`() {
    let recording = SourceURI(RecordingOptions(paths: ["a"]))
    #expect(throws: Never.self) { try valid { $0.sources.append(recording) }.validate() }
  }

  @Test(arguments: [true, false])
  func `A TCP address that other machines can reach needs tcp-control, either value`(control: Bool) {
    let addresses = ["0.0.0.0", "::", "192.168.1.7"].map { NetworkAddress(host: $0, port: 2947) }
    #expect(throws: Never.self) {
      try valid {
        $0.tcpAddresses = addresses
        $0.tcpControl = control
      }.validate()
    }
    let loopback = ["localhost", "127.0.0.9", "::1"].map { NetworkAddress(host: $0, port: 2947) }
    #expect(throws: Never.self) { try valid { $0.tcpAddresses = loopback }.validate() }
  }

  @Test func `Time is virtual only for a replay at full speed`() {
    #expect(!valid().hasVirtualTime)
    for (speed, isVirtual) in [(PlaybackSpeed.times(1), false), (.times(1000), false), (.max, true)] {
      let recording = SourceURI(RecordingOptions(paths: ["a"], speed: speed))
      #expect(valid { $0.sources = [recording] }.hasVirtualTime == isVirtual)
    }
  }
}

@Suite("Paths of the two sockets")
struct SocketPathTests {
  @Test(arguments: [("/run/a.sock", "/run//./a.sock"), ("a.sock", "./a.sock"), ("//run/a.sock", "/run/a.sock")])
  func `Two spellings of one path are rejected`(socket: String, other: String) throws {
    var configuration = DaemonConfiguration()
    configuration.socketPath = socket
    configuration.nmeaSocketPath = other
    #expect(throws: ConfigurationError.self) { try configuration.validate() }
  }

  @Test(arguments: [("/run/a.sock", "run/a.sock"), ("/run/a.sock", "/run/b.sock")])
  func `Two paths are accepted`(socket: String, other: String) throws {
    var configuration = DaemonConfiguration()
    configuration.socketPath = socket
    configuration.nmeaSocketPath = other
    try configuration.validate()
  }
}

@Suite("Configuration from the environment")
struct ConfigurationEnvironmentTests {
  private func applied(_ environment: [String: String]) throws(ConfigurationError) -> DaemonConfiguration {
    var configuration = DaemonConfiguration()
    try configuration.apply(environment: environment)
    return configuration
  }

  @Test func `Every variable sets its value`() throws {
    let configuration = try applied([
      "HANDLEBAR_SOURCE": "serial:/dev/gps0?speed=9600  recording:a.nmea",
      "HANDLEBAR_SOCKET": "/tmp/s", "HANDLEBAR_SOCKET_MODE": "600", "HANDLEBAR_SOCKET_GROUP": "gps",
      "HANDLEBAR_DISTANCE_FILTER": "2.5", "HANDLEBAR_DRIFT_LIMIT": "50", "HANDLEBAR_RECORD": "/rides",
      "HANDLEBAR_LATENCY": "0.25",
      "HANDLEBAR_MAX_CLIENTS": "3", "HANDLEBAR_TCP_CONTROL": "no", "HANDLEBAR_LOG_LEVEL": "debug", "PATH": "/bin",
      "HANDLEBAR_CHRONY_SOCKET": "/run/c", "HANDLEBAR_STATE": "/state",
    ])
    #expect(
      configuration.sources == [
        SourceURI(SerialOptions(path: "/dev/gps0", speed: 9600)), SourceURI(RecordingOptions(paths: ["a.nmea"])),
      ])
    #expect(configuration.socketPath == "/tmp/s")
    #expect(configuration.socketMode == 0o600)
    #expect(configuration.socketGroup == "gps")
    #expect(configuration.distanceFilter == 2.5)
    #expect(configuration.driftLimit == 50)
    #expect(configuration.latency == 0.25)
    #expect(configuration.recordDirectory == "/rides")
    #expect(configuration.chronySocketPath == "/run/c")
    #expect(configuration.stateDirectory == "/state")
    #expect(configuration.maxClients == 3)
    #expect(configuration.tcpControl == false)
    #expect(configuration.logLevel == .debug)
  }

  @Test func `An empty path or group resets a lower layer`() throws {
    var configuration = DaemonConfiguration()
    configuration.recordDirectory = "/rides"
    configuration.socketGroup = "gps"
    configuration.nmeaSocketPath = "/n"
    configuration.chronySocketPath = "/c"
    configuration.stateDirectory = "/s"
    try configuration.apply(environment: [
      "HANDLEBAR_RECORD": "", "HANDLEBAR_SOCKET_GROUP": "", "HANDLEBAR_NMEA_SOCKET": "",
      "HANDLEBAR_CHRONY_SOCKET": "", "HANDLEBAR_STATE": "",
    ])
    #expect(configuration == DaemonConfiguration())
  }

  @Test func `An empty environment changes nothing`() throws {
    #expect(try applied([:]) == DaemonConfiguration())
  }

  @Test(
    arguments: [
      ("HANDLEBAR_SOCKET_MODE", "888"), ("HANDLEBAR_SOCKET_MODE", "1777"), ("HANDLEBAR_SOCKET_MODE", "rw"),
      ("HANDLEBAR_SOCKET_MODE", ""), ("HANDLEBAR_DISTANCE_FILTER", "ten"), ("HANDLEBAR_DRIFT_LIMIT", ""),
      ("HANDLEBAR_MAX_CLIENTS", "0"), ("HANDLEBAR_MAX_CLIENTS", "65537"), ("HANDLEBAR_MAX_CLIENTS", "1e2"),
      ("HANDLEBAR_TCP_CONTROL", "true"), ("HANDLEBAR_LOG_LEVEL", "loud"), ("HANDLEBAR_LOG_LEVEL", ""),
    ]
  )
  func `An invalid value is rejected with its variable`(key: String, value: String) throws {
    let error = try #require(throws: ConfigurationError.self) { try applied([key: value]) }
    #expect(error.key == key)
    #expect(!error.message.isEmpty)
  }

  @Test func `An invalid source is rejected with its text`() throws {
    let error = try #require(throws: ConfigurationError.self) {
      try applied(["HANDLEBAR_SOURCE": "serial:/dev/gps0 usb:1"])
    }
    #expect(error.key == "usb:1")
  }

  @Test func `The environment of the process is read`() throws {
    let path = try #require(getenv("PATH"))
    #expect(ProcessEnvironment.process["PATH"] == String(cString: path))
  }
}
