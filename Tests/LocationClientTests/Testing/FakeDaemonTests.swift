import GPSDProtocol
import LocationClient
import LocationClientTesting
import LocationCore
import Synchronization
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

    var satellite = SkyReport.Satellite(number: 5, isUsed: true)
    satellite.elevation = 45
    satellite.systemID = 0
    let sky = SkyReport(device: "/dev/gps0", satellites: [satellite])
    var state = StateReport(phase: .failed, source: "serial", error: .busy, message: "held", remedy: "stop it")
    state.leadReason = .silent
    state.elapsed = .seconds(2.5)
    let arrival = ArrivalReport(name: "home", state: .arriving, distance: 40, bearing: 90, timeRemaining: .seconds(8))
    let playback = PlaybackReport(position: .seconds(1.5), duration: .seconds(60), speed: 2)
    let error = ErrorReport(
      message: "no", code: .init("later"), lastKnown: LastKnown(coordinate: home, age: .seconds(3)))
    var trip = TripReport(name: "day", state: .moving)
    trip.distance = 1234.5
    daemon.send(sky)
    daemon.send(state)
    daemon.send(arrival)
    daemon.send(playback)
    daemon.send(error)
    daemon.send(trip)
    daemon.send(RecordReport(state: .recording))
    for expected in [
      LocationClient.Update.sky(sky), .state(state), .arrival(arrival), .playback(playback), .error(error), .trip(trip),
      .record(RecordReport(state: .recording)),
    ] {
      #expect(await updates.next() == expected)
    }

    let position = Position(
      coordinate: home, mode: .twoD, status: .dgps, time: UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000),
      altitudeMSL: 519, altitudeHAE: 565.5, geoidSeparation: 46.5, speed: 5, course: 90, climb: -1.5, heading: 92,
      magneticVariation: 4, horizontalAccuracy: 2.5, verticalAccuracy: 4, speedAccuracy: 0.5, courseAccuracy: 6, seq: 7,
      reason: .stopped, source: "serial",
      device: "/dev/gps0", isSuspect: true)
    daemon.send(position)
    #expect(await updates.next() == .position(position))
  }

  @Test func `A test waits for a subscription, and reads the requests`() async throws {
    let daemon = try FakeDaemon()
    try await daemon.start()
    async let subscribed: Void = daemon.subscribed()
    let updates = try daemon.client.updates(Subscription(distanceFilter: 0))
    await subscribed
    await daemon.subscribed()
    #expect(daemon.requests.map { $0.prefix(7) } == ["?WATCH="])
    updates.cancel()
    try await daemon.stop()
    let waiting = Task { await daemon.subscribed() }
    waiting.cancel()
    await waiting.value
  }

  @Test func `A restarted daemon gets back the views that did not follow`() async throws {
    let daemon = try FakeDaemon()
    try await daemon.start()
    daemon.send(Position(coordinate: home))
    let updates = try daemon.client.updates(Subscription(distanceFilter: 0))
    var next = updates.makeAsyncIterator()
    /// The state in the next report of the view.
    func isFollowing() async -> Bool? {
      while let update = await next.next() { if case .follow(let view) = update { return view.isFollowing } }
      return nil
    }
    #expect(await isFollowing() == true)
    #expect(updates.report(ViewRequest(coordinate: home, seq: 1, cause: .follow)))
    #expect(await isFollowing() == true)
    let away = try #require(home.moved(by: 100.2, bearing: 0))
    #expect(updates.report(ViewRequest(coordinate: away, seq: 1, cause: .user)))
    #expect(await isFollowing() == false)

    try await daemon.stop()
    daemon.received.withLock { $0.removeAll() }
    try await daemon.start()
    // Neither the snapshot nor anything before it says that the view follows.
    #expect(await isFollowing() == false)
    #expect(await isFollowing() == false)
    let requests = daemon.received.withLock { $0 }
    let restored = try #require(requests.firstIndex(of: .engine(.restoreFollow(view: "main", following: false))))
    let subscribed = requests.firstIndex { if case .watch(let watch?) = $0 { watch.enable } else { false } }
    #expect(try restored < #require(subscribed))
    daemon.setFollowing(true)
    #expect(await isFollowing() == true)
  }

  @Test func `Requests are answered or refused as the test says`() async throws {
    let daemon = try FakeDaemon(clock: ManualClock())
    try await daemon.start()
    let client = daemon.client
    await #expect(throws: LocationClientError.timedOut(lastKnown: nil)) { try await client.locate() }
    daemon.send(Position(coordinate: home))
    #expect(try await client.locate(maxAge: .seconds(600)).coordinate == home)
    #expect(try await client.follow().isFollowing)
    daemon.refuseRequests(with: ErrorReport(message: "no", code: .denied, remedy: "join"))
    await #expect(throws: LocationClientError.denied(message: "no", remedy: "join")) { try await client.locate() }
  }

  @Test func `A position that is too old is not located, but known`() async throws {
    let clock = ManualClock()
    let daemon = try FakeDaemon(clock: clock)
    try await daemon.start()
    daemon.send(Position(coordinate: home, received: clock.now - .seconds(60), source: "serial"))
    do throws(LocationClientError) {
      _ = try await daemon.client.locate(maxAge: .seconds(59))
      Issue.record("a position of a minute ago")
    } catch {
      guard case .timedOut(let last?) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(last.coordinate == home && last.age ?? .zero >= .seconds(60) && last.seq == 1 && last.source == "serial")
    }
    #expect(try await daemon.client.locate(maxAge: .seconds(600)).coordinate == home)
  }

  @Test func `Targets of a subscription are reported to all, restored after a restart and end with it`() async throws {
    let clock = ManualClock()
    let daemon = try FakeDaemon(clock: clock)
    try await daemon.start()
    let other = try daemon.client.updates(Subscription(distanceFilter: 0))
    var all = other.makeAsyncIterator()
    /// The next states of the target.
    func states(_ count: Int) async -> [ArrivalReport.State] {
      var states: [ArrivalReport.State] = []
      while states.count < count, let update = await all.next() {
        guard case .arrival(let arrival) = update else { continue }
        #expect(
          arrival.coordinate?.latitude == home.latitude && arrival.coordinate?.longitude == home.longitude
            && arrival.radius == 50)
        states.append(arrival.state)
      }
      return states
    }
    /// Reads on to the loss of the connection; the wait for the next one has begun by then.
    func waitForLoss(_ updates: LocationUpdates?) async {
      guard let updates else { return }
      for await update in updates { if case .disconnected = update { break } }
    }
    var updates: LocationUpdates? = daemon.client.updates()
    #expect(throws: LocationClientError.self) { try updates?.setTarget("home", at: home, radius: 0) }
    try updates?.setTarget("home", at: home, radius: 50)
    #expect(await states(1) == [.away])
    daemon.send(Position(coordinate: home))
    #expect(await states(1) == [.arriving])
    #expect(try await daemon.client.targets().map(\.distance) == [0])
    try await daemon.stop()
    await waitForLoss(other)
    await waitForLoss(updates)
    try await daemon.start()
    clock.advance(by: .seconds(5))
    // In the snapshot, or after it.
    #expect(await states(1) == [.away])
    daemon.send(Position(coordinate: home))
    #expect(await states(1) == [.arriving])
    updates = nil
    #expect(await states(1) == [.removed])
    #expect(try await daemon.client.setTarget("home", at: home, radius: 50)?.state == .away)
    try await daemon.client.removeTarget("home")
    #expect(await states(2) == [.away, .removed])
    #expect(try await daemon.client.targets().isEmpty)
  }

  @Test func `What is sent before a client subscribes reaches it`() async throws {
    let daemon = try FakeDaemon()
    try await daemon.start()
    let sky = SkyReport(device: "/dev/gps0", satellites: [SkyReport.Satellite(number: 5, isUsed: true)])
    let home = ArrivalReport(name: "home", state: .arriving, distance: 40, bearing: 90, timeRemaining: .seconds(8))
    let work = ArrivalReport(name: "work", state: .away, distance: 4000, bearing: 90)
    var removed = work
    removed.state = .removed
    let playback = PlaybackReport(position: .seconds(1.5), duration: .seconds(60), speed: 2)
    let error = ErrorReport(message: "no", code: .init("later"))
    daemon.send(error)
    daemon.send(sky)
    daemon.send(work)
    daemon.send(home)
    daemon.send(removed)
    daemon.send(playback)
    /// All that a subscriber gets up to an update.
    func received(upTo last: LocationClient.Update) async -> [LocationClient.Update] {
      var all: [LocationClient.Update] = []
      for await update in daemon.client.updates() {
        all.append(update)
        if update == last { break }
      }
      return all
    }
    let first = await received(upTo: .playback(playback))
    #expect(first.contains(.sky(sky)) && first.contains(.arrival(home)) && first.contains(.error(error)))
    #expect(!first.contains(.arrival(work)))
    // The snapshot of another one, without what was said once.
    let second = await received(upTo: .arrival(home))
    #expect(second.contains(.sky(sky)) && !second.contains(.error(error)))
  }

  @Test func `Trips are started, shown, changed and ended`() async throws {
    let daemon = try FakeDaemon(clock: ManualClock())
    try await daemon.start()
    let client = daemon.client
    #expect(try await client.trips() == [])
    #expect(try await client.startTrip("day") == TripReport(name: "day"))
    var trip = TripReport(name: "day", state: .moving)
    (trip.distance, trip.lapDistance) = (1200, 1200)
    daemon.send(trip)
    #expect(try await client.startTrip("day") == trip)
    var updates = client.updates().makeAsyncIterator()
    while let update = await updates.next(), update != .trip(trip) {}
    (trip.lap, trip.lapDistance) = (2, 0)
    #expect(try await client.beginLap(ofTrip: "day") == trip)
    #expect(await updates.next() == .trip(trip))
    #expect(try await client.resetTrip("day") == TripReport(name: "day", state: .moving))
    #expect(try await client.endTrip("day") == TripReport(name: "day", state: .ended))
    #expect(try await client.trips() == [])
    await #expect(throws: LocationClientError.self) { try await client.beginLap(ofTrip: "day") }
    await #expect(throws: LocationClientError.self) { try await client.startTrip("") }
  }

  @Test func `Sensors reach those who subscribe to them, and answer a question`() async throws {
    let daemon = try FakeDaemon(clock: ManualClock())
    try await daemon.start()
    let client = daemon.client
    #expect(try await client.sensors() == [])
    let (heart, power) = (
      SensorReport(sensor: .heartRate, value: 142, unit: "1/min"), SensorReport(sensor: .power, value: 204, unit: "W")
    )
    let state = StateReport(phase: .tracking)
    daemon.send(state)
    daemon.send(heart)
    daemon.send(power)
    #expect(try await client.sensors() == [heart, power])
    var readers = try client.updates(Subscription(includesSensors: true)).makeAsyncIterator()
    var others = client.updates().makeAsyncIterator()
    while let update = await readers.next(), update != .sensor(power) {}
    let error = ErrorReport(message: "the end", code: .request)
    while let update = await others.next(), update != .state(state) {}
    daemon.send(heart)
    daemon.send(error)
    #expect(await readers.next() == .sensor(heart))
    while let update = await others.next(), update != .error(error) {
      if case .sensor = update { Issue.record("it did not subscribe to sensors") }
    }
  }

  @Test func `A course is set, ridden, followed again and ended`() async throws {
    let daemon = try FakeDaemon(clock: ManualClock())
    try await daemon.start()
    let client = daemon.client
    let places = try (0...20).map { try #require(home.moved(by: 100 * Double($0), bearing: 0)) }
    #expect(try await client.courses() == [])
    var updates = try client.updates(Subscription(includesCourse: true)).makeAsyncIterator()
    var others = client.updates().makeAsyncIterator()
    let set = try await client.setCourse("tour", along: places, elevations: places.indices.map { 500 + Double($0) })
    #expect(set.state == .before && set.remaining.map { abs($0 - 2000) < 1 } == true)
    #expect(try await client.addCue("Left", kind: "left", at: places[10], ofCourse: "tour").name == "tour")
    await daemon.subscribed()
    for number in 0...10 {
      daemon.send(
        Position(
          coordinate: try #require(home.moved(by: 50 * Double(number), bearing: 0)),
          time: UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000 + 5_000_000_000 * Int64(number)), speed: 10,
          course: 0, horizontalAccuracy: 3))
    }
    var course = CourseReport(name: "", state: .before)
    while let update = await updates.next() {
      if case .course(let report) = update { course = report }
      if course.seq == 11 { break }
    }
    #expect(course.state == .on && course.cue == "Left" && course.cueKind == "left")
    #expect(course.along.map { abs($0 - 500) < 1 } == true && course.cueDistance.map { abs($0 - 500) < 2 } == true)
    var seen: [LocationClient.Update] = []
    while let update = await others.next() {
      seen.append(update)
      if case .position(let position) = update, position.seq == 11 { break }
    }
    #expect(!seen.contains { if case .course = $0 { true } else { false } }, "he has not subscribed to it")
    #expect(try await client.setCourse("other", along: places).state == .before)
    #expect(try await client.followCourse("tour").along == course.along)
    #expect(try await client.courses().map(\.state) == [.on, .kept])
    let planned = try await client.course(named: "tour")
    #expect(planned.places.count == 21 && planned.elevations == places.indices.map { 500 + Double($0) })
    #expect(zip(planned.places, places).allSatisfy { $0.distance(to: $1) < 0.1 })
    #expect(planned.cues.map(\.text) == ["Left"] && planned.cues.first?.kind == "left")
    #expect(planned.revision == course.revision)
    await #expect(throws: LocationClientError.self) { try await client.course(named: "none") }
    #expect(try await client.endCourse("tour").state == .ended)
    await #expect(throws: LocationClientError.self) { try await client.followCourse("tour") }
    await #expect(throws: LocationClientError.self) { try await client.setCourse("", along: places) }
    await #expect(throws: LocationClientError.self) { try await client.setCourse("one", along: [places[0]]) }
    let many = Array(repeating: places, count: 5000).flatMap(\.self)
    await #expect(throws: LocationClientError.self) { try await client.setCourse("long", along: many) }
    #expect(try await client.courses().map(\.name) == ["other"])
  }

  @Test(arguments: [#""polyline":"??","from":1,"points":2"#, #""from":1,"points":1"#])
  func `A course that changes while it is read is read again`(changed: String) async throws {
    // The second piece is of another revision than the first, and empty if the course is shorter; so both are read again.
    let tails = [
      #"1,"polyline":"??","from":0,"points":2,"next":1"#, "2,\(changed)",
      #"2,"polyline":"??","from":0,"points":2,"next":1"#, #"2,"polyline":"??","from":1,"points":2"#,
    ]
    let count = Mutex(0)
    let daemon = try FakeDaemon { request in
      guard case .question(.coursePiece) = request else { return [] }
      let number = count.withLock { count in
        count += 1
        return count - 1
      }
      guard tails.indices.contains(number) else { return [] }
      return [#"{"class":"COURSE","name":"tour","state":"on","revision":\#(tails[number])}"#]
    }
    try await daemon.start()
    let course = try await daemon.client.course(named: "tour")
    #expect(course.revision == 2 && course.places.count == 2 && count.withLock { $0 } == 4)
  }

  @Test func `A view that is reported once, without a number, ends following`() async throws {
    let daemon = try FakeDaemon(clock: ManualClock())
    try await daemon.start()
    let client = daemon.client
    let away = try #require(home.moved(by: 500, bearing: 90))
    #expect(try await client.report(ViewRequest(coordinate: away, cause: .user)).isFollowing)
    daemon.send(Position(coordinate: home))
    #expect(try await client.report(ViewRequest(coordinate: home, cause: .user)).isFollowing)
    #expect(try await client.report(ViewRequest(coordinate: away, cause: .zoom)).isFollowing)
    let report = try await client.report(ViewRequest(coordinate: away, cause: .user))
    #expect(!report.isFollowing && report.reason == .drift && abs((report.distance ?? 0) - 500) < 1)
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
