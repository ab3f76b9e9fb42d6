import LocationCore
import Testing

@testable import Recordings
@testable import RideTools

/// The events read from these files of one directory.
func moments(of files: [String], in directory: borrowing TemporaryDirectory) throws -> [RideMoment] {
  let folder = directory.path
  var reader = try RideReader(files: files.map { folder + "/" + $0 })
  var moments: [RideMoment] = []
  while try reader.advance() { moments += reader.moments }
  return moments
}

extension SimulatedRide {
  /// Its recording, as the simulator writes it, and every epoch with its truth, received or not.
  var recording: (bytes: [UInt8], epochs: [SimulatedEpoch]) {
    var writer = SimulatedWriter(of: self)
    var (bytes, epochs) = ([UInt8](), [SimulatedEpoch]())
    while let epoch = writer.next(into: &bytes) { epochs.append(epoch) }
    return (bytes, epochs)
  }
}

extension [RideMoment] {
  var fixes: [TrackFix] { compactMap { if case .fix(let fix) = $0 { fix } else { nil } } }
  var losses: Int { count { if case .lost = $0 { true } else { false } } }
  var interruptions: Int { count { if case .interrupted = $0 { true } else { false } } }
}

struct RideReaderTests {
  @Test(arguments: BundledRide.allCases)
  func `Each fix of a simulated receiver is read once, in order and at its position`(
    ride: BundledRide
  ) throws {
    let recording = try #require(ride.ride(seed: ride.defaultSeed)).recording
    let directory = TemporaryDirectory()
    directory.write(recording.bytes, to: "ride.nmea")
    let fixes = try moments(of: ["ride.nmea"], in: directory).fixes
    var truth: [UTCInstant: Coordinate] = [:]
    for epoch in recording.epochs { if let place = epoch.reported { truth[epoch.measured] = place } }
    #expect(fixes.count > recording.epochs.count / 2)
    #expect(fixes.count <= truth.count)
    #expect(fixes.map(\.seq) == (1...UInt64(fixes.count)).map { $0 })
    #expect(fixes.first?.beginsSegment == true)
    for (fix, next) in zip(fixes, fixes.dropFirst()) { #expect(fix.fix.received <= next.fix.received) }
    for fix in fixes {
      let place = try #require(fix.fix.measured.flatMap { truth[$0] })
      #expect(fix.fix.position.distance(to: place) < 0.2)
    }
  }

  @Test func `A stop that a wheel shows between two fixes is in the ride, with the next fix`() throws {
    var options = try SimulationOptions(named: "tour")
    for (key, text) in [(SimulationKey.seed, "4"), (.length, "12000"), (.lights, "300"), (.wheel, "2.1")] {
      try options.set(key, to: text)
    }
    let ride = try options.ride()
    let directory = TemporaryDirectory()
    directory.write(ride.recording.bytes, to: "ride.nmea")
    let fixes = try moments(of: ["ride.nmea"], in: directory).fixes
    let stops = ride.motion.truth.stops.count
    #expect(stops > 8)
    for change in [FixChanges.stopped, .started] {
      let told = fixes.count { $0.changes.contains(change) }
      #expect(abs(told - stops) <= 1, "\(told) of \(stops)")
    }
  }

  @Test func `A loss is reported at its deadline and starts a segment`() throws {
    let recording = try #require(BundledRide.tunnel.ride(seed: 5)).recording
    let directory = TemporaryDirectory()
    directory.write(recording.bytes, to: "ride.nmea")
    let all = try moments(of: ["ride.nmea"], in: directory)
    #expect(all.losses == 2)
    #expect(all.fixes.filter(\.beginsSegment).count == 3)
  }

  @Test func `Rotated files are read as one, wherever they are split`() throws {
    let recording = try #require(BundledRide.mountain.ride(seed: 3)).recording
    let lines = recording.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let stamps = lines.indices.filter { lines[$0].starts(with: "# t=".utf8) }
    let header = lines[..<stamps[0]].joined(separator: [UInt8(ascii: "\n")])
    let directory = TemporaryDirectory()
    directory.write(recording.bytes, to: "whole.nmea")
    let whole = try moments(of: ["whole.nmea"], in: directory)
    for cut in [stamps[1], stamps[stamps.count / 2], stamps[stamps.count - 1]] {
      directory.write(Array(lines[..<cut].joined(separator: [UInt8(ascii: "\n")])) + [10], to: "a.nmea")
      directory.write(
        Array(header) + [10] + Array(lines[cut...].joined(separator: [UInt8(ascii: "\n")])), to: "b.nmea")
      // The simulator's header has no boot, so a rotation looks like a gap with an unknown track.
      let cutFixes = try moments(of: ["a.nmea", "b.nmea"], in: directory).fixes
      #expect(cutFixes.count == whole.fixes.count)
      #expect(cutFixes.map(\.fix.position) == whole.fixes.map(\.fix.position))
    }
  }

  @Test func `A restarted recorder starts a segment and numbers its fixes from 1`() throws {
    let directory = TemporaryDirectory()
    for (file, second) in [("a.nmea", 10), ("b.nmea", 40)] {
      var bytes = RecordingHeader(fields: [.init("boot", "b"), .init("run", file)]).lines
      var writer = RecordingWriter()
      for number in 0..<5 {
        let time = Int64(second + number)
        writer.burst(
          epochText(at: second + number), from: 0, at: .milliseconds(time * 1000), utc: nil, into: &bytes)
      }
      writer.finish(into: &bytes)
      directory.write(bytes, to: file)
    }
    let all = try moments(of: ["a.nmea", "b.nmea"], in: directory)
    #expect(all.interruptions == 1)
    #expect(all.fixes.map(\.seq) == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
    #expect(all.fixes.filter(\.beginsSegment).map(\.seq) == [1, 1])
    #expect(all.fixes.last.map { $0.fix.received } == .milliseconds(34_000))
  }

  @Test func `Recorded views disengage and re-engage as they did for the daemon`() throws {
    let recording = try #require(BundledRide.motorway.ride(seed: BundledRide.motorway.defaultSeed)).recording
    let directory = TemporaryDirectory()
    directory.write(recording.bytes, to: "ride.nmea")
    let states = try moments(of: ["ride.nmea"], in: directory).compactMap { moment -> FollowState? in
      if case .follow(let state, _) = moment { state } else { nil }
    }
    #expect(states.map(\.following) == [false, true, false, true, false, true])
    #expect(states.map(\.reason) == [.drift, .requested, .requested, .requested, .drift, .requested])
  }

  @Test(arguments: [nil, 2.1])
  func `A wheel has the circumference that was known when its run began`(circumference: Double?) throws {
    var header = RecordingHeader(devices: ["/dev/gps0"])
    header.wheels = KnownWheels(given: circumference)
    var bytes = header.lines
    var writer = RecordingWriter()
    for second in 0..<10 {
      let instant = MonotonicInstant.milliseconds(Int64(second) * 1000)
      let reading = #"{"request":"SENSOR","sensor":"wheel","count":\#(5 * second),"time":\#(1024 * second)}"#
      let stamp = RecordingStamp(instant: instant, utc: nil, source: nil)
      writer.event(RecordedEvent(stamp: stamp, json: Array(reading.utf8)), into: &bytes)
      let epoch = epochText(at: second, north: 10.29 * Double(second), knots: "20.0")
      writer.burst(epoch, from: 0, at: instant, utc: nil, into: &bytes)
    }
    writer.finish(into: &bytes)
    let directory = TemporaryDirectory()
    directory.write(bytes, to: "ride.nmea")
    let speed = try moments(of: ["ride.nmea"], in: directory).fixes.last?.sensed.fused.wheelSpeed
    #expect(speed.map { abs($0 - 10.5) < 0.5 } == circumference.map { _ in true })
  }

  @Test func `A lap of a trip is reported, also of one that an earlier ride began`() throws {
    let directory = TemporaryDirectory()
    let bytes = recording(of: (0..<4).map { epochText(at: $0) }, every: 1000)
    let events = [#"{"request":"TRIP","name":"day","lap":true}"#, #"{"request":"TRIP","name":"day"}"#]
    directory.write(bytes + events.flatMap { Array("# t=4500\n# e \($0)\n".utf8) }, to: "ride.nmea")
    let laps = try moments(of: ["ride.nmea"], in: directory).compactMap { moment -> LapTrigger? in
      if case .lap(let trigger, _) = moment { trigger } else { nil }
    }
    #expect(laps == [.request])
  }
}

/// RMC and GGA of a second after 12:00 UTC on 2026-03-19, somewhere near Munich.
func epochText(at second: Int, north: Double = 0, knots: String = "0.0") -> [UInt8] {
  let clock = 12 * 3600 + second
  var time: [UInt8] = []
  time.append(digits: UInt64(clock / 3600 % 24 * 10_000 + clock / 60 % 60 * 100 + clock % 60), width: 6)
  var minutes: [UInt8] = []
  minutes.append(digits: UInt64(7_038_000 + Int((north / 1852 * 1_000_000).rounded())), width: 7)
  let place =
    "48" + String(decoding: minutes.dropLast(6), as: UTF8.self).leftPadded + "."
    + String(decoding: minutes.suffix(6), as: UTF8.self) + ",N,01131.000000,E"
  let stamp = String(decoding: time, as: UTF8.self) + ".00"
  return sentence("GNRMC,\(stamp),A,\(place),\(knots),0.0,190326,,,A,V")
    + sentence("GNGGA,\(stamp),\(place),1,12,0.84,545.4,M,46.9,M,,")
}

extension String {
  fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}

func sentence(_ body: String) -> [UInt8] {
  var line = Array("$\(body)*".utf8)
  line += Hexadecimal.text([body.utf8.reduce(0, ^)]).uppercased().utf8
  return line + [13, 10]
}
