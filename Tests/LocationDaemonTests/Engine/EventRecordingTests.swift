import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Replayed events")
struct EventReplayTests {
  private func replaying() throws -> (daemon: VirtualDaemon, client: VirtualClient) {
    let daemon = try VirtualDaemon(sources: [.recording(RecordingOptions(paths: ["ride.nmea"]))])
    daemon.open()
    daemon.host.openReplayClient()
    let client = try daemon.watch()
    return (daemon, client)
  }

  private func replay(_ json: String, in daemon: VirtualDaemon) {
    daemon.host.replay(Array(json.utf8), from: daemon.host.feeds[0], at: daemon.now)
  }

  @Test("A loss and return of a source is replayed")
  func lostAndFound() throws {
    let (daemon, client) = try replaying()
    daemon.ride(0...2)
    _ = try client.take()
    daemon.host.feeds[0].sourceDidLose(.unavailable(source: "ride.nmea", reason: "it was lost"))
    #expect(try client.take().states.map(\.state) == ["lost"])
    daemon.advance(5)
    daemon.host.feeds[0].open(at: daemon.now)
    daemon.ride(9...9)
    let lines = try client.take()
    #expect(lines.states.map(\.state) == ["acquiring", "tracking"])
    #expect(lines.fixes.map(\.reason) == ["regained"])
  }

  @Test("Views, follow requests and targets are replayed")
  func requests() throws {
    let (daemon, client) = try replaying()
    daemon.ride(0...4)
    _ = try client.take()
    replay(#"{"request":"TARGET","name":"home","lat":48.0018,"lon":11.5,"radius":50}"#, in: daemon)
    replay(#"{"request":"VIEW","view":"main","lat":48.0007,"lon":11.5,"seq":5}"#, in: daemon)
    replay(#"{"request":"VIEW","view":"main","lat":48.1,"lon":11.5,"seq":5,"cause":"user"}"#, in: daemon)
    #expect(try client.take().follows.map(\.reason) == ["drift"])
    replay(#"{"request":"FOLLOW","view":"main","enable":true}"#, in: daemon)
    #expect(try client.take().follows.map(\.following) == [true])
    daemon.ride(5...10)
    #expect(try client.take().arrivals.map(\.name) == ["home"])
  }

  @Test("Arbitrary events in arbitrary order do not stop a replay", arguments: 1...8)
  func anything(seed: Int) throws {
    let events = [
      #"{"source":"lost"}"#, #"{"source":"found"}"#, #"{"source":"stolen"}"#, "{}", "{", "",
      #"{"request":"#, #"{"request":"VIEW""#, #"{"request":"VIEW","lat":1e999}"#, #"{"request":"NOPE"}"#,
      #"{"request":"FOLLOW","view":"","enable":true}"#, #"{"request":"WATCH"}"#, #"{"request":"TARGET","name":"x"}"#,
      #"{"request":"VIEW","view":"main","lat":48,"lon":11.5}"#, #"{"request":"LOCATE"}"#, "\u{0}",
    ]
    let (daemon, client) = try replaying()
    var random = seed &* 7919
    for number in 0..<200 {
      random = (random &* 1_103_515_245 &+ 12_345) & 0x7FFF_FFFF
      replay(events[(random >> 16) % events.count], in: daemon)
      if (random >> 10) & 3 != 0 {
        daemon.play(NMEAEpoch(number: number, north: Double(number), isValid: (random >> 12) & 15 != 1))
      }
    }
    daemon.host.feeds[0].open(at: daemon.now)
    daemon.ride(1000...1001)
    #expect(try client.take().fixes.last?.time != nil)
    #expect(daemon.host.engine.supervisor.illegalEvents == 0)
    let hasFix = daemon.host.engine.hasFix
    #expect(hasFix)
  }
}

@Suite("Budget of recorded requests")
struct RequestBudgetTests {
  private func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }

  @Test("A renderer at 60 Hz is always recorded completely")
  func renderer() {
    var budget = RequestBudget()
    let taken = (0..<6000).count { budget.take(at: at(Int64($0) * 1000 / 60)) }
    #expect(taken == 6000)
    #expect(budget.refused == 0)
  }

  @Test("A flood of requests is limited to the rate, and the excess is counted")
  func flood() {
    var budget = RequestBudget()
    var taken = 0
    for number in 0..<100_000 where budget.take(at: at(Int64(number) / 10)) { taken += 1 }
    // 10 s.
    #expect(taken <= RequestBudget.burst + 10 * RequestBudget.perSecond)
    #expect(taken >= 10 * RequestBudget.perSecond)
    #expect(budget.refused == UInt64(100_000 - taken))
  }

  @Test("A pause restores at most the burst, and so does a clock that steps back")
  func pause() {
    var budget = RequestBudget()
    let few = RequestBudget.burst + 3
    for instant in [at(0), at(10_000_000), at(-5)] {
      let taken = (0..<few).count { _ in budget.take(at: instant) }
      #expect(taken == RequestBudget.burst)
    }
  }
}
