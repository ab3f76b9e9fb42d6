@testable import GPSDProtocol
import Glibc
import Libc
import LocationCore
import Logging
import Recordings
import TestRides
import Testing

@testable import LocationDaemon

/// What clients have set and the daemon keeps: after any sequence of requests, and however the daemon ends, the next one
/// has it. 10,000 sequences with HANDLEBAR_LONG=1.
@Suite("What is kept", .timeLimit(.minutes(10)))
struct KeptStateTests {
  private enum End: CaseIterable {
    case stopped
    /// A second after the last change.
    case killed
    /// The disk was full while the last changes were made.
    case stoppedWithRoomAgain
  }

  /// A run of a daemon on a state directory.
  private struct Run {
    let daemon: VirtualDaemon
    let state: StateDirectory
    let courses: CourseKeeper
    let trips: TripKeeper

    init(in path: String) throws {
      daemon = try VirtualDaemon()
      state = StateDirectory(
        path: path, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, retry: .seconds(600))
      let targets = TargetKeeper(state)
      (courses, trips) = (CourseKeeper(state), TripKeeper(in: state))
      let rides = RideObserver(daemon.sources)
      daemon.engineLoop.engine.desk.trips = trips.restored(recordings: nil, splitStop: 1200)
      daemon.engineLoop.observers += [targets, courses, trips]
      targets.restore(into: daemon.engineLoop, recording: rides)
      courses.restore(into: daemon.engineLoop, recording: rides)
      daemon.open()
    }

    var kept: Kept { Kept(daemon.engineLoop) }

    func end(_ end: End) {
      if end == .killed {
        daemon.advance(1.01)
      } else {
        courses.finish(daemon.engineLoop.engine.desk.courses)
        trips.write(daemon.engineLoop.engine.desk.trips, at: daemon.now)
      }
      state.stop()
    }
  }

  private struct Kept: Equatable {
    struct Course: Equatable {
      let name: String
      let line: String
      let cues: [CourseCue]

      static func == (one: Self, other: Self) -> Bool {
        // Of a leg that was divided, the parts are written with six decimals, and the line may be longer by that.
        one.name == other.name && one.line == other.line && one.cues.count == other.cues.count
          && zip(one.cues, other.cues).allSatisfy {
            $0.text == $1.text && $0.kind == $1.kind && abs($0.along - $1.along) < 0.2
          }
      }
    }

    let courses: [Course]
    let targets: [PersistentTarget]
    let trips: [String]

    init(_ loop: EngineLoop) {
      courses = loop.engine.desk.courses.persistent.map { course in
        let texts = Polyline.texts(of: course.points)
        return Course(name: course.name, line: "\(texts.0) \(texts.1 ?? "")", cues: course.cues)
      }
      targets = loop.engine.desk.targets.persistent
      trips = loop.engine.desk.trips.statuses.map(\.name)
    }
  }

  private var count: Int { getenv("HANDLEBAR_LONG") == nil ? 300 : 10_000 }

  @Test func `Any sequence of requests is kept over restarts, kills and full disks`() throws {
    for seed in 0..<count {
      var random = SeededGenerator(seed: UInt64(seed))
      let scratch = try ScratchDirectory(below: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
      var expected: Kept?
      for _ in 0..<Int.random(in: 2...4, using: &random) {
        let run = try Run(in: scratch / "state")
        if let expected, run.kept != expected {
          Issue.record("sequence \(seed): \(expected) became \(run.kept)")
          return
        }
        let end = try #require(End.allCases.randomElement(using: &random))
        let client = run.daemon.connect()
        let change = Int.random(in: 0...8, using: &random)
        for number in 0..<10 {
          if end == .stoppedWithRoomAgain, number == change { rename(scratch / "state", scratch / "away") }
          var line = JSONLine(capacity: 4096)
          Self.request(&random).write(into: &line)
          try client.send(String(decoding: line.bytes, as: UTF8.self))
          run.daemon.advance(Double.random(in: 0...0.7, using: &random))
        }
        _ = try client.take()
        client.close()
        if end == .stoppedWithRoomAgain {
          // What could not be written has failed by now, or will be written.
          rename(scratch / "away", scratch / "state")
        }
        expected = run.kept
        run.end(end)
      }
      let names = Directory.names(in: scratch / "state")
      // A draft can have lost its directory while it was written; the next start removes it.
      let aside = names.filter { !["courses", "progress", "targets", "trips"].contains($0) && !$0.hasPrefix(".") }
      #expect(aside.isEmpty, "sequence \(seed): \(aside) were set aside")
      for name in names { unlink(scratch / "state/\(name)") }
      rmdir(scratch / "state")
    }
  }

  private static func request(_ random: inout SeededGenerator) -> Request {
    let name = ["a", "b", "\u{e9}\"\n", String(repeating: "x", count: 64)].randomElement(using: &random) ?? ""
    let isPersistent = Int.random(in: 0...3, using: &random) > 0
    switch Int.random(in: 0...11, using: &random) {
    case 0...2:
      return .engine(
        .course(
          CourseRequest(name: name, change: .set(points(&random, from: 0), isPersistent: isPersistent))))
    case 3: return .engine(.course(CourseRequest(name: name, change: .append(points(&random, from: 7)))))
    case 4...6:
      let metres = Double.random(in: 0...2300, using: &random)
      let along: Double = [0, metres, metres, 2223.9].randomElement(using: &random) ?? 0
      let place = place(north: metres, east: Double.random(in: -50...50, using: &random))
      let text = String(repeating: "\u{e9}\"\u{1}", count: Int.random(in: 1...40, using: &random))
      return .engine(
        .cue(
          CueRequest(
            course: name,
            cue: CueChange(text, kind: isPersistent ? "left" : nil, at: isPersistent ? .along(along) : .near(place)))))
    case 7: return .engine(.course(CourseRequest(name: name, change: isPersistent ? .follow : .end)))
    case 8:
      return .engine(
        .setTarget(
          TargetRequest(
            name: name, position: place(north: Double.random(in: 0...1e5, using: &random), east: 0),
            radius: Double.random(in: 1...10_000, using: &random), isPersistent: isPersistent)))
    case 9: return .engine(.removeTarget(name: name))
    default:
      let change = [TripChange.start, .start, .lap, .end].randomElement(using: &random)
      return .engine(.trip(TripRequest(name: name, change: change ?? .start)))
    }
  }

  private static func points(_ random: inout SeededGenerator, from first: Int) -> [CoursePoint] {
    let isLong = Int.random(in: 0...19, using: &random) == 0
    let hasHeights = Bool.random(using: &random)
    return (0...6).map { number in
      let north = Double(first + number) * (isLong ? 20_000 : 317.7)
      return CoursePoint(
        place(north: north, east: Double.random(in: 0...20, using: &random)),
        elevation: hasHeights ? Double.random(in: -100...3000, using: &random) : nil)
    }
  }

  private static func place(north: Double, east: Double) -> Coordinate {
    Coordinate(latitude: 48 + north / 111_195, longitude: 11.5 + east / 74_000) ?? .origin
  }
}
