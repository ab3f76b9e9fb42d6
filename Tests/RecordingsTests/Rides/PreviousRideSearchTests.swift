import Glibc
import LocationCore
import Testing

@testable import Recordings

/// A recorder beside rides that take long to read.
struct PreviousRideSearchTests {
  /// GPS second 0 of `epochText`.
  private static let noon = UTCInstant(nanosecondsSince1970: 1_773_921_600_000_000_000)
  /// More than is read before the first file is created.
  private static let large = 2 * RideRecorder.piecesAtStart * RideRecorder.pieceSize
  private static let name = "20260319T120000Z"

  /// A ride of 301 s that a power cut ended, with a long line after it.
  private static func record(in directory: borrowing TemporaryDirectory) throws {
    var rig = try RecorderRig(in: directory.path, at: 0, utc: noon)
    try rig.ride(0...300)
    _ = consume rig
    let file = "\(name).nmea"
    directory.write(directory.read(file) + [UInt8](repeating: UInt8(ascii: "x"), count: large), to: file)
  }

  @Test(arguments: [false, true])
  func `Beside a large ride bytes are in the file at once, and the ride continues later`(isSameBoot: Bool) throws {
    let directory = TemporaryDirectory()
    try Self.record(in: directory)
    let (boot, uptime) = isSameBoot ? ("11111111", Int64(460_000)) : ("22222222", 4000)
    var rig = try RecorderRig(
      in: directory.path, at: 400, uptime: uptime, boot: boot, utc: Self.noon + .seconds(400), isIdle: false)
    try rig.ride(400...500, from: 3120)
    #expect(rig.recorder.hasWork == true)
    // The name has no date as long as it can change.
    let preliminary = "boot-\(boot)-\(uptime).nmea"
    #expect(directory.rides == ["\(Self.name).nmea", preliminary].sorted())
    #expect(items(of: directory.read(preliminary)).bytes().count > 100 * 100)
    rig.recorder.finishWork()
    #expect(directory.rides == ["\(Self.name)-002.nmea", "\(Self.name).nmea"])
    #expect(rig.recorder.name.stem == Self.name)
    try rig.ride(501...520, from: 4200)
    let figures = rig.recorder.figures
    #expect(figures.duration == 520)
    #expect(figures.gaps == 1)
    try rig.recorder.stop(at: .milliseconds(uptime + 200_000))
    let rides = try RideDirectory(existing: directory.path)
    let ride = try #require(try rides.rides().first)
    let summary = try rides.summary(of: ride)
    #expect(abs(summary.figures.distance - figures.distance) < 1)
    #expect(summary.figures.fixes - figures.fixes <= 1)
  }

  @Test func `A ride that ends during the search is named by its date`() throws {
    let directory = TemporaryDirectory()
    try Self.record(in: directory)
    var rig = try RecorderRig(in: directory.path, at: 400, uptime: 4000, boot: "22222222", isIdle: false)
    try rig.ride(400...410)
    try rig.recorder.stop(at: .milliseconds(20_000))
    #expect(directory.rides == ["\(Self.name).nmea", "20260319T120640Z.nmea"])
    #expect(rig.recorder.hasWork == false)
  }

  @Test func `A long stop during the search begins the next ride`() throws {
    let directory = TemporaryDirectory()
    try Self.record(in: directory)
    let policy = RidePolicy(splitStop: .seconds(30))
    var rig = try RecorderRig(
      in: directory.path, at: 400, uptime: 4000, boot: "22222222", policy: policy, isIdle: false)
    try rig.ride(400...410)
    try rig.ride(411...460, from: 200, knots: 0)
    try rig.ride(461...470, from: 200)
    rig.recorder.finishWork()
    #expect(directory.rides == ["\(Self.name).nmea", "20260319T120640Z.nmea", "20260319T120741Z.nmea"])
    try rig.recorder.stop(at: .milliseconds(99_000))
  }

  @Test func `A run of many fixes during the search is a ride of its own`() throws {
    let directory = TemporaryDirectory()
    try Self.record(in: directory)
    var rig = try RecorderRig(in: directory.path, at: 400, uptime: 4000, boot: "22222222", isIdle: false)
    let position = try #require(Coordinate(latitude: 48, longitude: 11))
    for second in 400..<(400 + RideRecorder.maximumEarlyFixes) {
      let instant = MonotonicInstant.milliseconds(4000 + Int64(second - 400) * 1000)
      let fix = Fix(
        position: position, mode: .threeD, measured: Self.noon + .seconds(second), received: instant)
      try rig.recorder.read(Array(gga.utf8), from: 0, at: instant, utc: nil)
      try rig.recorder.published(PublishedFix(fix: fix, seq: 0, source: 0), at: instant)
    }
    let isSearching = rig.recorder.search != nil
    #expect(!isSearching && rig.recorder.early.isEmpty)
    #expect(rig.recorder.name.stem == "20260319T120640Z")
    try rig.recorder.stop(at: .milliseconds(9_000_000))
  }

  @Test func `A ride that cannot be read does not hide the one before it`() throws {
    let directory = TemporaryDirectory()
    var before = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try before.ride(0...300)
    _ = consume before
    directory.write(Array("no recording\n".utf8), to: "20260319T120600Z.nmea")
    var rig = try RecorderRig(in: directory.path, at: 400, uptime: 4000, boot: "22222222")
    try rig.ride(400...410)
    #expect(rig.recorder.name.stem == Self.name)
    try rig.recorder.stop(at: .milliseconds(20_000))
  }

  @Test(arguments: ["folder", "pipe", "link"])
  func `Numbers of parts that something else has are skipped`(kind: String) throws {
    let directory = TemporaryDirectory()
    let planted = "\(directory.path)/\(Self.name)-002.nmea"
    switch kind {
    case "folder": #expect(mkdir(planted, 0o700) == 0)
    case "pipe": #expect(mkfifo(planted, 0o600) == 0)
    default: #expect(symlink("/etc/passwd", planted) == 0)
    }
    defer { if kind == "folder" { rmdir(planted) } }
    var rig = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try rig.ride(0...10)
    try rig.ride(3700...3710)
    #expect(rig.recorder.path.hasSuffix("\(Self.name)-003.nmea"))
    try rig.recorder.stop(at: .milliseconds(4_000_000))
    let rides = try RideDirectory(existing: directory.path)
    #expect(try rides.rides().map(\.parts) == [[1, 3]])
  }

  @Test func `A file with a part number beyond all others neither counts nor stops the recorder`() throws {
    let directory = TemporaryDirectory()
    for number in ["9223372036854775807", "1000000000"] {
      directory.write(directory.rides.first.map { directory.read($0) } ?? [], to: "\(Self.name)-\(number).nmea")
    }
    var rig = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try rig.ride(0...10)
    try rig.recorder.stop(at: .milliseconds(80_000))
    _ = consume rig
    let header = RecordingHeader(devices: ["/dev/gps0"], boot: "11111111")
    directory.write(header.lines, to: "\(Self.name)-999999999.nmea")
    var next = try RecorderRig(in: directory.path, at: 20, uptime: 80_000, utc: Self.noon + .seconds(20))
    try next.ride(20...30)
    #expect(next.recorder.name.stem == "20260319T120020Z")
    try next.recorder.stop(at: .milliseconds(99_000))
  }
}
