import Glibc
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Configuration file")
struct ConfigurationFileTests {
  private func applied(_ text: String) throws -> DaemonConfiguration {
    var configuration = DaemonConfiguration()
    try configuration.apply(try ConfigurationFile(path: "f.toml", bytes: Array(text.utf8)))
    return configuration
  }

  @Test func `Every key sets its value`() throws {
    let configuration = try applied(
      """
      sources = ["serial:/dev/gps1?speed=9600", { uri = "udp://:10110", checksums = "prefer" }]
      socket = "/run/s"
      socket-mode = "606"
      socket-group = "gps"
      nmea-socket = '/run/n'
      tcp = ["127.0.0.1:2947", "[::1]:2948"]
      tcp-control = true
      max-clients = 7
      distance-filter = 2.5
      drift-limit = 50
      latency = 0.25
      chrony-socket = "/run/c"
      record = "/rides"
      log-level = "debug"
      """)
    var expected = DaemonConfiguration()
    expected.sources = [
      SourceURI(SerialOptions(path: "/dev/gps1", speed: 9600)),
      SourceURI(NetworkOptions(transport: .udp, address: NetworkAddress(host: "", port: 10_110), checksums: .prefer)),
    ]
    expected.socketPath = "/run/s"
    expected.socketMode = 0o606
    expected.socketGroup = "gps"
    expected.nmeaSocketPath = "/run/n"
    expected.tcpAddresses = [NetworkAddress(host: "127.0.0.1", port: 2947), NetworkAddress(host: "::1", port: 2948)]
    expected.tcpControl = true
    expected.maxClients = 7
    expected.distanceFilter = 2.5
    expected.driftLimit = 50
    expected.latency = 0.25
    expected.chronySocketPath = "/run/c"
    expected.recordDirectory = "/rides"
    expected.logLevel = .debug
    #expect(configuration == expected)
  }

  @Test func `Sources can be tables, with typed parameters`() throws {
    let configuration = try applied(
      """
      [[sources]]
      uri = "serial:/dev/gps0"
      speed = 38400

      [[sources]]
      uri = "recording:a%20b.nmea?speed=1"
      loop = true
      checksums = "accept"
      """)
    #expect(
      configuration.sources == [
        SourceURI(SerialOptions(path: "/dev/gps0", speed: 38_400)),
        SourceURI(RecordingOptions(paths: ["a b.nmea"], loops: true, statedChecksums: .accept)),
      ])
    var serial = SerialOptions(path: "/dev/gps0")
    var wish = ReceiverWish()
    (wish.rate, wish.model, wish.accuracy) = (5, .bike, true)
    serial.receiver = wish
    let wanted = "{ rate = 5, model = \"bike\", accuracy = true }"
    #expect(
      try applied("sources = [{ uri = \"serial:/dev/gps0\", receiver = \(wanted) }]").sources == [SourceURI(serial)])
  }

  @Test func `A single value is accepted for an array, and an empty file changes nothing`() throws {
    #expect(try applied("sources = \"serial:/dev/x\"").sources == [SourceURI(SerialOptions(path: "/dev/x"))])
    #expect(try applied("tcp = \"localhost\"").tcpAddresses == [NetworkAddress(host: "localhost", port: 2947)])
    #expect(try applied("# nothing\n") == DaemonConfiguration())
  }

  static let wrong: [(text: String, message: String)] = [
    ("distance-fliter = 5", "f.toml:1: distance-fliter: there is no such key; did you mean \"distance-filter\"?"),
    ("\n  source = []", "f.toml:2: source: there is no such key; did you mean \"sources\"?"),
    ("Socket_Mode = 1", "f.toml:1: Socket_Mode: there is no such key; did you mean \"socket-mode\"?"),
    ("zzz = 1", "f.toml:1: zzz: there is no such key; use one of sources, socket,"),
    ("[recording]\ndirectory = 1", "f.toml:1: recording: there is no such key; "),
    (
      "distance-filter = \"ten\"",
      "f.toml:1: distance-filter: a string is not accepted here; write a number, for example 10"
    ),
    ("drift-limit = true", "f.toml:1: drift-limit: true or false is not accepted here; write a number"),
    ("socket = 5", "f.toml:1: socket: an integer is not accepted here; write a string, for example \"/run/"),
    (
      "socket-mode = 660", "f.toml:1: socket-mode: an integer is not accepted here; write a string, for example \"660\""
    ),
    ("socket-mode = \"9\"", "f.toml:1: socket-mode: 9 is not an octal mode such as 660"),
    ("max-clients = 0", "f.toml:1: max-clients: 0 is out of range; write a whole number from 1 to 65536"),
    ("max-clients = 2.5", "f.toml:1: max-clients: a number is not accepted here; write a whole number from 1 to 65536"),
    ("log-level = \"loud\"", "f.toml:1: log-level: \"loud\" is not one of trace, debug, info"),
    ("record = 1979-05-27", "f.toml:1: record: a date is not accepted here; write a string"),
    ("sources = 5", "f.toml:1: sources: an integer is not accepted here; write an array of strings"),
    (
      "sources = [\n  \"serial:/dev/gps0\",\n  \"usb:1\",\n]",
      "f.toml:3: sources: usb:1: unknown source scheme \"usb\"; use serial,"
    ),
    ("sources = [true]", "f.toml:1: sources: true or false is not accepted here; write a URI, for example"),
    ("[[sources]]\nspeed = 9600", "f.toml:1: sources: a source needs its URI, for example uri ="),
    (
      "[[sources]]\nuri = \"serial:/a\"\n[[sources]]\nuri = \"serial:/b\"\nspeed = 7",
      "f.toml:3: sources: serial:/b: speed=7 is not a line speed; use auto or one of 4800,"
    ),
    (
      "[[sources]]\nuri = \"serial:/a\"\nspeed = [1]",
      "f.toml:1: sources.speed: an array is not a parameter; write a string, a number, true or false"
    ),
    ("[sources]\nspeed = 9600", "f.toml:1: sources: a source needs its URI, for example uri ="),
    ("sources.x.y = 1", "f.toml:1: sources: a source needs its URI, for example uri ="),
    ("record-bytes = 9223372036854775808", "f.toml:1: syntax: column 16: \"9223372036854775808\" is not a number"),
    ("socket = \"/run/a\\u0000b\"", "f.toml:1: socket: \\u0000 is not accepted in a string; remove it"),
    ("sources = [\n\"serial:/dev/a\\u0000\"]", "f.toml:2: sources: serial:/dev/a\\0: %00 cannot be part"),
    ("log-level = \"a\\nb\\u001B\"", "f.toml:1: log-level: \"a\\nb\\u{1B}\" is not one of"),
    ("[[sources]]\nuri = \"serial:/a\"\nbaud = 4800", "f.toml:1: sources: serial:/a: unknown parameter \"baud\""),
    ("tcp = [\"127.0.0.1:2947\", \":1\"]", "f.toml:1: tcp: \":1\" is not HOST:PORT, for example 127.0.0.1:2947"),
    ("distance-filter = \n", "f.toml:1: syntax: column 19: "),
    ("a = 1\na = 2", "f.toml:2: syntax: column 1: \"a\" is already defined"),
    ("sources = [\"x\"\n", "f.toml:1: syntax: column 11: the bracket is not closed"),
  ]

  @Test(arguments: wrong.indices)
  func `An error names file, line, key and a remedy`(index: Int) throws {
    let (text, message) = Self.wrong[index]
    let error = try #require(throws: ConfigurationError.self) { try applied(text) }
    #expect("\(error)".hasPrefix(message), "\(error)")
    #expect(!"\(error)".contains("\n"))
  }

  @Test func `An unreadable file is reported by its path`() throws {
    let directory = try ScratchDirectory()
    #expect(throws: ConfigurationError.self) { try ConfigurationFile(path: directory / "absent") }
    let folder = try #require(throws: ConfigurationError.self) { try ConfigurationFile(path: directory.path) }
    #expect(folder.key == directory.path && folder.message.contains("not a file"))
    #expect(mkfifo(directory / "pipe", 0o600) == 0)
    let pipe = try #require(throws: ConfigurationError.self) { try ConfigurationFile(path: directory / "pipe") }
    #expect(pipe.message.contains("not a file"))
    try directory.write(String(repeating: "#", count: 65_536), to: "full")
    #expect(try ConfigurationFile(path: directory / "full").entries.isEmpty)
    try directory.write(String(repeating: "#", count: 65_537), to: "large")
    let large = try #require(throws: ConfigurationError.self) { try ConfigurationFile(path: directory / "large") }
    #expect(large.message.contains("larger than 64 KiB"))
  }

  @Test func `A message that quotes much is shortened and ends with its remedy`() throws {
    let name = String(repeating: "k", count: 60_000)
    for text in ["\"\(name)\" = 1", "log-level = \"\(name)\"", "sources = \"serial:/\(name)?x=1\""] {
      let error = try #require(throws: ConfigurationError.self) { try applied(text) }
      #expect("\(error)".utf8.count < 1000)
    }
    let level = try #require(throws: ConfigurationError.self) { try applied("log-level = \"\(name)\"") }
    #expect("\(level)".hasPrefix("f.toml:1: log-level: \"kkk") && "\(level)".hasSuffix("error, critical"))
  }

  @Test func `There are at most 32 sources`() throws {
    func configuration(_ count: Int) throws -> DaemonConfiguration {
      try applied("sources = [" + String(repeating: "\"serial:/a\",", count: count) + "]")
    }
    #expect(throws: Never.self) { try configuration(32).validate() }
    let error = try #require(throws: ConfigurationError.self) { try configuration(33).validate() }
    #expect(error.key == "sources" && error.message.contains("at most 32"))
  }
}
