import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Source URIs")
struct SourceURITests {
  private static func disabled(_ kind: some SourceKind) -> SourceURI {
    SourceURI(DisabledOptions(off: SourceURI(kind)))
  }

  static let good: [(String, SourceURI)] = [
    ("serial:/dev/gps0", SourceURI(SerialOptions(path: "/dev/gps0"))),
    ("serial:/dev/gps0?speed=auto", SourceURI(SerialOptions(path: "/dev/gps0"))),
    ("serial:/dev/ttyUSB0?speed=9600", SourceURI(SerialOptions(path: "/dev/ttyUSB0", speed: 9600))),
    ("serial:/dev/gps0?speed=921600", SourceURI(SerialOptions(path: "/dev/gps0", speed: 921_600))),
    ("serial:/dev/gps0?checksums=accept", SourceURI(SerialOptions(path: "/dev/gps0", checksums: .accept))),
    (
      "serial:/dev/gps0?checksums=prefer&speed=4800",
      SourceURI(SerialOptions(path: "/dev/gps0", speed: 4800, checksums: .prefer))
    ),
    ("serial:/dev/serial/by-id/usb%201", SourceURI(SerialOptions(path: "/dev/serial/by-id/usb 1"))),
    (
      "serial:/dev/gps0?enabled=false&speed=9600",
      disabled(SerialOptions(path: "/dev/gps0", speed: 9600))
    ),
    ("serial:/dev/gps0?enabled=true", SourceURI(SerialOptions(path: "/dev/gps0"))),
    ("recording:ride.nmea", SourceURI(RecordingOptions(paths: ["ride.nmea"]))),
    ("recording:a,b.nmea", SourceURI(RecordingOptions(paths: ["a,b.nmea"]))),
    ("recording:a.nmea?then=b.nmea&then=c", SourceURI(RecordingOptions(paths: ["a.nmea", "b.nmea", "c"]))),
    (
      "recording:a%3Fb%26c%25%20d?speed=2&then=e=f%26g,h",
      SourceURI(RecordingOptions(paths: ["a?b&c% d", "e=f&g,h"], speed: .times(2)))
    ),
    ("recording:a.nmea?src=1", SourceURI(RecordingOptions(paths: ["a.nmea"], recordedSource: 1))),
    ("recording:a.nmea?speed=0.1", SourceURI(RecordingOptions(paths: ["a.nmea"], speed: .times(0.1)))),
    ("recording:a.nmea?speed=1000", SourceURI(RecordingOptions(paths: ["a.nmea"], speed: .times(1000)))),
    ("recording:a.nmea?loop=true", SourceURI(RecordingOptions(paths: ["a.nmea"], loops: true))),
    ("recording:a.nmea?loop", SourceURI(RecordingOptions(paths: ["a.nmea"], loops: true))),
    ("recording:a.nmea?loop=0", SourceURI(RecordingOptions(paths: ["a.nmea"], loops: false))),
    ("recording:a.nmea?start=watch", SourceURI(RecordingOptions(paths: ["a.nmea"], start: .watch))),
    ("recording:a.nmea?speed=max", SourceURI(RecordingOptions(paths: ["a.nmea"], speed: .max, start: .watch))),
    (
      "recording:a.nmea?speed=max&start=now",
      SourceURI(RecordingOptions(paths: ["a.nmea"], speed: .max, start: .now))
    ),
  ]

  @Test(arguments: good)
  func `Valid URIs are parsed`(text: String, uri: SourceURI) throws {
    #expect(try SourceURI(text) == uri)
  }

  @Test func `A wanted state of the receiver is read; without one the line is opened for reading only`() throws {
    let text = "serial:/dev/gps0?receiver.rate=5&receiver.model=bike&receiver.accuracy=true&receiver.speed=115200"
    var options = SerialOptions(path: "/dev/gps0")
    var wish = ReceiverWish()
    (wish.rate, wish.model, wish.accuracy, wish.speed) = (5, .bike, true, 115_200)
    options.receiver = wish
    #expect(try SourceURI(text) == SourceURI(options))
    for (parameter, word) in [
      ("rate=0", "1 to 25"), ("rate=26", "1 to 25"), ("rate=fast", "1 to 25"), ("model=boat", "bike, car, pedestrian"),
      ("accuracy=1e3", "neither true nor false"), ("speed=1000", "4800, 9600"), ("power=1", "receiver.power"),
    ] {
      let error = #expect(throws: ConfigurationError.self) { try SourceURI("serial:/dev/gps0?receiver.\(parameter)") }
      #expect(error?.message.contains(word) == true)
    }
    #expect(throws: ConfigurationError.self) { try SourceURI("tcp://host?receiver.rate=5") }
  }

  @Test func `The quick start is on with a wanted state of the receiver; flash memory and files only on request`()
    throws
  {
    var options = SerialOptions(path: "/dev/gps0")
    options.receiver = ReceiverWish()
    for (parameters, start) in [
      ("receiver.quick-start=true", QuickStartOptions()), ("receiver.flash=true", QuickStartOptions(usesFlash: true)),
      ("receiver.quick-start=false", QuickStartOptions(isOn: false)),
      ("receiver.assistance=/var/lib/a", QuickStartOptions(assistance: "/var/lib/a")),
    ] {
      options.quickStart = start
      #expect(try SourceURI("serial:/dev/gps0?\(parameters)") == SourceURI(options))
    }
    for (parameters, word) in [
      ("receiver.quick-start=maybe", "neither true nor false"), ("receiver.assistance=files", "absolute path"),
      ("receiver.quick-start=false&receiver.flash=true", "remove them"),
    ] {
      let error = #expect(throws: ConfigurationError.self) { try SourceURI("serial:/dev/gps0?\(parameters)") }
      #expect(error?.message.contains(word) == true)
    }
  }

  @Test(arguments: ["serial:/dev/gps0", "recording:a.nmea", "tcp://host", "udp://:10110"])
  func `A rollover is snapped only on request`(text: String) throws {
    #expect(try !SourceURI(text).kind.snapsRollover)
    #expect(try !SourceURI(text + "?rollover=flag").kind.snapsRollover)
    #expect(try SourceURI(text + "?rollover=snap").kind.snapsRollover)
  }

  /// URIs with words of their error messages.
  static let bad: [(String, [String])] = [
    ("", ["SCHEME:", "serial:/dev/gps0"]),
    ("/dev/gps0", ["SCHEME:"]),
    ("bluetooth:1", ["\"bluetooth\"", "serial", "recording"]),
    ("SERIAL:/dev/gps0", ["\"SERIAL\"", "serial"]),
    ("serial:", ["absolute path", "serial:/dev/gps0"]),
    ("serial:gps0", ["absolute path"]),
    ("serial:/dev/gps0?speed=1200", ["speed=1200", "auto", "4800, 9600, 19200", "921600"]),
    ("serial:/dev/gps0?speed=-9600", ["speed=-9600"]),
    ("serial:/dev/gps0?speed=", ["speed="]),
    ("serial:/dev/gps0?speed=0x10", ["speed=0x10"]),
    ("serial:/dev/gps0?checksums=maybe", ["checksums=maybe", "require, prefer or accept"]),
    ("serial:/dev/gps0?rollover=maybe", ["rollover=maybe", "flag or snap"]),
    ("serial:/dev/gps0?baud=9600", ["unknown parameter \"baud\""]),
    ("serial:/dev/gps0?loop=true", ["unknown parameter \"loop\""]),
    ("recording:", ["needs a file", "recording:recordings/city.nmea"]), ("serial:/dev/%00", ["%00"]),
    ("recording:a?then=", ["needs a file"]), ("recording:a%00b", ["%00"]), ("recording:a?src=-1", ["src=-1", "0"]),
    ("recording:a?src=", ["src="]), ("recording:a?speed=2x", ["speed=2x"]),
    ("recording:a.nmea?speed=0", ["speed=0", "0.1 to 1000", "max"]),
    ("recording:a.nmea?speed=0.09", ["0.1 to 1000"]),
    ("recording:a.nmea?speed=1001", ["0.1 to 1000"]),
    ("recording:a.nmea?speed=nan", ["0.1 to 1000"]),
    ("recording:a.nmea?speed=inf", ["0.1 to 1000"]),
    ("recording:a.nmea?speed=fast", ["speed=fast"]),
    ("recording:a.nmea?loop=maybe", ["loop=maybe", "neither true nor false"]),
    ("recording:a.nmea?start=later", ["start=later", "now or watch"]),
    ("recording:a.nmea?loop=true&speed=max", ["never end"]),
    ("recording:a.nmea?sped=10", ["unknown parameter \"sped\""]),
  ]

  @Test(arguments: bad)
  func `An invalid URI is rejected with a remedy`(text: String, words: [String]) throws {
    let error = try #require(throws: ConfigurationError.self) { try SourceURI(text) }
    #expect(error.key == text)
    for word in words { #expect(error.message.contains(word), "\(error.message)") }
    #expect(error.description == "\(text): \(error.message)")
  }

  @Test func `A source that is switched off has the names of its kind and nothing else`() throws {
    let on = try SourceURI("recording:a.nmea?speed=max&checksums=accept&rollover=snap")
    let off = try SourceURI("recording:a.nmea?speed=max&checksums=accept&rollover=snap&enabled=false")
    #expect(on != off && on.kind is RecordingOptions && !(off.kind is RecordingOptions))
    #expect(off.device == "a.nmea" && off.scheme == "recording" && off.kind.isLive && off.kind.form == .sentences)
    #expect(off.kind.pace == nil && !off.kind.startsWithSubscriber)
    #expect(off.kind.checksums == .require && !off.kind.snapsRollover)
    let serial = try SourceURI("serial:/dev/gps0?speed=9600&enabled=false")
    #expect(serial.kind.lineSpeed == nil && !(serial.kind is SerialOptions))
  }

  @Test func `Device and scheme are those of reports`() throws {
    #expect(try SourceURI("serial:/dev/gps0?speed=9600").device == "/dev/gps0")
    #expect(try SourceURI("serial:/dev/gps0").scheme == "serial")
    let off = try SourceURI("gpsd://localhost:2947?enabled=no")
    #expect(off.device == "gpsd://localhost:2947" && off.scheme == "gpsd" && off.kind.checksums == .require)
    #expect(try SourceURI("recording:a.nmea?then=b.nmea").device == "a.nmea")
    #expect(try SourceURI("recording:a.nmea").scheme == "recording")
    #expect(SourceURI(RecordingOptions(paths: [])).device == "")
  }
}

@Suite("Parameters of a source URI")
struct URIQueryTests {
  private func query(_ rest: String) throws -> URIQuery { try URIQuery(rest[...], in: "x:\(rest)") }

  @Test(
    arguments: [
      ("/a%20b", "/a b"), ("/%C3%A9", "/é"), ("/100%", "/100%"), ("/%2", "/%2"), ("/%zz", "/%zz"), ("/%25", "/%"),
      ("", ""), ("/a%3Fb", "/a?b"),
    ]
  )
  func `Percent codes are decoded, and other percent signs kept`(text: String, path: String) throws {
    #expect(try query(text).path == path)
  }

  @Test func `A value is taken once, the last of a name counts, and unused parameters are errors`() throws {
    var query = try query("/p?a=1&b=x=y&a=2&c&%64=%26")
    #expect(query.path == "/p")
    #expect(query.take("a") == "2")
    #expect(query.take("a") == nil)
    #expect(query.take("b") == "x=y")
    #expect(query.take("c") == "")
    #expect(
      throws: ConfigurationError(
        key: "x:/p?a=1&b=x=y&a=2&c&%64=%26", message: "unknown parameter \"d\"")
    ) {
      try query.finish()
    }
    #expect(query.take("d") == "&")
    #expect(throws: Never.self) { try query.finish() }
  }

  @Test func `Only the first question mark separates path and parameters`() throws {
    var query = try query("/p?a=b?c")
    #expect(query.path == "/p")
    #expect(query.take("a") == "b?c")
  }

  @Test func `The number of parameters is bounded`() throws {
    #expect(try query("/p?" + String(repeating: "then=a&", count: 999)).path == "/p")
    let error = try #require(throws: ConfigurationError.self) { try query(String(repeating: "&", count: 1000)) }
    #expect(error.message == "more than 1000 parameters")
  }

  @Test(
    arguments: [("f=true", true), ("f=1", true), ("f=yes", true), ("f", true), ("f=false", false), ("f=0", false)]
      + [("f=no", false), ("g=1", nil)] as [(String, Bool?)]
  )
  func `Flags are parsed`(text: String, value: Bool?) throws {
    var query = try query("/p?\(text)")
    #expect(try query.takeFlag("f") == value)
  }

  @Test func `An invalid flag is rejected`() {
    #expect(throws: ConfigurationError.self) {
      var query = try query("/p?f=TRUE")
      _ = try query.takeFlag("f")
    }
  }
}

@Suite("Network addresses")
struct NetworkAddressTests {
  @Test(
    arguments: [
      ("localhost:2947", "localhost", 2947), ("127.0.0.1:80", "127.0.0.1", 80), ("[::1]:2947", "::1", 2947),
      (":10110", "", 10_110), ("phone.local", "phone.local", 2947), ("[fe80::1]", "fe80::1", 2947),
    ]
  )
  func `Valid addresses are parsed`(text: String, host: String, port: Int) {
    #expect(NetworkAddress(text, defaultPort: 2947) == NetworkAddress(host: host, port: port))
  }

  @Test(arguments: ["host:0", "host:65536", "host:x", "host:", "::1:2947", "[::1", "[::1]2947", "a:-1"])
  func `Invalid addresses are rejected`(text: String) {
    #expect(NetworkAddress(text, defaultPort: 2947) == nil)
  }

  @Test func `Without a default the port is required`() {
    #expect(NetworkAddress("localhost") == nil)
  }

  @Test(
    arguments: [
      ("gpsd://localhost:2947", "gpsd://localhost:2947"), ("gpsd://", "gpsd://localhost:2947"),
      ("gpsd://board:3000/dev/ttyUSB0", "/dev/ttyUSB0"), ("tcp://10.0.0.7:10110", "tcp://10.0.0.7:10110"),
      ("udp://:10110", "udp://:10110"),
    ]
  )
  func `Network sources are parsed`(text: String, device: String) throws {
    #expect(try SourceURI(text).device == device)
  }

  @Test(arguments: ["gpsd:localhost", "gpsd://host:0", "tcp://:10110", "tcp://host/path", "udp://:x", "gpsd://h?x=1"])
  func `Invalid network sources are rejected`(text: String) {
    #expect(throws: ConfigurationError.self) { try SourceURI(text) }
  }
}
