import GPSDProtocol
import Testing

@testable import LocationDaemon

@Suite("Subscribing")
struct SubscriptionTests {
  @Test func `VERSION is sent at once, and nothing else without a request`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    let lines = try client.take()
    #expect(lines.names == ["VERSION"])
    guard case .version(let version) = lines.first?.report else { return }
    #expect(version.release == Daemon.release)
    #expect(version.protocolMajor == 3)
    daemon.open()
    daemon.ride(0...3)
    #expect(try client.take().isEmpty)
  }

  @Test func `A WATCH is answered with DEVICES, WATCH, snapshot, STATE, FOLLOW, ARRIVAL, in this order`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...3)
    let other = daemon.connect()
    try other.send(#"?VIEW={"lat":48,"lon":11.5};?TARGET={"name":"home","lat":49,"lon":11.5};"#)
    let lines = try daemon.connect().ask(#"?WATCH={"enable":true,"json":true,"distanceFilter":0};"#)
    #expect(lines.names == ["DEVICES", "WATCH", "TPV", "STATE", "FOLLOW", "ARRIVAL"])
    #expect(lines.devices.first?.devices.map(\.path) == ["/dev/gps0"])
    #expect(lines.devices.first?.devices.first?.driver == "NMEA0183")
    #expect(lines.states.first?.phase.rawValue == "tracking")
    #expect(lines.states.first?.mode == 3)
    #expect(lines.states.first?.source == "serial")
    #expect(lines.states.first?.seq == 4)
    #expect(lines.states.first?.counts?["fixes"] == 4)
    #expect(lines.follows.first?.view == "main")
    #expect(lines.follows.first?.isFollowing == true)
    #expect(lines.arrivals.first?.name == "home")
  }

  @Test func `The snapshot is the newest fix with reason and age, sent once`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...3)
    daemon.advance(1.6)
    let client = daemon.connect()
    let snapshot = try #require(try client.ask(#"?WATCH={"json":true,"distanceFilter":0};"#).fixes.first)
    #expect(snapshot.reason == "snapshot")
    #expect(snapshot.seq == 4)
    #expect(snapshot.age == 2)
    #expect(snapshot.source == "serial")
    #expect(snapshot.device == "/dev/gps0")
    daemon.ride(4...4)
    let next = try client.take().fixes
    #expect(next.map(\.seq) == [5])
    #expect(next.first?.reason == "moved")
    #expect(next.first?.age == nil)
  }

  @Test func `Before the first fix there is no snapshot, and the first fix has the reason first`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.take()
    let lines = try client.ask(#"?WATCH={"json":true};"#)
    #expect(lines.names == ["DEVICES", "WATCH", "STATE", "FOLLOW"])
    #expect(lines.states.first?.phase.rawValue == "idle")
    daemon.open()
    daemon.ride(0...0)
    let came = try client.take()
    #expect(came.states.map(\.phase.rawValue) == ["opening", "acquiring", "tracking"])
    #expect(came.fixes.map(\.reason) == ["first"])
  }

  @Test func `The snapshot of a lost fix has its age`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...3)
    daemon.advance(60)
    let lines = try daemon.connect().ask(#"?WATCH={"json":true};"#)
    #expect(lines.states.first?.phase.rawValue == "lost")
    let age = try #require(lines.fixes.first?.age)
    #expect(age > 60 && age < 61)
  }

  @Test func `A WATCH without parameters only reports`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    let before = try client.ask("?WATCH;")
    #expect(before.names == ["WATCH"])
    #expect(before.watches.first?.enable == false)
    _ = try client.ask(#"?WATCH={"json":true,"distanceFilter":25,"heartbeat":30};"#)
    let after = try client.ask("?WATCH;")
    #expect(after.names == ["WATCH"])
    #expect(after.watches.first?.enable == true)
    #expect(after.watches.first?.json == true)
    #expect(after.watches.first?.distanceFilter == 25)
    #expect(after.watches.first?.heartbeat == 30)
  }

  @Test func `The default filter is the configured one; a later request changes only what it names`() throws {
    let daemon = try VirtualDaemon { $0.distanceFilter = 33 }
    let client = daemon.connect()
    #expect(try client.ask(#"?WATCH={"json":true};"#).watches.first?.distanceFilter == 33)
    #expect(try client.ask(#"?WATCH={"distanceFilter":5};"#).watches.first?.json == true)
    #expect(try client.ask(#"?WATCH={"heartbeat":5};"#).watches.first?.distanceFilter == 5)
  }

  @Test func `Without json nothing is streamed; enable false ends the stream`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect()
    #expect(try client.ask(#"?WATCH={"enable":true};"#).names == ["DEVICES", "WATCH"])
    daemon.ride(0...2)
    #expect(try client.take().isEmpty)
    _ = try client.ask(#"?WATCH={"json":true,"distanceFilter":0};"#)
    daemon.ride(3...4)
    #expect(try client.take().fixes.count == 2)
    let lines = try client.ask(#"?WATCH={"enable":false};"#)
    #expect(lines.names == ["WATCH"])
    #expect(lines.watches.first?.enable == false)
    daemon.ride(5...7)
    daemon.advance(10)
    #expect(try client.take().isEmpty)
  }

  @Test func `Other settings of a request with "enable":false apply, and earlier ones are kept`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"json":true,"distanceFilter":3};"#)
    let lines = try client.ask(#"?WATCH={"enable":false,"handlebar":true,"distanceFilter":4};?STATUS;"#)
    #expect(lines.names == ["WATCH", "STATUS"])
    let watch = try #require(try client.ask("?WATCH={};").watches.first)
    #expect(watch.enable && watch.json == true && watch.handlebar == true)
    #expect(watch.distanceFilter == 4)
  }

  @Test func `Requests split anywhere, or several in one read, are answered alike`() throws {
    let daemon = try VirtualDaemon()
    let request = #"?WATCH={"enable":true,"json":true,"distanceFilter":3};"# + "?VERSION;\n?POLL;"
    let whole = try daemon.connect().ask(request).names
    #expect(whole == ["DEVICES", "WATCH", "STATE", "FOLLOW", "VERSION", "POLL"])
    for split in request.indices {
      let client = daemon.connect()
      _ = try client.take()
      try client.send(String(request[..<split]))
      try client.send(String(request[split...]))
      #expect(try client.take().names == whole)
    }
  }
}

@Suite("WATCH settings")
struct WatchSettingsTests {
  private func request(_ change: (inout WatchRequest) -> Void = { _ in }) -> WatchRequest {
    var request = WatchRequest()
    change(&request)
    return request
  }

  @Test func `Omitted settings have their defaults`() {
    var settings = WatchRequest(enable: false)
    settings.merge(request())
    #expect(settings.enable)
    #expect(WatchReport(settings).settings == request())
  }

  @Test func `A later request keeps the settings that it omits`() {
    var settings = WatchRequest(enable: false)
    settings.merge(
      request {
        $0.json = true
        $0.distanceFilter = 0
        $0.heartbeat = 30
      })
    settings.merge(request())
    #expect(settings.json == true)
    #expect(settings.distanceFilter == 0)
    #expect(settings.heartbeat == 30)
    settings.merge(
      request {
        $0.distanceFilter = 5
        $0.heartbeat = 0
        $0.json = false
      })
    #expect(settings.json == false)
    #expect(settings.distanceFilter == 5)
    #expect(settings.heartbeat == 0)
  }
}
