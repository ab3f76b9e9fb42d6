import Glibc
import Testing

@testable import LocationCore
@testable import Recordings

struct RideRecorderTests {
  private static let utc = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)
  private static let header = RecordingHeader(devices: ["/dev/gps0"], boot: "1f0c9a7e")

  /// With the run that began at 0.
  private static var written: RecordingHeader {
    var header = header
    header.fields.append(.init("run", "0"))
    return header
  }

  private static func recorder(
    in path: String, at milliseconds: Int64 = 0, policy: RidePolicy = RidePolicy(),
    later seconds: Int64 = 0
  ) throws -> RideRecorder {
    var recorder = try RideRecorder(
      in: path, header: header, boot: "1f0c9a7e", policy: policy,
      at: .milliseconds(milliseconds),
      utc: utc + .seconds(seconds))
    recorder.finishWork()
    return recorder
  }

  @Test func `Bytes are in the file at once, and complete after the stop`() throws {
    let directory = TemporaryDirectory()
    var recorder = try Self.recorder(in: directory.path)
    try recorder.read(Array((gga + "$GN").utf8), from: 0, at: .milliseconds(100), utc: Self.utc)
    #expect(items(of: directory.read("20260319T123519Z.nmea")).bytes() == Array(gga.utf8))
    try recorder.stop(at: .milliseconds(200))
    let read = items(of: directory.read("20260319T123519Z.nmea"))
    #expect(read.bytes() == Array((gga + "$GN").utf8))
    #expect(read.damage == [])
    #expect(read.first == .header(Self.written))
  }

  @Test func `Nothing is recorded after the stop`() throws {
    let directory = TemporaryDirectory()
    var recorder = try Self.recorder(in: directory.path)
    try recorder.stop(at: .zero)
    let size = directory.read("20260319T123519Z.nmea").count
    try recorder.read(Array(gga.utf8), from: 0, at: .milliseconds(100), utc: nil)
    try recorder.tick(at: .milliseconds(100_000))
    #expect(directory.read("20260319T123519Z.nmea").count == size)
    #expect(recorder.sync.deadline == nil)
  }

  @Test func `A flush is due seconds after a write, and at once after a change of state`() throws {
    let directory = TemporaryDirectory()
    var recorder = try Self.recorder(in: directory.path)
    #expect(recorder.sync.deadline == .milliseconds(3500))
    try recorder.tick(at: .milliseconds(5000))
    #expect(recorder.sync.deadline == nil)
    try recorder.read(Array(gga.utf8), from: 0, at: .milliseconds(6000), utc: nil)
    #expect(recorder.sync.deadline == .milliseconds(9500))
    try recorder.synchronize()
    #expect(recorder.sync.deadline == nil)
  }

  @Test func `A second ride in the same second gets another name`() throws {
    let directory = TemporaryDirectory()
    let first = try Self.recorder(in: directory.path)
    let second = try Self.recorder(in: directory.path)
    let names = [first.name.stem, second.name.stem]
    #expect(names == ["20260319T123519Z", "20260319T123519Z_2"])
    #expect(directory.rides == names.map { "\($0).nmea" })
  }

  @Test func `After an hour the ride continues in a new file with the header`() throws {
    let directory = TemporaryDirectory()
    var recorder = try Self.recorder(in: directory.path)
    try recorder.read(Array((gga + "$GN").utf8), from: 0, at: .milliseconds(3_599_900), utc: nil)
    try recorder.read(Array("RMC*00\r\n".utf8), from: 0, at: .milliseconds(3_600_000), utc: nil)
    try recorder.stop(at: .milliseconds(3_600_100))
    #expect(directory.files == ["20260319T123519Z-002.nmea", "20260319T123519Z.nmea"])
    let second = items(of: directory.read("20260319T123519Z-002.nmea"))
    #expect(second.first == .header(Self.written))
    let first = items(of: directory.read("20260319T123519Z.nmea"))
    #expect(first.bytes() + second.bytes() == Array((gga + "$GNRMC*00\r\n").utf8))
    #expect(recorder.bytesWritten == directory.files.map { directory.read($0).count }.reduce(0, +))
  }

  @Test func `A further file has what is known of wheels by then`() throws {
    let directory = TemporaryDirectory()
    var recorder = try Self.recorder(in: directory.path)
    let learned = KnownWheels.Wheel(source: "front hub", circumference: 2.105, error: 0.004)
    var headers: [RecordingItem] = []
    for (hour, known) in [(1, KnownWheels(given: 2.1)), (2, KnownWheels(learned: [learned]))] {
      recorder.know(known)
      try recorder.read(Array(gga.utf8), from: 0, at: .milliseconds(3_600_000 * Int64(hour)), utc: nil)
      var header = Self.written
      header.wheels = known
      #expect(header.wheels == known)
      headers.append(.header(header))
    }
    try recorder.stop(at: .milliseconds(7_300_000))
    #expect(directory.files.compactMap { items(of: directory.read($0)).first } == headers + [.header(Self.written)])
  }

  @Test func `At 16 MiB the ride continues in a new file without losing a byte`() throws {
    let directory = TemporaryDirectory()
    var recorder = try Self.recorder(in: directory.path)
    let burst = [UInt8](String(repeating: gga, count: 800).utf8)
    var count = 0
    while recorder.bytesWritten < RotationPolicy.maximumSize + burst.count {
      try recorder.read(burst, from: 0, at: .milliseconds(Int64(count)), utc: nil)
      count += 1
    }
    try recorder.stop(at: .milliseconds(Int64(count)))
    let parts = ["20260319T123519Z.nmea", "20260319T123519Z-002.nmea"].map { directory.read($0) }
    #expect(parts.allSatisfy { $0.count <= RotationPolicy.maximumSize })
    #expect(parts.map { items(of: $0).bytes().count }.reduce(0, +) == count * burst.count)
  }

  @Test func `Only rides beyond the limit are removed, with all their parts`() throws {
    let directory = TemporaryDirectory()
    for file in [
      "20250101T000000Z.nmea", "20250101T000000Z-002.nmea", "20250102T000000Z.nmea", "keep.nmea", "note.txt",
    ] {
      directory.write(Array("x".utf8), to: file)
    }
    let recorder = try Self.recorder(in: directory.path, policy: RidePolicy(maximumRides: 2))
    #expect(recorder.notices == [])
    #expect(directory.rides == ["20250102T000000Z.nmea", "20260319T123519Z.nmea", "keep.nmea", "note.txt"])
  }

  @Test func `A missing directory is created, a file at its path is an error`() throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/rides"
    do {
      let recorder = try Self.recorder(in: path)
      #expect(recorder.path == path + "/20260319T123519Z.nmea")
      unlink(recorder.path)
      rmdir(path)
    }
    directory.write([], to: "file")
    let error = #expect(throws: RecordingError.self) { _ = try Self.recorder(in: directory.path + "/file") }
    #expect(error?.reason == .wrongKind)
    let missing = #expect(throws: RecordingError.self) { _ = try Self.recorder(in: directory.path + "/a/b") }
    #expect(missing?.reason == .notFound)
  }

  @Test func `The first failure ends the recording and is thrown once`() throws {
    let directory = TemporaryDirectory()
    let path = directory.path + "/rides"
    var recorder = try Self.recorder(in: path)
    rename(path, path + " elsewhere")
    let error = #expect(throws: RecordingError.self) {
      try recorder.read(Array(gga.utf8), from: 0, at: .milliseconds(3_600_000), utc: nil)
    }
    #expect(error?.operation == .create)
    #expect(recorder.failure == error)
    try recorder.read(Array(gga.utf8), from: 0, at: .milliseconds(3_600_001), utc: nil)
    try recorder.stop(at: .milliseconds(3_600_002))
  }

  @Test func `Rewinding a file returns to its header`() throws {
    let directory = TemporaryDirectory()
    directory.write(recording(of: [Array(gga.utf8)]) + [0, 0, 0], to: "a.nmea")
    var reader = try RecordingReader(path: directory.path + "/a.nmea")
    var first: [RecordingItem] = []
    while let item = try reader.next() { first.append(item) }
    #expect(first.damage == [.nulRun(bytes: 3)])
    try reader.rewind()
    var second: [RecordingItem] = []
    while let item = try reader.next() { second.append(item) }
    #expect(first == second)
    #expect(first.count == 3)
  }

  @Test(arguments: ["", "/", "/dev/null"])
  func `Only regular files are read`(path: String) {
    #expect(throws: RecordingError.self) { _ = try RecordingReader(path: path) }
  }
}

extension RideRecorder {
  /// Does all work that the daemon does in pieces.
  mutating func finishWork() {
    while hasWork { work() }
  }
}

/// A recorder behind a receiver, as in the daemon.
struct RecorderRig: ~Copyable {
  var recorder: RideRecorder
  /// Whether each read is followed by all other work.
  var isIdle = true
  private var receiver = NMEAReceiver()
  /// The monotonic clock's milliseconds at GPS second 0.
  private let zero: Int64

  /// Starts recording at a GPS second (of ``epochText(at:north:knots:)``), at an uptime in milliseconds,
  /// with the system clock at `utc`.
  init(
    in path: String, at second: Int, uptime: Int64 = 60_000, boot: String = "11111111", utc: UTCInstant? = nil,
    policy: RidePolicy = RidePolicy(), isIdle: Bool = true
  ) throws {
    zero = uptime - Int64(second) * 1000
    self.isIdle = isIdle
    recorder = try RideRecorder(
      in: path, header: RecordingHeader(devices: ["/dev/gps0"], boot: boot), boot: boot, policy: policy,
      at: .milliseconds(uptime), utc: utc)
    if isIdle { recorder.finishWork() }
  }

  /// Feeds bytes of the receiver.
  mutating func read(_ bytes: [UInt8], at instant: MonotonicInstant, utc: UTCInstant? = nil) throws {
    try recorder.read(bytes, from: 0, at: instant, utc: utc)
    var fixes: [(Fix, Bool)] = []
    bytes.withUnsafeBytes { buffer in
      receiver.receive(buffer, at: instant) { epoch in
        if case .fix(let fix, let suspect) = epoch.outcome { fixes.append((fix, suspect)) }
      }
    }
    for (fix, isSuspect) in fixes {
      let published = PublishedFix(fix: fix, seq: 0, source: 0, changes: isSuspect ? .suspect : [])
      try recorder.published(published, at: instant)
    }
    try recorder.tick(at: instant)
    if isIdle { recorder.finishWork() }
  }

  /// Rides north at a speed, from one second to another, or stops.
  mutating func ride(_ seconds: ClosedRange<Int>, from north: Double = 0, knots: Int = 20) throws {
    for second in seconds {
      let way = Double(knots) * 1852 / 3600 * Double(second - seconds.lowerBound)
      try read(
        epochText(at: second, north: north + way, knots: "\(knots).0"),
        at: .milliseconds(zero + Int64(second) * 1000 + 100))
    }
  }
}
