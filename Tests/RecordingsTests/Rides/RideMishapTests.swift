import Glibc
import LocationCore
import Testing

@testable import Recordings

/// Wrong clocks and failed renames.
struct RideMishapTests {
  /// GPS second 0 of `epochText`.
  private static let noon = UTCInstant(nanosecondsSince1970: 1_773_921_600_000_000_000)
  private static let undated = sentence("GNGGA,,4842.228000,N,01131.000000,E,1,12,0.84,545.4,M,46.9,M,,")

  @Test func `A rename that fails half way leaves the ride whole, under the next name`() throws {
    let directory = TemporaryDirectory()
    directory.write(Array("x".utf8), to: "20260319T120000Z-002.nmea")
    var rig = try RecorderRig(in: directory.path, at: 0, uptime: 4000, boot: "22222222")
    try rig.read(Self.undated, at: .milliseconds(4100))
    // A second part after an hour, then a fix with a date.
    try rig.read(Self.undated, at: .milliseconds(3_704_100))
    #expect(directory.rides.filter { $0.hasPrefix("boot") }.count == 2)
    try rig.ride(3710...3712)
    #expect(rig.recorder.name.stem == "20260319T120000Z_2")
    #expect(
      directory.rides
        == ["20260319T120000Z-002.nmea", "20260319T120000Z_2-002.nmea", "20260319T120000Z_2.nmea"])
    try rig.recorder.stop(at: .milliseconds(4_000_000))
  }

  @Test(arguments: [false, true])
  func `A ride left under two names by a power cut is joined at the next start`(hasBoth: Bool) throws {
    let directory = TemporaryDirectory()
    var rig = try RecorderRig(in: directory.path, at: 0, uptime: 4000, boot: "22222222", utc: Self.noon)
    for hour in 0..<3 { try rig.ride((hour * 3700)...(hour * 3700 + 5)) }
    try rig.recorder.stop(at: .milliseconds(9_000_000))
    _ = consume rig
    let name = "20260319T120000Z"
    #expect(directory.rides == ["\(name)-002.nmea", "\(name)-003.nmea", "\(name).nmea"])
    let parts = directory.rides.map { directory.read($0) }
    let folder = directory.path
    for part in 2...3 {
      let (new, old) = ("\(folder)/\(name)-00\(part).nmea", "\(folder)/boot-22222222-4000-00\(part).nmea")
      #expect(link(new, old) == 0)
      if part == 3 || !hasBoth { unlink(new) }
    }
    let next = try RecorderRig(
      in: directory.path, at: 40_000, uptime: 40_004_000, boot: "22222222", utc: Self.noon + .seconds(40_000))
    #expect(next.recorder.notices == ["the two parts of the ride \(name) have been joined"])
    #expect(directory.rides.dropLast() == ["\(name)-002.nmea", "\(name)-003.nmea", "\(name).nmea"])
    #expect(directory.rides.dropLast().map { directory.read($0) } == parts)
  }

  @Test(arguments: [(1, 1), (2, 1), (2, 2)])
  func `A first file that has two names is recorded once from the next start on`(parts: Int, renamed: Int) throws {
    let directory = TemporaryDirectory()
    var rig = try RecorderRig(in: directory.path, at: 0, uptime: 4000, boot: "22222222", utc: Self.noon)
    for hour in 0..<parts { try rig.ride((hour * 3700)...(hour * 3700 + 5)) }
    try rig.recorder.stop(at: .milliseconds(9_000_000))
    _ = consume rig
    let rides = directory.rides
    let contents = rides.map { directory.read($0) }
    // The run ended while its file became part 1 or, to continue another ride, part 2.
    let name = "\(directory.path)/20260319T120000Z"
    let old = "\(directory.path)/boot-22222222-4000"
    #expect(link(renamed == 1 ? "\(name).nmea" : "\(name)-002.nmea", "\(old).nmea") == 0)
    if renamed < parts { #expect(rename("\(name)-002.nmea", "\(old)-002.nmea") == 0) }
    let next = try RecorderRig(
      in: directory.path, at: 40_000, uptime: 40_004_000, boot: "22222222", utc: Self.noon + .seconds(40_000))
    #expect(next.recorder.notices == ["the two parts of the ride 20260319T120000Z have been joined"])
    #expect(directory.rides.dropLast() == rides[...])
    #expect(directory.rides.dropLast().map { directory.read($0) } == contents)
  }

  @Test func `Parts of another run stay where they are`() throws {
    let directory = TemporaryDirectory()
    for (index, run) in ["1", "2"].enumerated() {
      var header = RecordingHeader(devices: ["/dev/gps0"], boot: "22222222")
      header.fields.append(.init("run", run))
      directory.write(header.lines, to: ["20260319T120000Z.nmea", "boot-22222222-4000-002.nmea"][index])
    }
    let before = directory.rides
    let rides = try RideDirectory(existing: directory.path)
    #expect(rides.joinPieces(of: try rides.rides()) == [])
    #expect(directory.rides == before)
  }

  /// A ride with fixes at noon, then one without a date under a clock years ahead.
  private static func misdated(in path: String) throws {
    var before = try RecorderRig(in: path, at: 0, utc: noon)
    try before.ride(0...300)
    try before.recorder.stop(at: .milliseconds(400_000))
    _ = consume before
    var ahead = try RecorderRig(
      in: path, at: 400, uptime: 4000, boot: "22222222", utc: noon + .seconds(9 * 365 * 86_400))
    try ahead.read(undated, at: .milliseconds(4100))
    try ahead.recorder.stop(at: .milliseconds(9000))
  }

  @Test(arguments: [nil, 900])
  func `A ride named by a fast clock does not hide the one that continues`(
    clock: Int?
  ) throws {
    let directory = TemporaryDirectory()
    try Self.misdated(in: directory.path)
    #expect(directory.rides == ["20260319T120000Z.nmea", "20350317T120000Z.nmea"])
    var rig = try RecorderRig(
      in: directory.path, at: 900, uptime: 4000, boot: "33333333", utc: clock.map { Self.noon + .seconds($0) })
    try rig.ride(900...910)
    #expect(rig.recorder.name.stem == "20260319T120000Z")
    try rig.recorder.stop(at: .milliseconds(90_000))
  }

  @Test func `A ride named by a fast clock is removed first`() throws {
    let directory = TemporaryDirectory()
    try Self.misdated(in: directory.path)
    let rig = try RecorderRig(
      in: directory.path, at: 90_000, uptime: 4000, boot: "33333333", utc: Self.noon + .seconds(90_000),
      policy: RidePolicy(maximumRides: 2))
    #expect(directory.rides == ["20260319T120000Z.nmea", "20260320T130000Z.nmea"])
    #expect(rig.recorder.notices == [])
  }

  @Test func `A ride in the future with dated fixes is not misdated`() throws {
    let directory = TemporaryDirectory()
    var rig = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try rig.ride(0...10)
    try rig.recorder.stop(at: .milliseconds(400_000))
    _ = consume rig
    let rides = try RideDirectory(existing: directory.path)
    let early = Self.noon + .seconds(-365 * 86_400)
    var all = try rides.rides()
    rides.markMisdated(&all, at: early)
    #expect(all.map(\.isMisdated) == [false])
  }

  @Test func `Dates that jump by centuries leave times out of range unknown`() throws {
    let position = try #require(Coordinate(latitude: 48, longitude: 11))
    func fix(_ year: Int?, at second: Int64, speed: Double = 0) throws -> Fix {
      var fix = Fix(position: position, mode: .threeD, received: MonotonicInstant(nanoseconds: second * 1_000_000_000))
      if let year {
        let date = try #require(CalendarDate(year: year, month: 1, day: 1))
        fix.measured = UTCInstant(nanosecondsSince1970: Int64(date.daysSince1970) * 86_400_000_000_000)
      }
      fix.speed = speed
      return fix
    }
    var sums = RideAccumulator()
    for (index, year) in [1700, 1980, 1700, 1980, 1700, 1980].enumerated() {
      sums.add(try fix(year, at: Int64(index)))
    }
    for second in 6..<12 { sums.add(try fix(nil, at: Int64(second), speed: 10)) }
    #expect(sums.figures.start == nil)
    #expect(sums.figures.duration < 10)

    var late = RideAccumulator()
    for second: Int64 in [-9_000_000_000, 0] { late.add(try fix(nil, at: second)) }
    late.add(try fix(2026, at: 9_000_000_000))
    #expect(late.figures.start == nil)
    #expect(late.figures.fixes == 3)
  }
}
