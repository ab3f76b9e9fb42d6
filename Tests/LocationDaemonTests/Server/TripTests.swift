import GPSDProtocol
import LocationCore
import Testing

@testable import LocationDaemon

@Suite("TRIP")
struct TripTests {
  private let day = #"?TRIP={"name":"day"};"#

  @Test func `Every subscriber receives the figures once a second in motion, as a query shows them`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let asker = daemon.connect()
    let subscriber = try daemon.watch(filter: 0)
    #expect(try asker.ask(day).trips == [TripReport(name: "day", state: .init("lost"))])
    daemon.ride(0...10)
    let trips = try subscriber.take().trips
    #expect(trips.map(\.state) == [.lost] + Array(repeating: .moving, count: 11))
    #expect(zip(trips.dropFirst(), 0...10).allSatisfy { abs($0.distance - 20 * Double($1)) < 0.01 })
    #expect(trips.last?.movingTime == .seconds(10) && trips.last?.averageSpeed == 20 && trips.last?.maxSpeed == 20)
    #expect(trips.last?.ascent == 0)
    #expect(try asker.take().trips.isEmpty)
    #expect(try asker.ask("?TRIP;").trips == Array(trips.suffix(1)))
    #expect(try asker.ask(day).trips == Array(trips.suffix(1)))
    // A later subscriber has them in its snapshot.
    let other = daemon.connect()
    #expect(try other.ask(#"?WATCH={"json":true};"#).trips == Array(trips.suffix(1)))
  }

  @Test func `A client with a filter of its own receives the figures in motion with the fixes that pass it`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let asker = daemon.connect()
    _ = try asker.ask(day)
    _ = try asker.ask(#"?TRIP={"name":"tour"};"#)
    let client = try daemon.watch(filter: 105)
    let byDefault = daemon.connect()
    _ = try byDefault.ask(#"?WATCH={"json":true};"#)
    daemon.ride(0...20)
    let lines = try client.take()
    // A fix is 20 m from the next.
    #expect(lines.fixes.count == 4)
    let moving = lines.trips.filter { $0.state == .moving }
    // The transition, and one after each fix.
    #expect(moving.map(\.name) == Array(repeating: ["day", "tour"], count: 5).flatMap { $0 })
    #expect(moving.suffix(2).allSatisfy { abs($0.distance - 360) < 1 })
    #expect(try byDefault.take().trips.count { $0.state == .moving } == 42)
    // What changes is reported at once.
    _ = try asker.ask(#"?TRIP={"name":"day","lap":true};"#)
    #expect(try client.take().trips.map(\.lap) == [2])
  }

  @Test func `TRIP is not sent to a client that refuses it, but as an answer`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    _ = try daemon.connect().ask(day)
    let client = daemon.connect()
    let answer = try client.ask(#"?WATCH={"json":true,"distanceFilter":0,"trips":false};"#)
    #expect(answer.trips.isEmpty && answer.first { $0.name == "WATCH" }?.text.contains(#""trips":false"#) == true)
    daemon.ride(0...3)
    let lines = try client.take()
    #expect(lines.fixes.count == 4 && lines.trips.isEmpty)
    #expect(try client.ask("?TRIP;").trips.count == 1)
    #expect(try client.ask(#"?TRIP={"name":"day","enable":false};"#).trips.map(\.state) == [.ended])
    #expect(try client.ask(#"?WATCH={"trips":true};"#).first { $0.name == "WATCH" }?.text.contains("trips") == false)
  }

  @Test func `A trip pauses, is lost, and ends, and each is reported once`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch()
    #expect(try client.ask(day).trips.map(\.state) == [.lost])
    daemon.ride(0...3)
    for number in 4...10 { daemon.play(NMEAEpoch(number: number, north: 60, speed: 0)) }
    daemon.advance(30)
    var states = try client.take().trips.map(\.state.rawValue)
    states = states.indices.filter { $0 == 0 || states[$0 - 1] != states[$0] }.map { states[$0] }
    #expect(states == ["moving", "paused", "lost"])
    let last = try client.ask(#"?TRIP={"name":"day","enable":false};"#).trips
    #expect(last.map(\.state) == [.ended])
    #expect(try client.ask("?TRIP;").errors.map(\.code) == [.noTrip])
    daemon.ride(60...70)
    #expect(try client.take().trips.isEmpty)
  }

  @Test func `A reload changes the stop that ends a ride, also for trips under way`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect()
    _ = try client.ask(day)
    daemon.ride(0...10)
    for number in 11...60 { daemon.play(NMEAEpoch(number: number, north: 200, speed: 0)) }
    #expect(try client.ask("?TRIP;").trips.map(\.duration) == [.seconds(60)])
    var configuration = daemon.server.configuration
    configuration.rideStop = 30
    daemon.apply(configuration)
    #expect(try client.ask("?TRIP;").trips.allSatisfy { $0.duration < .seconds(20) })
  }

  @Test func `Clients that begin laps and reset have the same figures after each change`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let clients = try (0..<8).map { _ in try daemon.watch() }
    try clients[0].send(day)
    for number in 0..<40 {
      daemon.ride(number...number)
      try clients[number % 8].send(#"?TRIP={"name":"day","\#(number % 5 == 4 ? "reset" : "lap")":true};"#)
    }
    let seen = try clients.map { try $0.take().trips }
    #expect(seen.allSatisfy { $0 == seen[0] && $0.count > 60 })
    #expect(seen[0].last == (try clients[3].ask("?TRIP;").trips.first))
  }

  @Test(
    arguments: [
      (#"{"name":""}"#, "1 to 64 bytes"), ("{}", "is missing"), (#"{"name":"day","lap":1}"#, "true or false"),
      (#"{"name":"day","lap":true,"reset":true}"#, "one of"), (#"{"name":"day","laps":true}"#, "no field"),
      (#"{"name":"day","reset":true,"enable":false}"#, "one of"), (#"{"name":"none","lap":true}"#, "there is no trip"),
    ])
  func `A mistake is refused and changes nothing`(fields: String, message: String) throws {
    let daemon = try VirtualDaemon()
    let client = try daemon.watch()
    let before = try client.ask(day).trips
    let lines = try client.ask("?TRIP=\(fields);")
    #expect(lines.names == ["ERROR"])
    #expect(lines.errors.first?.message.contains(message) == true, "\(lines)")
    #expect(try client.ask("?TRIP;").trips == before)
  }

  @Test func `A TCP client can read trips, and change them only if it may control the daemon`() throws {
    for isAllowed in [false, true] {
      let daemon = try VirtualDaemon { $0.tcpControl = isAllowed }
      let client = daemon.connect(.gpsd)
      _ = try client.ask(#"?WATCH={"enable":false,"handlebar":true};"#)
      #expect(try client.ask("?TRIP;").errors.map(\.code) == [.noTrip])
      let lines = try client.ask(day)
      #expect(isAllowed ? lines.trips.count == 1 : lines.errors.map(\.code) == [.forbidden])
    }
  }

  @Test func `A client without the additions receives none`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = daemon.connect(.gpsd)
    _ = try client.ask(#"?WATCH={"enable":true,"json":true};"#)
    _ = try daemon.connect().ask(day)
    daemon.ride(0...5)
    #expect(try client.take().trips.isEmpty)
  }

  @Test func `A client that does not read misses figures, and no transition`() throws {
    let daemon = try VirtualDaemon()
    daemon.open()
    let client = try daemon.watch()
    _ = try client.ask(day)
    client.stopReading()
    daemon.ride(0...200)
    for number in 201...210 { daemon.play(NMEAEpoch(number: number, north: 4000, speed: 0)) }
    client.resumeReading()
    let trips = try client.take().trips
    #expect(trips.count < 10 && trips.last?.state == .init("paused"))
    #expect(abs((trips.last?.distance ?? 0) - 4000) < 25)
  }

  @Test func `The names of trips that have ended are forgotten without a fix`() throws {
    var feed = Feed(filter: DistanceFilter(try FilterConfiguration(distance: 1000)), usesAdditions: true)
    feed.trips = (areRead: true, followFixes: true)
    for number in 0..<1000 { #expect(feed.takeTrip("\(number)") && !feed.takeTrip("\(number)")) }
    #expect(feed.sentTrips.count <= 64)
  }
}
