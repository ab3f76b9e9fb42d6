import LocationCore
import Recordings
import Testing

@testable import LocationDaemon

@Suite("Seeking in a recording")
struct SeekTests {
  private func recording() throws -> VirtualDaemon {
    let daemon = try VirtualDaemon(sources: [SourceURI(RecordingOptions(paths: ["ride.nmea"]))])
    daemon.open()
    return daemon
  }

  private func jump(in daemon: VirtualDaemon) {
    daemon.engineLoop.jump(in: RecordedSources(daemon.sources.all[0].setup), at: daemon.now)
  }

  @Test func `A seek is a loss, the next fix is regained, earlier times are accepted, and counters continue`() throws {
    let daemon = try recording()
    let client = try daemon.watch()
    daemon.ride(10...13)
    _ = try client.take()
    let before = daemon.engineLoop.engine.sources[0].counters
    jump(in: daemon)
    #expect(try client.take().states.map(\.phase.rawValue) == ["lost", "acquiring"])
    for number in 0..<3 {
      daemon.receive(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20).text)
      daemon.advance(1)
    }
    let fixes = try client.take().fixes
    #expect(fixes.first?.reason == "regained")
    #expect(fixes.count == 3)
    let counters = daemon.engineLoop.engine.sources[0].counters
    #expect(counters.fixes == before.fixes + 3)
    #expect(counters.nmea.sentences > before.nmea.sentences)
    #expect(counters.judge.outOfOrder == 0)
    #expect(daemon.inlet().received.messages == counters.nmea.sentences)
  }

  @Test func `Without a fix, a seek is not a loss`() throws {
    let daemon = try recording()
    let client = try daemon.watch()
    jump(in: daemon)
    #expect(try client.take().states.isEmpty)
  }

  @Test func `The first of sentences and reports about the same epochs is used; a seek resets the choice`() throws {
    let daemon = try recording()
    let client = try daemon.watch()
    for number in 0..<3 {
      daemon.play(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20))
      daemon.report(epoch: number, from: 0)
    }
    daemon.advance(0.5)
    #expect(try client.take().fixes.count == 3)
    jump(in: daemon)
    for number in 10..<13 {
      daemon.begin(number)
      daemon.report(epoch: number, from: 0)
      daemon.receive(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20).text)
      daemon.advance(0.4)
    }
    #expect(try client.take().fixes.count == 3)
  }
}
