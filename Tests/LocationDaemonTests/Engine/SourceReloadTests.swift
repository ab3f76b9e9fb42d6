import GPSDProtocol
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Replacing sources at run time")
struct RearrangingLanesTests {
  private static let serial = SourceURI(SerialOptions(path: "/dev/gps0"))
  private static let second = SourceURI(SerialOptions(path: "/dev/gps1"))
  private static let gpsd = SourceURI(GPSDOptions(address: NetworkAddress(host: "localhost", port: 2947)))

  private func rearrange(_ daemon: VirtualDaemon, _ uris: [SourceURI]) -> (added: [String], removed: [String]) {
    let removed = daemon.sources.removed(by: uris).map(\.device)
    let added = daemon.engineLoop.rearrange(uris)
    daemon.server.sourcesDidChange()
    return (added.map(\.device), removed)
  }

  @Test func `A kept source continues without a gap, and its fixes carry its new name`() throws {
    let daemon = try VirtualDaemon(sources: [Self.serial])
    daemon.open()
    let client = try daemon.watch()
    daemon.ride(0...2)
    _ = try client.take()
    let (added, removed) = rearrange(daemon, [Self.second, Self.serial, Self.gpsd])
    #expect(added == ["/dev/gps1", "gpsd://localhost:2947"])
    #expect(removed == [])
    let received = try client.take()
    #expect(received.names == ["DEVICES"])
    #expect(received.devices.first?.devices.map(\.path) == ["/dev/gps1", "/dev/gps0", "gpsd://localhost:2947"])
    for number in 3...5 { daemon.play(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20), from: 1) }
    let fixes = try client.take().fixes
    #expect(fixes.compactMap(\.seq) == [4, 5, 6])
    #expect(fixes.allSatisfy { $0.source == "serial-2" && $0.device == "/dev/gps0" && $0.reason == "moved" })
    #expect(daemon.sources.all.map(\.name) == ["serial-1", "serial-2", "gpsd"])
  }

  @Test
  func `When the leading source is removed, the next one with a fix leads, and STATE precedes its first fix`() throws {
    let daemon = try VirtualDaemon(sources: [Self.serial, Self.second])
    daemon.open(0)
    daemon.open(1)
    let client = try daemon.watch()
    for number in 0...4 {
      daemon.begin(number)
      for source in 0...1 {
        daemon.receive(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20).text, from: source)
      }
      daemon.advance(0.45)
    }
    _ = try client.take()
    #expect(rearrange(daemon, [Self.second]).removed == ["/dev/gps0"])
    let states = try client.take().states
    #expect(states.map(\.leadReason) == [.removed])
    #expect(states.map(\.phase.rawValue) == ["tracking"])
    daemon.play(NMEAEpoch(number: 5, north: 100, speed: 20))
    let fix = try #require(try client.take().fixes.first)
    #expect(fix.reason == "source" && fix.device == "/dev/gps1" && fix.source == "serial")
  }

  @Test func `When the only source is replaced, the fix is lost until the new one has one`() throws {
    let daemon = try VirtualDaemon(sources: [Self.serial])
    daemon.open()
    let client = try daemon.watch()
    let old = daemon.connect(.gpsd)
    _ = try old.ask(#"?WATCH={"json":true};"#)
    daemon.ride(0...2)
    _ = try client.take()
    _ = try old.take()
    #expect(rearrange(daemon, [Self.gpsd]) == (["gpsd://localhost:2947"], ["/dev/gps0"]))
    #expect(try client.take().states.map(\.phase.rawValue) == ["idle"])
    #expect(try old.take().fixes.map(\.mode) == [1])
    // The last known fix is still published, with its source.
    let answer = try daemon.connect().ask(#"?WATCH={"json":true,"distanceFilter":0};"#)
    #expect(answer.fixes.map(\.source) == ["serial"])
    daemon.open()
    for number in 4...6 {
      daemon.begin(number)
      daemon.report(epoch: number, from: 0)
      daemon.advance(0.45)
    }
    let lines = try client.take()
    #expect(lines.states.map(\.phase.rawValue) == ["opening", "acquiring", "tracking"])
    #expect(lines.fixes.first?.source == "gpsd")
  }

  @Test func `The same list changes nothing`() throws {
    let daemon = try VirtualDaemon(sources: [Self.serial, Self.serial])
    let feeds = daemon.sources.all.map(ObjectIdentifier.init)
    #expect(rearrange(daemon, [Self.serial, Self.serial]) == ([], []))
    #expect(daemon.sources.all.map(ObjectIdentifier.init) == feeds)
    #expect(rearrange(daemon, [Self.serial]).removed == ["/dev/gps0"])
  }

  @Test func `Input of a removed source is ignored`() throws {
    let daemon = try VirtualDaemon(sources: [Self.serial, Self.second])
    weak let feed = daemon.sources.all[0]
    _ = rearrange(daemon, [Self.second])
    #expect(feed == nil)
  }
}
