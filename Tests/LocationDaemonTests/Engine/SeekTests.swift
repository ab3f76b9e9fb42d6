import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Seeking in a recording")
struct SeekTests {
  private func recording() throws -> VirtualDaemon {
    let daemon = try VirtualDaemon(sources: [.recording(RecordingOptions(paths: ["ride.nmea"]))])
    daemon.open()
    return daemon
  }

  @Test("A seek is a loss, the next fix is regained, earlier times are accepted, and counters continue")
  func seek() throws {
    let daemon = try recording()
    let client = try daemon.watch()
    daemon.ride(10...13)
    _ = try client.take()
    let feed = daemon.host.feeds[0]
    let before = (feed.receiver?.counters ?? ReceiverCounters())
    feed.seek(at: daemon.now)
    #expect(try client.take().states.map(\.state) == ["lost", "acquiring"])
    for number in 0..<3 {
      daemon.receive(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20).text)
      daemon.advance(1)
    }
    let fixes = try client.take().fixes
    #expect(fixes.first?.reason == "regained")
    #expect(fixes.count == 3)
    #expect((feed.receiver?.counters ?? ReceiverCounters()).fixes == before.fixes + 3)
    #expect((feed.receiver?.counters ?? ReceiverCounters()).nmea.sentences > before.nmea.sentences)
    #expect((feed.receiver?.counters ?? ReceiverCounters()).judge.outOfOrder == 0)
    #expect(feed.received.sentences == (feed.receiver?.counters ?? ReceiverCounters()).nmea.sentences)
  }

  @Test("Without a fix, a seek is not a loss")
  func early() throws {
    let daemon = try recording()
    let client = try daemon.watch()
    daemon.host.feeds[0].seek(at: daemon.now)
    #expect(try client.take().states.isEmpty)
  }

  @Test("The first of sentences and reports about the same epochs is used; a seek resets the choice")
  func either() throws {
    let daemon = try recording()
    let client = try daemon.watch()
    for number in 0..<3 {
      daemon.play(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20))
      daemon.report(epoch: number, from: 0)
    }
    daemon.advance(0.5)
    #expect(try client.take().fixes.count == 3)
    daemon.host.feeds[0].seek(at: daemon.now)
    for number in 10..<13 {
      daemon.begin(number)
      daemon.report(epoch: number, from: 0)
      daemon.receive(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20).text)
      daemon.advance(0.4)
    }
    #expect(try client.take().fixes.count == 3)
  }
}
