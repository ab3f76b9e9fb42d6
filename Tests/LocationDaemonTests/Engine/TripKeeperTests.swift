import Libc
import LocationCore
import Logging
import Recordings
import Testing

@testable import LocationDaemon

/// A daemon's engine, recorder and trips without its loop: bytes in, a ride and trips out.
private final class RecordedRun {
  private static let client = ClientID(1)
  private var engine: LocationEngine
  private var recorder: RideRecorder?
  private let keeper: TripKeeper
  private let state: StateDirectory
  private let rides: String
  private var events = EngineEvents()

  init(in directory: ScratchDirectory, at instant: MonotonicInstant, isRecorded: Bool = true) throws {
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    engine = LocationEngine(sources: [SourceSetup(id: 0, form: .either)], at: instant)
    state = StateDirectory(path: directory / "state", log: log)
    keeper = TripKeeper(in: state)
    rides = directory / "rides"
    let boot = BootID.current
    engine.desk.trips = keeper.restored(recordings: rides, splitStop: 1200)
    if isRecorded {
      recorder = try RideRecorder(
        in: rides, header: RecordingHeader(devices: ["/dev/gps0"], boot: boot), boot: boot, at: instant, utc: nil)
    }
    engine.connect(Self.client, of: .process(1, user: 1000))
    try engine.handle(.trip(TripRequest(name: "day")), from: Self.client, at: instant, into: &events)
    try publish()
  }

  var trip: TripStatus? { engine.desk.trips.statuses.first }

  func take(_ bytes: [UInt8], at instant: MonotonicInstant) throws {
    try recorder?.read(bytes, from: 0, at: instant, utc: nil)
    bytes.withUnsafeBytes { engine.receive(.bytes($0), from: 0, at: instant, into: &events) }
    try publish()
  }

  private func publish() throws {
    for entry in events.list {
      if case .fix(let fix, _, _) = entry.event {
        try recorder?.published(fix, at: entry.instant)
      }
      keeper.observe(entry.event, at: entry.instant, in: engine)
    }
    events.removeAll()
    while recorder?.hasWork == true { recorder?.work() }
  }

  func end(at instant: MonotonicInstant) throws {
    engine.receive(.finishEpoch, from: 0, at: instant, into: &events)
    try publish()
    try recorder?.stop(at: instant)
    keeper.write(engine.desk.trips, at: instant)
    state.stop()
  }

  /// Ends as a killed process does: with what has been written so far.
  func kill() throws {
    recorder = nil
    state.stop()
    // A child that another test is starting has the file and its lock until it executes its program.
    _ = try until("the release of the ride") {
      Directory.names(in: rides).contains { RecordingFile.isBeingWritten("\(rides)/\($0)") } ? nil : true
    }
  }
}

@Suite("Trips over restarts", .timeLimit(.minutes(5)))
struct TripKeeperTests {
  private static func bursts(of name: String) throws -> [(bytes: [UInt8], instant: MonotonicInstant)] {
    let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    var replay = try RecordingReplay(files: ["\(root)/recordings/\(name).nmea"])
    var bursts: [(bytes: [UInt8], instant: MonotonicInstant)] = []
    while let item = try replay.next() {
      if case .bytes(let bytes) = item.input.content { bursts.append((bytes, item.input.instant)) }
    }
    return bursts
  }

  @Test(
    arguments: ["city", "motorway", "mountain", "tunnel"],
    [[], [0.01, 0.02], [0, 0, 0.3, 0.3, 0.3, 0.31, 0.7], [0.99]])
  func `A trip has exactly the figures of its ride, however often the daemon is killed`(
    name: String, kills: [Double]
  ) throws {
    let directory = try ScratchDirectory()
    let bursts = try Self.bursts(of: name)
    var run = try RecordedRun(in: directory, at: .zero)
    var kills = kills.map { Int($0 * Double(bursts.count)) }[...]
    for (index, burst) in bursts.enumerated() {
      while index == kills.first {
        kills.removeFirst()
        try run.kill()
        run = try RecordedRun(in: directory, at: burst.instant)
      }
      try run.take(burst.bytes, at: burst.instant)
    }
    try run.end(at: bursts[bursts.count - 1].instant)
    let rides = try RideDirectory(existing: directory / "rides")
    let ride = try #require(try rides.rides().first)
    #expect(try rides.rides().count == 1)
    let figures = try rides.summary(of: ride).figures
    #expect(figures.distance > 500)
    #expect(run.trip?.figures == figures)
    run = try RecordedRun(in: directory, at: bursts[bursts.count - 1].instant)
    #expect(run.trip?.figures == figures)
    #expect(run.trip?.state == .lost)
    try run.kill()
  }

  @Test func `Without a recording the fixes of the last 10 s at most are lost`() throws {
    let directory = try ScratchDirectory()
    let bursts = try Self.bursts(of: "motorway").prefix(2000)
    var run = try RecordedRun(in: directory, at: .zero, isRecorded: false)
    for burst in bursts { try run.take(burst.bytes, at: burst.instant) }
    let before = try #require(run.trip).figures
    try run.kill()
    run = try RecordedRun(in: directory, at: bursts[0].instant, isRecorded: false)
    let after = try #require(run.trip).figures
    #expect(after.duration <= before.duration && before.duration - after.duration <= 11)
    try run.kill()
  }
}
