import LocationCore
import Testing

@testable import Recordings
@testable import RideTools

/// Limits and names of rides.
struct RideContinuityTests {
  /// GPS second 0 of `epochText`.
  private static let noon = UTCInstant(nanosecondsSince1970: 1_773_921_600_000_000_000)

  @Test func `After a restart within the stop the ride continues, later another one begins`() throws {
    let directory = TemporaryDirectory()
    for (start, uptime) in [(0, Int64(60_000)), (700, 760_000), (2600, 2_660_000)] {
      var rig = try RecorderRig(in: directory.path, at: start, uptime: uptime, utc: Self.noon + .seconds(start))
      try rig.ride(start...(start + 100))
      try rig.recorder.stop(at: .milliseconds(uptime + 101_000))
    }
    #expect(
      directory.rides
        == ["20260319T120000Z-002.nmea", "20260319T120000Z.nmea", "20260319T124320Z.nmea"])
  }

  @Test(arguments: [1, 0, -20_000])
  func `A power cut at a petrol station does not split the ride, whatever the clock`(
    clock years: Int
  ) throws {
    let directory = TemporaryDirectory()
    var before = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try before.ride(0...300)
    // No stop: the power is gone.
    _ = consume before
    // After a reboot the system clock may show any time.
    let clock = years == 1 ? nil : Self.noon + .seconds(years * 3600)
    var after = try RecorderRig(in: directory.path, at: 900, uptime: 4000, boot: "22222222", utc: clock)
    try after.ride(900...1000, from: 3120)
    #expect(after.recorder.name.stem == "20260319T120000Z")
    #expect(directory.rides == ["20260319T120000Z-002.nmea", "20260319T120000Z.nmea"])
    let figures = after.recorder.figures
    #expect(abs(figures.distance - 400 * 20 * 1852 / 3600) < 40, "\(figures.distance)")
    #expect(figures.gaps == 1)
    #expect(figures.duration == 1000)
    try after.recorder.stop(at: .milliseconds(200_000))
    let rides = try RideDirectory(existing: directory.path)
    let ride = try #require(try rides.rides().first)
    #expect(try rides.summary(of: ride).figures == figures)
  }

  @Test(arguments: [900, 40_000])
  func `After a restart before the first date, the files still join their ride`(second: Int) throws {
    let directory = TemporaryDirectory()
    var before = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try before.ride(0...300)
    _ = consume before
    // After a reboot without a clock and without a date from the receiver, the daemon restarts.
    var undated = try RecorderRig(in: directory.path, at: second, uptime: 4000, boot: "22222222")
    let place = "4842.228000,N,01131.000000,E,1,12,0.84,545.4,M,46.9,M,,"
    for step in 0..<5 { try undated.read(sentence("GNGGA,,\(place)"), at: .milliseconds(4100 + Int64(step) * 1000)) }
    try undated.recorder.stop(at: .milliseconds(9000))
    _ = consume undated
    #expect(directory.rides.contains("boot-22222222-4000.nmea"), "\(directory.rides)")

    var after = try RecorderRig(in: directory.path, at: second + 10, uptime: 14_000, boot: "22222222")
    try after.ride((second + 10)...(second + 60), from: 3120)
    let name = second == 900 ? "20260319T120000Z" : "20260319T230640Z"
    #expect(after.recorder.name.stem == name)
    #expect(
      directory.rides
        == (second == 900
          ? ["\(name)-002.nmea", "\(name)-003.nmea", "\(name).nmea"]
          : ["20260319T120000Z.nmea", "\(name)-002.nmea", "\(name).nmea"]))
    try after.recorder.stop(at: .milliseconds(100_000))
  }

  @Test func `After a night without power it is another ride, named by its fixes`() throws {
    let directory = TemporaryDirectory()
    var before = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try before.ride(0...300)
    _ = consume before
    var after = try RecorderRig(in: directory.path, at: 40_000, uptime: 4000, boot: "22222222")
    #expect(after.recorder.name.stem == "boot-22222222-4000")
    try after.ride(40_010...40_100)
    #expect(after.recorder.name.stem == "20260319T230640Z")
    #expect(
      directory.rides == ["20260319T120000Z.nmea", "20260319T230640Z.nmea"])
    #expect(after.recorder.path.hasSuffix("20260319T230640Z.nmea"))
  }

  @Test func `Setting the clock during a ride changes neither the ride nor its times`() throws {
    let directory = TemporaryDirectory()
    var rig = try RecorderRig(
      in: directory.path, at: 0, utc: UTCInstant(nanosecondsSince1970: 1_770_000_000_000_000_000))
    #expect(rig.recorder.name.start != nil)
    for second in 0...300 {
      let clock =
        second < 100 ? Self.noon + .seconds(-86_400) : Self.noon + .seconds(second < 200 ? 1_000_000 : -100_000_000)
      try rig.read(
        epochText(at: second, north: 10 * Double(second), knots: "19.438"),
        at: .milliseconds(60_100 + Int64(second) * 1000), utc: clock)
    }
    #expect(rig.recorder.name.stem == "20260319T120000Z")
    let figures = rig.recorder.figures
    #expect(figures.duration == 300)
    #expect(figures.gaps == 0)
    #expect(abs(figures.distance - 3000) < 1)
    try rig.recorder.stop(at: .milliseconds(400_000))
    #expect(directory.files.count == 1)
  }

  @Test func `The index of a ride that a power cut has damaged says so`() throws {
    let directory = TemporaryDirectory()
    var before = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try before.ride(0...300)
    _ = consume before
    let file = "20260319T120000Z.nmea"
    directory.write(Array(directory.read(file).dropLast(5)), to: file)
    var after = try RecorderRig(in: directory.path, at: 900, uptime: 4000, boot: "22222222")
    try after.ride(900...1000, from: 3120)
    // A stop that ends the ride.
    try after.ride(1001...2300, from: 4150, knots: 0)
    try after.ride(2301...2310, from: 4150, knots: 30)
    let rides = try RideDirectory(existing: directory.path)
    let ride = try #require(try rides.ridesInOrder().first)
    #expect(ride.parts == [1, 2] && rides.indexedSummary(of: ride)?.damages == 1)
  }

  @Test func `A long stop separates two rides, and each file has the live figures`() throws {
    let directory = TemporaryDirectory()
    var rig = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try rig.ride(0...300)
    try rig.ride(301...1600, from: 3087, knots: 0)
    let first = rig.recorder.figures
    #expect(first.duration < 310)
    try rig.ride(1601...1900, from: 3087, knots: 30)
    let second = rig.recorder.figures
    #expect(rig.recorder.name.stem == "20260319T122641Z")
    #expect(abs(second.distance - 298 * 30 * 1852 / 3600) < 1, "\(second.distance)")
    try rig.recorder.stop(at: .milliseconds(3_000_000))
    let rides = try RideDirectory(existing: directory.path)
    let summaries = try rides.ridesInOrder().map { ride in
      var reader = try RideSummaryReader(ride, in: rides, splitStop: 1200)
      _ = try reader.advance(reading: .max)
      return reader.summary
    }
    #expect(summaries.count == 2)
    #expect(abs(summaries[0].figures.distance - first.distance) < 0.01)
    #expect(abs(summaries[0].figures.duration - first.duration) < 0.01)
    #expect(summaries[1].figures == second)
    // The index of the first ride matches its file.
    #expect(try rides.summary(of: rides.ridesInOrder()[0]).figures == summaries[0].figures)
  }

  @Test(arguments: BundledRide.allCases)
  func `The figures of a ride are the same live and from the file`(
    ride: BundledRide
  ) throws {
    let recording = try #require(ride.ride(seed: ride.defaultSeed)).recording
    let directory = TemporaryDirectory()
    var rig = try RecorderRig(in: directory.path, at: 0, uptime: 1000, utc: nil)
    for item in items(of: recording.bytes) {
      guard case .burst(let burst) = item, let stamp = burst.stamp else { continue }
      try rig.read(burst.bytes, at: stamp.instant, utc: stamp.utc)
    }
    let live = rig.recorder.figures
    try rig.recorder.stop(at: .milliseconds(10_000_000))
    let rides = try RideDirectory(existing: directory.path)
    let summary = try rides.summary(of: try #require(try rides.rides().first))
    // The end of the file closes the last epoch.
    #expect(summary.figures.fixes - live.fixes <= 1)
    #expect(abs(summary.figures.distance - live.distance) <= 40 * (summary.figures.fixes == live.fixes ? 0 : 1))
    #expect(abs(summary.figures.movingTime - live.movingTime) <= (summary.figures.fixes == live.fixes ? 0 : 2))
    #expect(summary.figures.start == live.start)
    #expect(summary.figures.gaps == live.gaps)
    #expect(live.distance > 1000)
  }

  @Test func `A run without bytes leaves no file`() throws {
    let directory = TemporaryDirectory()
    var rig = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    #expect(directory.files.count == 1)
    try rig.recorder.stop(at: .milliseconds(100_000))
    #expect(directory.files == [])
  }

  @Test(arguments: ["11111111", "22222222"])
  func `A run that is killed before it records anything leaves no ride, and hides none`(boot: String) throws {
    let directory = TemporaryDirectory()
    var before = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try before.ride(0...10)
    _ = consume before
    // As it is created, before its run knows which ride continues.
    let header = RecordingHeader(devices: ["/dev/gps0"], boot: boot)
    for name in ["20260319T120012Z", "boot-\(boot)-72000"] { directory.write(header.lines, to: "\(name).nmea") }
    directory.write([], to: "20260319T120012Z_2.nmea")
    let other = header.lines + Array("# note\n".utf8)
    directory.write(other, to: "20260318T120000Z.nmea")
    var after = try RecorderRig(in: directory.path, at: 20, uptime: 80_000, utc: Self.noon + .seconds(20))
    try after.ride(20...30, from: 200)
    #expect(
      directory.rides == ["20260318T120000Z.nmea", "20260319T120000Z-002.nmea", "20260319T120000Z.nmea"])
    try after.recorder.stop(at: .milliseconds(99_000))
  }

  @Test func `A ride of another recorder is neither continued nor removed`() throws {
    let directory = TemporaryDirectory()
    let policy = RidePolicy(maximumRides: 1)
    var other = try RecorderRig(in: directory.path, at: 0, utc: Self.noon, policy: policy)
    try other.ride(0...10)
    var own = try RecorderRig(in: directory.path, at: 20, uptime: 80_000, utc: Self.noon + .seconds(20), policy: policy)
    try own.ride(20...30)
    let rides = try RideDirectory(existing: directory.path)
    #expect(try rides.rides().count == 2)
    #expect(try rides.rides().allSatisfy { rides.isInProgress($0) })
    try other.recorder.stop(at: .milliseconds(99_000))
    _ = consume other
    #expect(try rides.rides().count { rides.isInProgress($0) } == 1)
    // Later removals treat it like any other ride.
    try own.recorder.stop(at: .milliseconds(99_000))
    _ = consume own
    let next = try RecorderRig(
      in: directory.path, at: 9000, uptime: 9_060_000, utc: Self.noon + .seconds(9000), policy: policy)
    #expect(try rides.rides().map(\.name) == [next.recorder.name])
  }

  @Test func `An outdated index is written again`() throws {
    let directory = TemporaryDirectory()
    var rig = try RecorderRig(in: directory.path, at: 0, utc: Self.noon)
    try rig.ride(0...100)
    try rig.recorder.stop(at: .milliseconds(200_000))
    _ = consume rig
    let rides = try RideDirectory(existing: directory.path)
    let ride = try #require(try rides.rides().first)
    let summary = try rides.summary(of: ride)
    #expect(directory.files == ["20260319T120000Z.figures", "20260319T120000Z.nmea"])
    let index = directory.read("20260319T120000Z.figures")
    #expect(RideIndex(bytes: index)?.summary == summary)
    #expect(try rides.summary(of: ride) == summary)
    var changed = index
    changed[100] ^= 1
    for bytes in [changed, Array(index.dropLast(1)), Array(index.dropFirst(30)), []] {
      #expect(RideIndex(bytes: bytes) == nil)
      directory.write(bytes, to: "20260319T120000Z.figures")
      #expect(try rides.summary(of: ride) == summary)
    }
    directory.write(Array(directory.read("20260319T120000Z.nmea").dropLast(3000)), to: "20260319T120000Z.nmea")
    #expect(try rides.summary(of: ride).figures.fixes < summary.figures.fixes)
    try rides.remove(ride)
    #expect(directory.files == [])
  }

  /// `nmea` is short, as each length is a separate ride.
  @Test func `Every whole epoch of a truncated file is read`() throws {
    let whole = recording(of: (0..<14).map { epochText(at: $0, north: 10 * Double($0), knots: "20.0") }, every: 1000)
    var ends: [Int] = []
    for (index, byte) in whole.enumerated() where byte == UInt8(ascii: "\n") {
      if whole[..<index].suffix(80).contains(UInt8(ascii: "$")),
        String(decoding: whole[..<index].suffix(75), as: UTF8.self).contains("GGA")
      {
        ends.append(index + 1)
      }
    }
    #expect(ends.count == 14)
    let directory = TemporaryDirectory()
    for tail in [0, 4096] {
      // Every length within the last two epochs, and every seventh before them.
      for length in max(0, whole.count - 4096)...whole.count
      where length % 7 == 0 || tail == 0 && whole.count - length < 1024 {
        directory.write(whole[..<length] + [UInt8](repeating: 0, count: tail), to: "cut.nmea")
        let fixes = try moments(of: ["cut.nmea"], in: directory).fixes
        #expect(fixes.count >= ends.count { $0 <= length }, "cut at \(length)")
        #expect(fixes.count <= ends.count { $0 <= length } + 1, "cut at \(length)")
      }
    }
  }
}
