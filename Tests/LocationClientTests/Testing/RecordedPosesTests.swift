import FoundationEssentials
import LocationClient
import LocationClientTesting
import LocationCore
import Recordings
import Testing

@Suite struct RecordedPosesTests {
  /// Times after the newest fix at which poses are compared.
  private static let offsets: [Duration] = [
    .zero, .milliseconds(30), .milliseconds(170), .milliseconds(700), .seconds(2), .seconds(10),
  ]
  private static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

  private enum Cause: Hashable {
    case fix, loss
  }

  private struct Sample: Hashable {
    var cause: Cause
    var poses: [Pose?]
  }

  /// The poses of the daemon after every fix and loss.
  private func drawnByDaemon(_ path: String) throws -> [Sample] {
    let setup = SourceSetup(id: 0, form: .either)
    var engine = LocationEngine(sources: [setup], at: .zero)
    engine.setMotion(true, at: .zero)
    var sources = RecordedSources(setup)
    var replay = try RecordingReplay(files: [path])
    var events = EngineEvents()
    var hasFix = false
    var samples: [Sample] = []
    func sample(_ engine: borrowing LocationEngine) {
      for entry in events.list {
        switch entry.event {
        case .fix: hasFix = true
        case .fixLost where hasFix: hasFix = false
        default: continue
        }
        let poses = engine.desk.newest.map { newest in
          Self.offsets.map { engine.motion?.pose(at: newest.fix.received + $0) }
        }
        samples.append(Sample(cause: hasFix ? .fix : .loss, poses: poses ?? []))
      }
      events.removeAll()
    }
    while let item = try replay.next() {
      while let due = engine.deadline, due <= item.input.instant {
        engine.advance(to: due, into: &events)
        sample(engine)
      }
      try engine.replay(item.input, of: &sources, into: &events)
      sample(engine)
    }
    return samples
  }

  private func drawnFromRecording(_ path: String) async throws -> [Sample] {
    let updates = try LocationUpdates.recording(path)
    var samples: [Sample] = []
    var newest: Position?
    var phase: StateReport.Phase?
    for await update in updates {
      let cause: Cause
      switch update {
      case .position(let position): (newest, cause) = (position, .fix)
      // Only the transition: while it is lost, more is reported of why.
      case .state(let state):
        guard state.phase != phase else { continue }
        phase = state.phase
        guard phase == .lost else { continue }
        cause = .loss
      default: continue
      }
      let poses = newest.map { newest in Self.offsets.map { updates.pose(at: newest.received + $0) } }
      samples.append(Sample(cause: cause, poses: poses ?? []))
    }
    return samples
  }

  private func compare(_ path: String, hasLosses: Bool) async throws {
    let expected = try drawnByDaemon(path)
    let drawn = try await drawnFromRecording(path)
    #expect(expected.contains { $0.cause == .loss } == hasLosses)
    #expect(drawn.map(\.cause) == expected.map(\.cause))
    let different = zip(drawn, expected).enumerated().filter { $1.0 != $1.1 }
    #expect(different.isEmpty, "\(different.count) of \(drawn.count), first \(String(describing: different.first))")
  }

  @Test(arguments: ["tunnel", "city"]) func `A recording has the daemon's poses`(name: String) async throws {
    try await compare(Self.root + "/recordings/\(name).nmea", hasLosses: name == "tunnel")
  }

  @Test func `A recording without dates has the daemon's poses`() async throws {
    let ride = try String(contentsOfFile: Self.root + "/recordings/tunnel.nmea", encoding: .utf8)
    let undated = ride.split(whereSeparator: \.isNewline).filter { !$0.contains("RMC,") && !$0.contains("ZDA,") }
    let folder = FileManager.default.temporaryDirectory
    let path = folder.appending(path: "undated-\(UInt64.random(in: 0 ... .max)).nmea").path
    try (undated.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await compare(path, hasLosses: true)
  }
}
