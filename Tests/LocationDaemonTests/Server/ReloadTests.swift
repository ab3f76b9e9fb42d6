import GPSDProtocol
import Testing

@testable import LocationDaemon

@Suite("Reloading with connected clients")
struct ReloadTests {
  private func apply(_ daemon: VirtualDaemon, _ change: (inout DaemonConfiguration) -> Void) {
    var configuration = daemon.server.configuration
    change(&configuration)
    daemon.apply(configuration)
  }

  @Test func `Clients without an own filter receive the new one, the others keep theirs`() throws {
    let daemon = try VirtualDaemon { $0.distanceFilter = 30 }
    daemon.open()
    let followers = [daemon.connect(), daemon.connect(), daemon.connect(.gpsd)]
    let requests = [#"{"json":true}"#, #"{"json":true,"distanceFilter":30}"#, #"{"json":true}"#]
    for (client, request) in zip(followers, requests) { _ = try client.ask("?WATCH=\(request);") }
    daemon.ride(0...1)
    for client in followers { _ = try client.take() }
    apply(daemon) { $0.distanceFilter = 90 }
    let received = try followers.map { try $0.take() }
    #expect(received[0].watches.map(\.distanceFilter) == [90])
    #expect(received[1].isEmpty)
    #expect(received[2].isEmpty)
    daemon.ride(2...10)
    // 180 m since the last delivery to each: every 90 m, every 30 m (20 m a second), every fix.
    #expect(try followers.map { try $0.take().fixes.count } == [2, 5, 9])
    let later = daemon.connect()
    #expect(try later.ask(#"?WATCH={"json":true};"#).watches.map(\.distanceFilter) == [90])
  }

  @Test func `A new latency and a new filter are one report`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.ask(#"?WATCH={"json":true};"#)
    apply(daemon) { ($0.latency, $0.distanceFilter) = (0.123, 90) }
    let lines = try client.take()
    #expect(lines.watches.map(\.distanceFilter) == [90] && lines.latencies == [0.123])
  }

  @Test func `Watching again without a filter keeps the configured one`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.ask(#"?WATCH={"json":true};"#)
    _ = try client.ask(#"?WATCH={"enable":false};"#)
    apply(daemon) { $0.distanceFilter = 3 }
    #expect(try client.ask(#"?WATCH={"json":true};"#).watches.map(\.distanceFilter) == [3])
    _ = try client.ask(#"?WATCH={"distanceFilter":4};"#)
    apply(daemon) { $0.distanceFilter = 5 }
    #expect(try client.take().isEmpty)
  }

  @Test func `What a client asks for while the last ride is written holds for the next recorder`() throws {
    let daemon = try VirtualDaemon { $0.recordDirectory = "/rides" }
    let client = daemon.connect()
    daemon.server.rides.recordsNext = false
    for (enable, state) in [(true, "starting"), (false, "stopped")] {
      let report = try #require(try client.ask(#"?RECORD={"enable":\#(enable)};"#).records.first)
      #expect(report.state.rawValue == state && report.directory == "/rides" && report.bytes == nil)
      #expect(daemon.server.rides.recordsNext == enable)
      #expect(try client.ask("?RECORD;").records == [report])
    }
    let elsewhere = try client.ask(#"?RECORD={"enable":true,"directory":"/tmp"};"#).errors
    #expect(elsewhere.first?.message.contains("/rides") == true)
    #expect(daemon.server.rides.recordsNext == false)
    apply(daemon) { $0.recordDirectory = nil }
    #expect(try client.ask("?RECORD;").records == [RecordReport(state: .off)])
    #expect(try client.ask(#"?RECORD={"enable":true};"#).errors.count == 1)
  }

  @Test func `A lower limit admits no client and disconnects none`() throws {
    let daemon = try VirtualDaemon()
    let clients = (0..<3).map { _ in daemon.connect() }
    apply(daemon) { $0.maxClients = 2 }
    #expect(clients.allSatisfy { !$0.isClosed })
    #expect(daemon.connect().isClosed)
    #expect(try clients[0].ask("?STATUS;").statuses.first?.clientLimit == 2)
    apply(daemon) { $0.maxClients = 4 }
    #expect(!daemon.connect().isClosed)
  }
}
