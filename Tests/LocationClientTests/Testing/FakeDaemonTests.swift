import GPSDProtocol
import LocationClient
import LocationClientTesting
import LocationCore
import Testing

@Suite(.timeLimit(.minutes(5))) struct FakeDaemonTests {
  private let home: Coordinate

  init() throws {
    home = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
  }

  @Test func `Everything that is sent arrives as it was made`() async throws {
    let daemon = try FakeDaemon()
    try await daemon.start()
    var updates = try daemon.client.updates(Subscription(distanceFilter: 0)).makeAsyncIterator()
    // The last line of the snapshot.
    while let update = await updates.next() { if case .follow = update { break } }

    var satellite = SKY.Satellite(number: 5, used: true)
    satellite.elevation = 45
    satellite.gnssID = 0
    var sky = SKY(device: "/dev/gps0", satellites: [satellite])
    sky.uSat = 1
    var state = StateReport(state: .failed, source: "serial", error: .busy, message: "held", remedy: "stop it")
    state.leads = .silent
    state.since = .seconds(2.5)
    let arrival = ArrivalReport(name: "home", state: .arriving, distance: 40, bearing: 90, eta: .seconds(8))
    let playback = PlaybackReport(position: .seconds(1.5), duration: .seconds(60), speed: 2)
    let error = ErrorReport(message: "no", code: "later")
    daemon.send(sky)
    daemon.send(state)
    daemon.send(arrival)
    daemon.send(playback)
    daemon.send(error)
    for expected in [
      LocationClient.Update.sky(sky), .state(state), .arrival(arrival), .playback(playback), .error(error),
    ] {
      #expect(await updates.next() == expected)
    }

    var position = Position(
      coordinate: home, mode: .twoD, status: .dgps, time: UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000),
      altitudeMSL: 519, altitudeHAE: 565.5, geoidSeparation: 46.5, speed: 5, course: 90, climb: -1.5, heading: 92,
      magneticVariation: 4, horizontalAccuracy: 2.5, verticalAccuracy: 4, speedAccuracy: 0.5, courseAccuracy: 6, seq: 7,
      reason: .stopped, source: "serial",
      device: "/dev/gps0", isSuspect: true)
    daemon.send(position)
    guard case .position(let received)? = await updates.next() else {
      Issue.record("no position")
      return
    }
    #expect((received.received - position.received) / .seconds(1) < 60)
    position.received = received.received
    #expect(received == position)
  }

  @Test func `Cancelled requests do not disturb a daemon`() async throws {
    let daemon = try FakeDaemon()
    try await daemon.start()
    for number in 0..<50 {
      let request = Task { try? await daemon.client.setFollowing(number.isMultiple(of: 2)) }
      request.cancel()
      _ = await request.value
    }
    let answer = try await daemon.client.setFollowing(false)
    #expect(answer.following == false)
  }

  @Test func `A restarted daemon gets back the views that did not follow`() async throws {
    let daemon = try FakeDaemon()
    try await daemon.start()
    daemon.send(Position(coordinate: home))
    let updates = try daemon.client.updates(Subscription(distanceFilter: 0))
    var next = updates.makeAsyncIterator()
    /// The state in the next report of the view.
    func isFollowing() async -> Bool? {
      while let update = await next.next() { if case .follow(let view) = update { return view.following } }
      return nil
    }
    #expect(await isFollowing() == true)
    #expect(updates.report(ViewRequest(position: home, seq: 1, cause: .follow)))
    #expect(await isFollowing() == true)
    let away = try #require(home.moved(by: 100.2, bearing: 0))
    #expect(updates.report(ViewRequest(position: away, seq: 1, cause: .user)))
    #expect(await isFollowing() == false)

    try await daemon.stop()
    daemon.requests.withLock { $0.removeAll() }
    try await daemon.start()
    // Neither the snapshot nor anything before it says that the view follows.
    #expect(await isFollowing() == false)
    let requests = daemon.requests.withLock { $0 }
    let restored = try #require(requests.firstIndex(of: .restoreFollow(view: "main", following: false)))
    let subscribed = requests.firstIndex { if case .watch(let watch?) = $0 { watch.enable } else { false } }
    #expect(try restored < #require(subscribed))
    daemon.setFollowing(true)
    #expect(await isFollowing() == true)
  }

  @Test func `Requests are answered or refused as the test says`() async throws {
    let daemon = try FakeDaemon()
    try await daemon.start()
    let client = daemon.client
    await #expect(throws: LocationClientError.timedOut(lastKnown: nil)) { try await client.locate() }
    daemon.send(Position(coordinate: home))
    #expect(try await client.locate().coordinate == home)
    #expect(try await client.follow().following)
    await #expect(throws: LocationClientError.self) { try await client.status() }
    daemon.refuseRequests(with: ErrorReport(message: "no", code: .denied, remedy: "join"))
    await #expect(throws: LocationClientError.denied(message: "no", remedy: "join")) { try await client.locate() }
  }

  @Test func `A line that breaks the protocol ends the connection`() async throws {
    let daemon = try FakeDaemon()
    try await daemon.start()
    var updates = daemon.client.updates().makeAsyncIterator()
    while let update = await updates.next() { if case .follow = update { break } }
    daemon.send(line: "{")
    guard case .disconnected(.protocolViolation)? = await updates.next() else {
      Issue.record("the line was accepted")
      return
    }
  }
}

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
    let view = ViewRequest(position: try #require(Coordinate(latitude: 1, longitude: 2)))
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
    var states: [StateReport.State] = []
    for await update in try LocationUpdates.recording(root + "/recordings/tunnel.nmea") {
      switch update {
      case .position(let position): positions.append(position)
      case .state(let state): states.append(state.state)
      default: break
      }
    }
    #expect(positions.map(\.seq) == (1...UInt64(positions.count)).map { $0 })
    #expect(positions.first?.reason == .first)
    #expect(positions.contains { $0.reason == .regained })
    #expect(states.starts(with: [.tracking, .lost, .tracking]))
    for (earlier, later) in zip(positions, positions.dropFirst()) {
      let measured = try #require(later.time) - #require(earlier.time)
      #expect(abs((later.received - earlier.received - measured) / .seconds(1)) < 1)
    }
    #expect(throws: (any Error).self) { try LocationUpdates.recording("/dev/null") }
  }
}
