import Testing

@testable import LocationDaemon

@Suite("Delivering fixes")
struct DeliveryTests {
  @Test func `Each subscriber has its own filter`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let every = try daemon.watch(filter: 0)
    let fifty = try daemon.watch(filter: 50)
    let thousand = try daemon.watch(filter: 1000)
    daemon.ride(0...10)
    #expect(try every.take().fixes.compactMap(\.seq) == Array(1...11))
    let some = try fifty.take().fixes
    #expect(some.compactMap(\.seq) == [1, 4, 7, 10])
    #expect(some.compactMap(\.reason) == ["first", "moved", "moved", "moved"])
    #expect(try thousand.take().fixes.compactMap(\.seq) == [1])
  }

  @Test func `A slow client receives the held fix before the loss that followed it`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch(#","satellites":false"#)
    daemon.ride(0...2)
    _ = try client.take()
    client.stopReading()
    daemon.ride(3...6)
    daemon.advance(10)
    client.resumeReading()
    daemon.loop.run()
    let lines = try client.take()
    #expect(lines.names == ["TPV", "TPV", "STATE"])
    #expect(lines.fixes.compactMap(\.seq) == [4, 7])
    #expect(lines.states.first?.phase.rawValue == "lost")
  }

  @Test func `A stop and a start are each delivered once, regardless of the filter`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch(filter: 1000)
    daemon.ride(0...3)
    for number in 4...12 { daemon.play(NMEAEpoch(number: number, north: 60, speed: 0)) }
    for number in 13...18 { daemon.play(NMEAEpoch(number: number, north: 60 + Double(number - 12), speed: 1)) }
    let fixes = try client.take().fixes
    #expect(fixes.compactMap(\.reason) == ["first", "stopped", "started"])
    #expect(fixes.compactMap(\.seq) == [1, 7, 15])
  }

  @Test func `The lines of an epoch are TPV, GST, SKY`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch()
    daemon.play(NMEAEpoch(number: 0, hasSky: true, hasNoise: true))
    let lines = try client.take()
    #expect(lines.names.filter { $0 != "STATE" } == ["TPV", "GST", "SKY"])
    #expect(lines.last?.text.contains(#""nSat":3,"uSat":2"#) == true)
  }

  @Test func `SKY goes to every subscriber, moved or not, at most once per second`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let moving = try daemon.watch(filter: 0)
    let resting = try daemon.watch(filter: 1000)
    for number in 0..<20 { daemon.play(NMEAEpoch(number: number, period: 0.25, speed: 20, hasSky: true)) }
    #expect(try moving.take().names.count { $0 == "SKY" } == 5)
    let lines = try resting.take()
    #expect(lines.names.count { $0 == "SKY" } == 5)
    #expect(lines.fixes.count == 1)
  }

  @Test(arguments: [Dialect.handlebar, .gpsd])
  func `SKY is not sent to a client that refuses it`(dialect: Dialect) throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let clients = (0..<2).map { _ in daemon.connect(dialect) }
    for (client, isRefused) in zip(clients, [false, true]) {
      let request = "?WATCH={\"json\":true,\"distanceFilter\":0,\"satellites\":\(!isRefused)};"
      #expect(try client.ask(request).watches.first?.satellites == (isRefused ? false : nil))
    }
    for number in 0..<4 { daemon.play(NMEAEpoch(number: number, speed: 20, hasSky: true)) }
    // A request without it changes nothing; the sets of an epoch without a fix come alone.
    for client in clients { try client.send("?WATCH={\"json\":true};") }
    for number in 4..<8 { daemon.play(NMEAEpoch(number: number, isValid: false, hasSky: true)) }
    daemon.loop.advanceTime(by: .milliseconds(250))
    let names = try clients.map { try $0.take().names }
    #expect(names[0].contains("SKY") && names[0].count { $0 == "TPV" } == names[1].count { $0 == "TPV" })
    #expect(!names[1].contains("SKY"))
  }

  @Test func `SKY is delivered without a fix`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch()
    // The sets arrive after the epoch has closed without a fix, so the last come with the next epoch.
    for number in 0..<4 { daemon.play(NMEAEpoch(number: number, isValid: false, hasSky: true)) }
    let lines = try client.take()
    #expect(lines.names.count { $0 == "SKY" } == 3)
    #expect(lines.fixes.isEmpty)
  }

  @Test func `Without subscribers, fixes are still counted`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    daemon.ride(0...9)
    #expect(try daemon.connect().ask("?STATUS;").statuses.first?.seq == 10)
  }

  @Test func `Sentences split anywhere yield the same fixes`() throws {
    let epochs = (0..<3).map { NMEAEpoch(number: $0, north: 20 * Double($0), hasSky: true, hasNoise: true) }
    func lines(cut: (String) -> [String]) throws -> [String] {
      let daemon = try VirtualDaemon()
      daemon.open()
      let client = try daemon.watch()
      for epoch in epochs {
        for part in cut(epoch.text) { daemon.receive(part) }
        daemon.advance(1)
      }
      return try client.take().map(\.text)
    }
    let whole = try lines { [$0] }
    #expect(whole.count { $0.contains(#""class":"TPV""#) } == 3)
    for size in [1, 2, 3, 7, 61, 83] {
      let cut = try lines { text in
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).map {
          String(decoding: bytes[$0..<min($0 + size, bytes.count)], as: UTF8.self)
        }
      }
      #expect(cut == whole, "in reads of \(size) bytes")
    }
  }
}
