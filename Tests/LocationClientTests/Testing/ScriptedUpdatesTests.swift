import FoundationEssentials
import LocationClient
import LocationClientTesting
import LocationCore
import Testing

@Suite(.timeLimit(.minutes(5))) struct ScriptedUpdatesTests {
  private func positions(_ count: Int) throws -> [LocationClient.Update] {
    let home = try #require(Coordinate(latitude: 48, longitude: 11))
    return try (0..<count).map { .position(Position(coordinate: try #require(home.moved(by: Double($0), bearing: 0)))) }
  }

  @Test func `Every update of an array arrives, and the end follows`() async throws {
    let script = try positions(1000)
    var received: [LocationClient.Update] = []
    for await update in LocationUpdates(script) { received.append(update) }
    #expect(received == script)
  }

  @Test func `Reported views are handed over, and cancel() ends the sequence`() async throws {
    let (views, report) = AsyncStream.makeStream(of: ViewRequest.self)
    let (stream, feed) = AsyncStream.makeStream(of: LocationClient.Update.self)
    let updates = LocationUpdates(stream) { report.yield($0) }
    let script = try positions(2)
    for update in script { feed.yield(update) }
    var next = updates.makeAsyncIterator()
    #expect(await next.next() == script[0])
    let view = ViewRequest(coordinate: try #require(Coordinate(latitude: 1, longitude: 2)))
    #expect(updates.report(view))
    var reported = views.makeAsyncIterator()
    #expect(await reported.next() == view)
    updates.cancel()
    #expect(await next.next() == nil)
    #expect(updates.missedEvents == 0)
  }

  @Test func `A recording has the daemon's positions, and its intervals at full speed`() async throws {
    let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    var positions: [Position] = []
    var states: [StateReport.Phase] = []
    for await update in try LocationUpdates.recording(root + "/recordings/tunnel.nmea") {
      switch update {
      case .position(let position): positions.append(position)
      case .state(let state): if states.last != state.phase { states.append(state.phase) }
      default: break
      }
    }
    #expect(positions.map(\.seq) == (1...UInt64(positions.count)).map { $0 })
    #expect(positions.first?.reason == .first)
    #expect(positions.contains { $0.reason == .regained })
    #expect(states.drop { $0 != .tracking }.starts(with: [.tracking, .lost, .tracking]))
    for (earlier, later) in zip(positions, positions.dropFirst()) {
      let measured = try #require(later.time) - #require(earlier.time)
      #expect(abs((later.received - earlier.received - measured) / .seconds(1)) < 1)
    }
    #expect(throws: (any Error).self) { try LocationUpdates.recording("/dev/null") }
  }

  @Test func `A recording connects first, and has satellites`() async throws {
    let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    var skies: [SkyReport] = []
    var isFirst = true
    for await update in try LocationUpdates.recording(root + "/recordings/city.nmea") {
      if isFirst, case .connected = update { isFirst = false }
      #expect(!isFirst)
      if case .sky(let sky) = update { skies.append(sky) }
    }
    #expect(skies.contains { $0.usedCount > 3 && $0.hdop != nil })
  }

  @Test func `Satellites of a gpsd's log come once a second`() async throws {
    let lines = (10..<40).map { tenth in
      let time = #""time":"2026-03-19T12:35:0\#(tenth / 10).\#(tenth % 10)00Z""#
      return #"{"class":"TPV","device":"x","mode":3,\#(time),"lat":48.1,"lon":11.5}"# + "\n"
        + #"{"class":"SKY","device":"x",\#(time),"satellites":[{"PRN":5,"used":true}]}"# + "\n"
    }
    let path = "/tmp/skies-\(UInt64.random(in: 0 ... .max)).json"
    try lines.joined().write(toFile: path, atomically: false, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var seconds: [Int64] = []
    for await case .sky(let sky) in try LocationUpdates.recording(path) {
      seconds.append((sky.time?.nanosecondsSince1970 ?? 0) / 1_000_000_000 % 10)
    }
    #expect(seconds == [1, 2, 3])
  }

  @Test func `A recording watches the targets that are set, in every iteration, until they are removed`() async throws {
    let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
    let path = root + "/recordings/city.nmea"
    var places: [Coordinate] = []
    for await case .position(let position) in try LocationUpdates.recording(path) { places.append(position.coordinate) }
    let ride = try LocationUpdates.recording(path)
    #expect(throws: LocationClientError.self) { try ride.setTarget("", at: places[0]) }
    try ride.setTarget("half", at: places[places.count / 2], radius: 50)
    /// The states up to the first arrival; the recording has a target of its own.
    func arrivals() async -> [ArrivalReport] {
      var arrivals: [ArrivalReport] = []
      for await case .arrival(let arrival) in ride where arrival.name == "half" {
        arrivals.append(arrival)
        if arrival.state == .arriving { break }
      }
      return arrivals
    }
    let first = await arrivals()
    #expect(first.map(\.state) == [.away, .arriving] && first.allSatisfy { $0.radius == 50 })
    #expect(try #require(first.last?.distance) < 50)
    #expect(await arrivals() == first)
    // Removed, and set, at a place of the ride.
    try ride.setTarget("end", at: try #require(places.last))
    ride.removeTarget("half")
    ride.removeTarget("nowhere")
    var said: [String] = []
    for await update in ride {
      switch update {
      case .arrival(let arrival) where arrival.name != "office": said.append("\(arrival.name) \(arrival.state)")
      case .error(let error): said.append("error of \(error.request ?? "")")
      default: break
      }
    }
    #expect(said.starts(with: ["half away", "end away", "half removed", "error of TARGET", "end arriving"]))
  }
}
