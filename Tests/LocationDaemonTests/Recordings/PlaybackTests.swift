import GPSDProtocol
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Playback of a recording")
struct PlaybackTests {
  /// A daemon that plays a log of 20 s, and its subscriber.
  private final class Rig {
    let directory: ScratchDirectory
    let daemon: VirtualDaemon
    let source: RecordingSource
    let client: VirtualClient

    init(speed: PlaybackSpeed, isValid: Bool = true, isBesideSensors: Bool = false) throws {
      directory = try ScratchDirectory()
      let epochs = (0..<20).map { NMEAEpoch(number: $0, north: 10 * Double($0), isValid: isValid) }
      try directory.write(epochs.map(\.text).joined(), to: "ride.nmea")
      let options = RecordingOptions(
        paths: [directory / "ride.nmea"], speed: speed, start: speed == .max ? .watch : .now)
      daemon = try VirtualDaemon(sources: [SourceURI(options)])
      daemon.engineLoop.hasSensors = isBesideSensors
      source = RecordingSource(options, into: daemon.inlet())
      daemon.sources.all[0].transport = source
      source.start()
      client = try daemon.watch()
    }

    deinit { source.stop() }

    /// The report of the end, once the subscriber has it.
    func end() throws -> PlaybackReport? {
      for _ in 0..<1000 {
        daemon.loop.advanceTime(by: .milliseconds(2))
        if let report = try client.take().playbacks.last, report.isEnded { return report }
      }
      return nil
    }
  }

  private final class Instants: EngineObserver {
    var all: [MonotonicInstant] = []

    func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
      all.append(instant)
    }
  }

  @Test func `The report of the end is that which a request has`() throws {
    let rig = try Rig(speed: 1)
    try rig.client.send(#"?PLAYBACK={"seek":100};"#)
    let end = try #require(try rig.end())
    #expect(try rig.client.ask("?PLAYBACK;").playbacks == [end])
    #expect(end.speed == 1 && end.duration == .seconds(19) && end.file == rig.directory / "ride.nmea")
  }

  @Test func `The end that a seek finds is not before it`() throws {
    let rig = try Rig(speed: .max)
    #expect(try rig.end() != nil)
    let instants = Instants()
    rig.daemon.engineLoop.observers.append(instants)
    try rig.client.send(#"?PLAYBACK={"seek":100};"#)
    #expect(try rig.end() != nil)
    #expect(instants.all.count > 2 && instants.all == instants.all.sorted())
  }

  @Test func `Beside sensors of the machine's time playback keeps to it`() throws {
    let rig = try Rig(speed: 1, isBesideSensors: true)
    for change in [#""pause":true"#, #""speed":2"#] {
      let refusal = try rig.client.ask("?PLAYBACK={\(change)};").errors.first
      #expect(refusal?.message.contains("make it the only source") == true)
    }
    #expect(try rig.client.ask(#"?PLAYBACK={"seek":1};"#).errors.isEmpty)
  }

  @Test func `No request for a fix waits while playback is paused`() throws {
    let rig = try Rig(speed: 1, isValid: false)
    let locate = #"?LOCATE={"timeout":3600};"#
    #expect(try rig.client.ask(locate).errors.isEmpty)
    #expect(try rig.client.ask(#"?PLAYBACK={"pause":true};"#).errors.map(\.code) == [.timedOut])
    #expect(try rig.client.ask(locate).errors.map(\.code) == [.timedOut])
    #expect(try rig.client.ask(#"?PLAYBACK={"pause":false};"#).errors.isEmpty)
    #expect(try rig.client.ask(locate).errors.isEmpty)
  }
}
