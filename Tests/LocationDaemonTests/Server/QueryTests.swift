import LocationCore
import Testing

@testable import LocationDaemon

@Suite("POLL, DEVICES, STATUS, PLAYBACK")
struct QueryTests {
  @Test func `POLL always has its arrays, and a position only while there is a fix`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    let before = try #require(try client.ask("?POLL;").first)
    #expect(before.name == "POLL")
    #expect(before.text.contains(#""tpv":["#) && before.text.contains(#""sky":["#))
    daemon.open()
    for number in 0..<3 { daemon.play(NMEAEpoch(number: number, hasSky: true)) }
    let fixed = try #require(try client.ask("?POLL;").polls.first)
    #expect(fixed.active == 1)
    #expect(fixed.tpv.first?.mode == 3)
    #expect(fixed.tpv.first?.lat != nil)
    #expect(fixed.sky.first?.satellites.count == 3)
    daemon.advance(10)
    let lost = try #require(try client.ask("?POLL;").polls.first)
    #expect(lost.tpv.allSatisfy { $0.mode <= 1 && $0.lat == nil })
  }

  @Test func `POLL carries the receiver's time, extrapolated`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...2)
    daemon.advance(0.6)
    #expect(try daemon.connect().ask("?POLL;").last?.text.contains(#""time":"2026-03-19T12:00:03.000Z""#) == true)
  }

  @Test func `DEVICES names every source, and those with a fix as GNSS`() throws {
    let serial = SourceURI(SerialOptions(path: "/dev/a"))
    let daemon = try VirtualDaemon(sources: [serial, SourceURI(SerialOptions(path: "/dev/b"))])
    daemon.open(0)
    daemon.open(1)
    for number in 0..<3 { daemon.play(NMEAEpoch(number: number), from: 0) }
    let devices = try #require(try daemon.connect().ask("?DEVICES;").devices.first).devices
    #expect(devices.map(\.path) == ["/dev/a", "/dev/b"])
    #expect(devices.map(\.source) == ["serial-1", "serial-2"])
    #expect(devices.map(\.packetKinds) == [1, nil])
    #expect(devices.map(\.cycle) == [.seconds(1), nil])
  }

  @Test func `STATUS has the counters`() throws {
    let daemon = try VirtualDaemon { $0.maxClients = 9 }
    daemon.open()
    let client = daemon.connect()
    daemon.ride(0...2)
    daemon.receive("$GPGGA,1*00\r\n$GPGGA,1\r\nnonsense\r\n")
    _ = try client.ask("?NONSENSE;")
    daemon.advance(0.6)
    let status = try #require(try client.ask("?STATUS;").statuses.first)
    #expect(status.release == Daemon.release)
    #expect(status.phase == .init("tracking"))
    #expect(status.mode == 3)
    #expect(status.source == "serial")
    #expect(status.seq == 3)
    #expect(status.age == .seconds(1))
    #expect(status.clients == 1)
    #expect(status.clientLimit == 9)
    #expect(status.recording == nil)
    #expect(status.sources.map(\.device) == ["/dev/gps0"])
    let counts = try #require(status.counts)
    #expect(counts["sentences"] == 6)
    #expect(counts["badChecksum"] == 1)
    #expect(counts["noChecksum"] == 1)
    #expect(counts["fixes"] == 3)
    #expect(counts["clientsAccepted"] == 1)
    #expect(counts["badRequests"] == 1)
  }

  @Test func `STATUS carries each source's error with a remedy`() throws {
    let daemon = try VirtualDaemon()
    daemon.inlet().note(.opening)
    daemon.inlet().note(.failed(.denied(device: "/dev/gps0", group: "dialout", user: "rider")))
    let source = try #require(try daemon.connect().ask("?STATUS;").statuses.first?.sources.first)
    #expect(source.phase == .init("failed"))
    #expect(source.error == .init("denied"))
    #expect(source.message?.contains("dialout") == true)
    #expect(source.remedy?.contains("usermod -aG dialout rider") == true)
  }

  @Test func `Requests of a client that does not read are deferred and finally answered`() throws {
    let daemon = try VirtualDaemon()
    let client = daemon.connect()
    _ = try client.take()
    client.stopReading()
    try client.send(String(repeating: "?POLL;", count: 300))
    try client.send(String(repeating: "?VERSION;", count: 300))
    #expect(!client.isClosed)
    #expect(!client.isReadingEnabled)
    client.resumeReading()
    daemon.loop.run()
    let names = try client.take().names
    #expect(names == Array(repeating: "POLL", count: 300) + Array(repeating: "VERSION", count: 300))
    #expect(client.isReadingEnabled)
  }

  @Test func `A refused request is counted`() throws {
    let client = try VirtualDaemon().connect()
    _ = try client.ask(#"?TARGET={"name":"nowhere","enable":false};"#)
    #expect(try client.ask("?STATUS;").statuses.first?.counts?["badRequests"] == 1)
  }

  @Test func `RECEIVER asks for no setting that the source does not have`() throws {
    let gpsd = SourceURI(GPSDOptions(address: NetworkAddress(host: "localhost", port: 2947)))
    for (source, words) in [
      (gpsd, "gpsd is not a serial line"), (SourceURI(SerialOptions(path: "/dev/gps0")), "receiver = { rate = 5 }"),
    ] {
      let errors = try VirtualDaemon(sources: [source]).connect().ask(#"?RECEIVER={"action":"plan"};"#).errors
      #expect(errors.first?.message.contains(words) == true)
    }
  }

  @Test func `PLAYBACK is refused if no source is a recording`() throws {
    let client = try VirtualDaemon().connect()
    for request in ["?PLAYBACK;", #"?PLAYBACK={"pause":true};"#] {
      let errors = try client.ask(request).errors
      #expect(errors.map(\.request) == ["PLAYBACK"])
      #expect(errors.first?.message.contains("no source is a recording") == true)
    }
    // The question is that of every map page.
    #expect(try client.ask("?STATUS;").statuses.first?.counts?["badRequests"] == 1)
  }
}
