import LocationCore
import Recordings
import Testing

@testable import LocationDaemon

@Suite("Replayed events")
struct EventReplayTests {
  private func replaying() throws -> (daemon: VirtualDaemon, client: VirtualClient, source: RecordingSource) {
    let options = RecordingOptions(paths: ["ride.nmea"])
    let daemon = try VirtualDaemon(sources: [SourceURI(options)])
    daemon.open()
    let source = RecordingSource(options, into: daemon.inlet())
    daemon.engineLoop.play(RecordedInput(.begin(RecordedSetup(devices: [""])), at: daemon.now), of: source)
    return (daemon, try daemon.watch(), source)
  }

  private func replay(_ json: String, in daemon: VirtualDaemon, of source: RecordingSource) {
    let content = RecordedInput.Content(event: Array(json.utf8))
    daemon.engineLoop.play(RecordedInput(content, of: 0, at: daemon.now), of: source)
  }

  @Test func `A loss and return of a source is replayed`() throws {
    let (daemon, client, source) = try replaying()
    daemon.ride(0...2)
    _ = try client.take()
    replay(#"{"source":"lost"}"#, in: daemon, of: source)
    #expect(try client.take().states.map(\.phase.rawValue) == ["lost"])
    daemon.advance(5)
    replay(#"{"source":"found"}"#, in: daemon, of: source)
    daemon.ride(9...9)
    let lines = try client.take()
    #expect(lines.states.map(\.phase.rawValue) == ["acquiring", "tracking"])
    #expect(lines.fixes.map(\.reason) == ["regained"])
  }

  @Test func `Views, follow requests and targets are replayed`() throws {
    let (daemon, client, source) = try replaying()
    daemon.ride(0...4)
    _ = try client.take()
    replay(#"{"request":"TARGET","name":"home","lat":48.0018,"lon":11.5,"radius":50}"#, in: daemon, of: source)
    replay(#"{"request":"VIEW","view":"main","lat":48.0007,"lon":11.5,"seq":5}"#, in: daemon, of: source)
    replay(#"{"request":"VIEW","view":"main","lat":48.1,"lon":11.5,"seq":5,"cause":"user"}"#, in: daemon, of: source)
    #expect(try client.take().follows.map(\.reason) == [.drift])
    replay(#"{"request":"FOLLOW","view":"main","enable":true}"#, in: daemon, of: source)
    #expect(try client.take().follows.map(\.isFollowing) == [true])
    daemon.ride(5...10)
    #expect(try client.take().arrivals.map(\.name) == ["home"])
  }

  @Test func `Trips are replayed, and one from before the recording is left out`() throws {
    let (daemon, client, source) = try replaying()
    replay(#"{"request":"TRIP","name":"old","lap":true}"#, in: daemon, of: source)
    replay(#"{"request":"TRIP","name":"day"}"#, in: daemon, of: source)
    daemon.ride(0...3)
    replay(#"{"request":"TRIP","name":"day","lap":true}"#, in: daemon, of: source)
    let trips = try client.take().trips
    #expect(trips.last?.name == "day" && trips.last?.lap == 2 && (trips.last?.distance ?? 0) > 30)
    #expect(try client.ask(#"?TRIP={"name":"day","enable":false};"#).trips.map(\.state) == [.ended])
  }

  @Test(arguments: 1...8)
  func `Arbitrary events in arbitrary order do not stop a replay`(seed: Int) throws {
    let events = [
      #"{"source":"lost"}"#, #"{"source":"found"}"#, #"{"source":"stolen"}"#, "{}", "{", "",
      #"{"request":"#, #"{"request":"VIEW""#, #"{"request":"VIEW","lat":1e999}"#, #"{"request":"NOPE"}"#,
      #"{"request":"FOLLOW","view":"","enable":true}"#, #"{"request":"WATCH"}"#, #"{"request":"TARGET","name":"x"}"#,
      #"{"request":"VIEW","view":"main","lat":48,"lon":11.5}"#, #"{"request":"LOCATE"}"#, "\u{0}",
    ]
    let (daemon, client, source) = try replaying()
    var random = seed &* 7919
    for number in 0..<200 {
      random = (random &* 1_103_515_245 &+ 12_345) & 0x7FFF_FFFF
      replay(events[(random >> 16) % events.count], in: daemon, of: source)
      if (random >> 10) & 3 != 0 {
        daemon.play(NMEAEpoch(number: number, north: Double(number), isValid: (random >> 12) & 15 != 1))
      }
    }
    daemon.inlet().note(.opened, at: daemon.now)
    daemon.ride(1000...1001)
    #expect(try client.take().fixes.last?.time != nil)
    let hasFix = daemon.engineLoop.engine.hasFix
    #expect(hasFix)
  }
}

@Suite("Budget of recorded requests")
struct RequestBudgetTests {
  private func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }

  @Test func `A renderer at 60 Hz is always recorded completely`() {
    var budget = RequestBudget()
    let taken = (0..<6000).count { budget.admits(at: at(Int64($0) * 1000 / 60)) }
    #expect(taken == 6000)
    #expect(budget.refused == 0)
  }

  @Test func `A flood of requests is limited to the rate, and the excess is counted`() {
    var budget = RequestBudget()
    var taken = 0
    for number in 0..<100_000 where budget.admits(at: at(Int64(number) / 10)) { taken += 1 }
    // 10 s.
    #expect(taken <= RequestBudget.burst + 10 * RequestBudget.perSecond)
    #expect(taken >= 10 * RequestBudget.perSecond)
    #expect(budget.refused == UInt64(100_000 - taken))
  }

  @Test func `A pause restores at most the burst, and so does a clock that steps back`() {
    var budget = RequestBudget()
    let few = RequestBudget.burst + 3
    for instant in [at(0), at(10_000_000), at(-5)] {
      let taken = (0..<few).count { _ in budget.admits(at: instant) }
      #expect(taken == RequestBudget.burst)
    }
  }
}
