import GPSDProtocol
import LocationCore
import NIOCore
import Testing

@testable import LocationDaemon

/// A preferred serial source and a gpsd.
@Suite("Failover")
struct FailoverTests {
  private func daemon() throws -> VirtualDaemon {
    let daemon = try VirtualDaemon(sources: [
      SourceURI(SerialOptions(path: "/dev/gps0")),
      SourceURI(GPSDOptions(address: NetworkAddress(host: "localhost", port: 2947))),
    ])
    daemon.open(0)
    daemon.open(1)
    return daemon
  }

  /// One second in which either source may send an epoch, gpsd first or last.
  private func second(_ number: Int, _ daemon: VirtualDaemon, serial: Bool, gpsd: Bool = true, gpsdFirst: Bool) {
    daemon.begin(number)
    if gpsd, gpsdFirst { daemon.report(epoch: number, from: 1) }
    if serial { daemon.receive(NMEAEpoch(number: number, north: 20 * Double(number), speed: 20).text) }
    if gpsd, !gpsdFirst { daemon.report(epoch: number, from: 1) }
    daemon.advance(0.45)
  }

  @Test(arguments: [true, false])
  func `When serial fails, gpsd leads after 3 s; when serial returns, it leads after 10 s`(gpsdFirst: Bool) throws {
    let daemon = try daemon()
    let client = try daemon.watch()
    for number in 0..<10 { second(number, daemon, serial: true, gpsdFirst: gpsdFirst) }
    for number in 10..<20 { second(number, daemon, serial: false, gpsdFirst: gpsdFirst) }
    for number in 20..<40 { second(number, daemon, serial: true, gpsdFirst: gpsdFirst) }
    let lines = try client.take()
    let fixes = lines.fixes

    let times = fixes.compactMap { $0.time?.nanosecondsSince1970 }
    #expect(times.count == fixes.count)
    #expect(times == times.sorted(), "time goes back")
    #expect(Set(times).count == times.count, "an epoch is published twice")

    let sources = fixes.compactMap(\.source)
    let changes = zip(sources, sources.dropFirst()).filter { $0 != $1 }.count
    #expect(changes == 2, "the sources are interleaved")
    #expect(sources.first == "serial" && sources.contains("gpsd") && sources.last == "serial")

    let firstOfGPSD = try #require(fixes.first { $0.source == "gpsd" })
    let firstBack = try #require(fixes.last { $0.reason == "source" })
    #expect(firstOfGPSD.reason == "source")
    #expect(firstBack.source == "serial")
    let start = try #require(times.first)
    let second = { (fix: TPV) in ((fix.time?.nanosecondsSince1970 ?? 0) - start) / 1_000_000_000 }
    // The last epoch of serial is 9; it loses the lead 3 s later.
    #expect((12...13).contains(second(firstOfGPSD)))
    #expect((30...31).contains(second(firstBack)))
    // Only the failover's own 3 s are missing.
    let missing = Set(0..<40).subtracting(fixes.map { Int(second($0)) })
    #expect(missing.isSubset(of: [10, 11, 12]))

    let leads = lines.states.filter { $0.leadReason != nil }
    #expect(leads.map(\.source) == ["gpsd", "serial"])
    #expect(leads.map(\.leadReason) == [.silent, .preferred])
    let announced = { (source: String) in lines.firstIndex { $0.isLead(of: source) } }
    let used = { (source: String) in lines.firstIndex { $0.isSourceChange(to: source) } }
    for source in ["gpsd", "serial"] {
      #expect(
        try #require(announced(source)) < (try #require(used(source))), "the change is announced before the first fix")
    }
  }

  @Test func `A source that reports no fix loses the lead`() throws {
    let daemon = try daemon()
    let client = try daemon.watch()
    for number in 0..<5 { second(number, daemon, serial: true, gpsdFirst: false) }
    for number in 5..<12 {
      daemon.begin(number)
      daemon.receive(NMEAEpoch(number: number, isValid: false).text)
      daemon.report(epoch: number, from: 1)
      daemon.advance(0.45)
    }
    let leads = try client.take().states.filter { $0.leadReason != nil }
    #expect(leads.map(\.leadReason) == [.noFix])
  }

  @Test func `Without another source only the loss is published`() throws {
    let daemon = try daemon()
    let client = try daemon.watch()
    for number in 0..<5 { second(number, daemon, serial: true, gpsd: false, gpsdFirst: false) }
    daemon.advance(10)
    let states = try client.take().states
    #expect(states.allSatisfy { $0.leadReason == nil })
    #expect(states.last?.phase.rawValue == "lost")
  }
}

extension ReceivedLine {
  fileprivate func isLead(of source: String) -> Bool {
    if case .state(let state) = report { state.leadReason != nil && state.source == source } else { false }
  }

  fileprivate func isSourceChange(to source: String) -> Bool {
    if case .tpv(let fix) = report { fix.reason == "source" && fix.source == source } else { false }
  }
}
