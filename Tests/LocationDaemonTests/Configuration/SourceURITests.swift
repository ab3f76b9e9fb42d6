import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Source URIs")
struct SourceURITests {
  static let good: [(String, SourceURI)] = [
    ("serial:/dev/gps0", .serial(SerialOptions(path: "/dev/gps0"))),
    ("serial:/dev/gps0?speed=auto", .serial(SerialOptions(path: "/dev/gps0"))),
    ("serial:/dev/ttyUSB0?speed=9600", .serial(SerialOptions(path: "/dev/ttyUSB0", speed: 9600))),
    ("serial:/dev/gps0?speed=921600", .serial(SerialOptions(path: "/dev/gps0", speed: 921_600))),
    ("serial:/dev/gps0?checksums=accept", .serial(SerialOptions(path: "/dev/gps0", checksums: .accept))),
    (
      "serial:/dev/gps0?checksums=prefer&speed=4800",
      .serial(SerialOptions(path: "/dev/gps0", speed: 4800, checksums: .prefer))
    ),
    ("serial:/dev/serial/by-id/usb%201", .serial(SerialOptions(path: "/dev/serial/by-id/usb 1"))),
    (
      "serial:/dev/gps0?enabled=false&speed=9600",
      .disabled(.serial(SerialOptions(path: "/dev/gps0", speed: 9600)))
    ),
    ("serial:/dev/gps0?enabled=true", .serial(SerialOptions(path: "/dev/gps0"))),
    ("recording:ride.nmea", .recording(RecordingOptions(paths: ["ride.nmea"]))),
    ("recording:a,b.nmea", .recording(RecordingOptions(paths: ["a,b.nmea"]))),
    ("recording:a.nmea?then=b.nmea&then=c", .recording(RecordingOptions(paths: ["a.nmea", "b.nmea", "c"]))),
    (
      "recording:a%3Fb%26c%25%20d?speed=2&then=e=f%26g,h",
      .recording(RecordingOptions(paths: ["a?b&c% d", "e=f&g,h"], speed: .times(2)))
    ),
    ("recording:a.nmea?src=1", .recording(RecordingOptions(paths: ["a.nmea"], recordedSource: 1))),
    ("recording:a.nmea?speed=0.1", .recording(RecordingOptions(paths: ["a.nmea"], speed: .times(0.1)))),
    ("recording:a.nmea?speed=1000", .recording(RecordingOptions(paths: ["a.nmea"], speed: .times(1000)))),
    ("recording:a.nmea?loop=true", .recording(RecordingOptions(paths: ["a.nmea"], loops: true))),
    ("recording:a.nmea?loop", .recording(RecordingOptions(paths: ["a.nmea"], loops: true))),
    ("recording:a.nmea?loop=0", .recording(RecordingOptions(paths: ["a.nmea"], loops: false))),
    ("recording:a.nmea?start=watch", .recording(RecordingOptions(paths: ["a.nmea"], start: .watch))),
    ("recording:a.nmea?speed=max", .recording(RecordingOptions(paths: ["a.nmea"], speed: .max, start: .watch))),
    (
      "recording:a.nmea?speed=max&start=now",
      .recording(RecordingOptions(paths: ["a.nmea"], speed: .max, start: .now))
    ),
  ]

  @Test("what is meant is read", arguments: good)
  func reads(text: String, uri: SourceURI) throws {
    #expect(try SourceURI(text) == uri)
  }

  @Test(
    "a rollover is snapped only when asked",
    arguments: ["serial:/dev/gps0", "recording:a.nmea", "tcp://host", "udp://:10110"])
  func snapsRollover(text: String) throws {
    #expect(try !SourceURI(text).snapsRollover)
    #expect(try !SourceURI(text + "?rollover=flag").snapsRollover)
    #expect(try SourceURI(text + "?rollover=snap").snapsRollover)
  }

  /// The URI, and words that its message must hold: what is wrong, and what would be right.
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
    ("recording:", ["needs a file", "recording:recordings/city.nmea"]),
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

  @Test("what is wrong is said, with the URI as its place", arguments: bad)
  func refuses(text: String, words: [String]) throws {
    let error = try #require(throws: ConfigurationError.self) { try SourceURI(text) }
    #expect(error.key == text)
    for word in words { #expect(error.message.contains(word), "\(error.message)") }
    #expect(error.description == "\(text): \(error.message)")
  }

  @Test("device and scheme are told as clients see them")
  func names() throws {
    #expect(try SourceURI("serial:/dev/gps0?speed=9600").device == "/dev/gps0")
    #expect(try SourceURI("serial:/dev/gps0").scheme == "serial")
    let off = try SourceURI("gpsd://localhost:2947?enabled=no")
    #expect(off.device == "gpsd://localhost:2947" && off.scheme == "gpsd" && off.checksums == .require)
    #expect(try SourceURI("recording:a.nmea?then=b.nmea").device == "a.nmea")
    #expect(try SourceURI("recording:a.nmea").scheme == "recording")
    #expect(SourceURI.recording(RecordingOptions(paths: [])).device == "")
  }
}
