import LocationClient
import LocationClientTesting
import LocationCore
import Testing

@Suite(.timeLimit(.minutes(5))) struct FakeDaemonTimeTests {
  private let clock = ManualClock()
  private let daemon: FakeDaemon
  private let home: Coordinate

  init() throws {
    daemon = try FakeDaemon(clock: clock)
    home = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
  }

  private func waitForRequests(_ count: Int) async { while daemon.requests.count < count { await Task.yield() } }

  @Test func `A lost connection is made again when the clock says so, and not before`() async throws {
    try await daemon.start()
    let updates = daemon.client.updates()
    await daemon.subscribed()
    try await daemon.stop()
    for await update in updates { if update == .disconnected(.closed) { break } }
    try await daemon.start()
    clock.advance(by: .milliseconds(249))
    // Those of another client, with time enough for a connection.
    for _ in 0..<20 { _ = try await daemon.client.follow() }
    #expect(daemon.requests.count { $0.hasPrefix("?WATCH") } == 1)
    clock.advance(by: .milliseconds(251))
    await daemon.subscribed()
    #expect(daemon.requests.count { $0.hasPrefix("?WATCH") } == 2)
  }

  @Test func `Back-off of a minute takes no minute`() async throws {
    let updates = daemon.client.updates()
    var next = updates.makeAsyncIterator()
    guard case .disconnected(.noDaemon)? = await next.next() else {
      Issue.record("a daemon where none is")
      return
    }
    try await daemon.start()
    clock.advance(by: .seconds(60))
    await daemon.subscribed()
  }

  @Test func `A position is received at the clock's time, and grows old by it`() async throws {
    try await daemon.start()
    let updates = daemon.client.updates()
    await daemon.subscribed()
    daemon.send(Position(coordinate: home, received: clock.now, speed: 10, course: 90))
    for await case .position(let position) in updates {
      #expect(position.received == clock.now)
      break
    }
    clock.advance(by: .seconds(3))
    #expect(try #require(updates.pose(at: clock.now)).age >= .seconds(3))
    await #expect(throws: LocationClientError.self) { try await daemon.client.locate(maxAge: .seconds(2)) }
    let located = try await daemon.client.locate(maxAge: .seconds(4))
    #expect(located.age == .seconds(3) && located.received == clock.now - .seconds(3))
  }

  @Test func `Every position is delivered, so a heartbeat is only what the test sends`() async throws {
    try await daemon.start()
    let updates = try daemon.client.updates(Subscription(distanceFilter: 1000, heartbeat: .seconds(5)))
    await daemon.subscribed()
    var reasons: [Position.Reason?] = []
    var next = updates.makeAsyncIterator()
    for reason in [nil, nil, Position.Reason.heartbeat] {
      daemon.send(Position(coordinate: home, reason: reason))
      while let update = await next.next() {
        guard case .position(let position) = update else { continue }
        reasons.append(position.reason)
        break
      }
      clock.advance(by: .seconds(60))
    }
    #expect(reasons == [.first, .moved, .heartbeat])
  }

  @Test func `A view is kept for 30 s of the clock`() async throws {
    try await daemon.start()
    #expect(try await !daemon.client.setFollowing(false).isFollowing)
    while daemon.connections > 0 { await Task.yield() }
    clock.advance(by: .seconds(29))
    #expect(try await !daemon.client.follow().isFollowing)
    clock.advance(by: .seconds(1))
    #expect(try await daemon.client.follow().isFollowing)
  }

  @Test func `A delayed answer comes when the clock says so`() async throws {
    try await daemon.start()
    daemon.delayAnswers(by: .seconds(3))
    let client = daemon.client
    let trip = Task { try await client.startTrip("day") }
    await waitForRequests(2)
    clock.advance(by: .milliseconds(2999))
    daemon.delayAnswers(by: .zero)
    #expect(try await client.trips().isEmpty)
    clock.advance(by: .milliseconds(1))
    #expect(try await trip.value.name == "day")
  }

  @Test func `Delayed requests keep their order`() async throws {
    try await daemon.start()
    let updates = daemon.client.updates()
    await daemon.subscribed()
    for number in 1...8 {
      // The later ones are due earlier.
      daemon.delayAnswers(by: .seconds(9 - number))
      try updates.setTarget("\(number)", at: home)
      await waitForRequests(1 + number)
    }
    clock.advance(by: .seconds(8))
    var names: [String] = []
    for await case .arrival(let arrival) in updates where arrival.state == .away {
      names.append(arrival.name)
      if arrival.name == "8" { break }
    }
    #expect(names == (1...8).map { "\($0)" })
  }

  @Test func `A request that is not answered times out by the clock`() async throws {
    try await daemon.start()
    daemon.delayAnswers(by: .seconds(3600))
    let client = daemon.client
    let status = Task { try await client.status() }
    let position = Task { try await client.locate(timeout: .seconds(20)) }
    await waitForRequests(3)
    clock.advance(by: .seconds(5))
    var error = await #expect(throws: LocationClientError.self) { try await status.value }
    #expect(error?.description.contains("does not answer") == true)
    clock.advance(by: .seconds(17))
    error = await #expect(throws: LocationClientError.self) { try await position.value }
    #expect(error?.description.contains("does not answer") == true)
  }

  @Test func `A daemon that does not greet is given up by the clock`() async throws {
    let silent = try FakeDaemon(greeting: [], clock: clock) { _ in [] }
    try await silent.start()
    let updates = silent.client.updates()
    while silent.connections == 0 { await Task.yield() }
    let advancing = Task {
      while !Task.isCancelled {
        clock.advance(by: .seconds(5))
        await Task.yield()
      }
    }
    for await update in updates { if case .disconnected(.unusable) = update { break } }
    advancing.cancel()
  }

  @Test func `A clock of any kind is on the scale of the continuous one`() async throws {
    let daemon = try FakeDaemon(clock: SuspendingClock())
    try await daemon.start()
    daemon.send(Position(coordinate: home))
    let position = try await daemon.client.locate(maxAge: .seconds(60))
    #expect(position.received <= .now && .now - position.received < .seconds(60))
  }

  @Test func `A sleep ends with its time, or with its task`() async throws {
    let clock = clock
    let end = clock.now + .seconds(1)
    async let first: Void = clock.sleep(until: end)
    let second = Task { try await clock.sleep(until: end + .seconds(1)) }
    clock.advance(by: .seconds(1))
    try await first
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    try await clock.sleep(until: end)
  }
}
