import GPSDProtocol
import Synchronization
import LocationClientTesting
import Testing

@testable import LocationClient

private final class Flag: Sendable {
  let value = Atomic(false)
}

@Suite(.timeLimit(.minutes(5))) struct LocationUpdatesTests {
  private static let watching = #"{"class":"WATCH","enable":true,"json":true}"#

  private static func position(_ seq: Int) -> String {
    #"{"class":"TPV","mode":3,"status":1,"lat":48.1,"lon":11.5,"seq":\#(seq),"reason":"moved","source":"main"}"#
  }

  private static func answerWatch(_ lines: String...) -> @Sendable (Request) -> [String] {
    { request in if case .watch = request { [watching] + lines } else { [] } }
  }

  @Test func `Reports of the daemon become updates`() async throws {
    let daemon = try FakeDaemon(
      clock: ManualClock(),
      answer: Self.answerWatch(
        Self.position(7), #"{"class":"STATE","state":"tracking","mode":3,"source":"main"}"#,
        #"{"class":"SKY","nSat":0,"uSat":0,"satellites":[]}"#))
    try await daemon.start()
    let updates = try daemon.client.updates(Subscription(distanceFilter: 10, heartbeat: .seconds(30)))
    var iterator = updates.makeAsyncIterator()
    guard case .connected(let version)? = await iterator.next() else {
      Issue.record("not connected")
      return
    }
    #expect(version.release == "9.9")
    guard case .position(let position)? = await iterator.next() else {
      Issue.record("no position")
      return
    }
    #expect(position.seq == 7)
    #expect(position.coordinate.latitude == 48.1)
    #expect(position.reason == .moved)
    guard case .state(let state)? = await iterator.next() else {
      Issue.record("no state")
      return
    }
    #expect(state.phase == .init("tracking"))
    guard case .sky? = await iterator.next() else {
      Issue.record("no sky")
      return
    }
    #expect(daemon.received.withLock { $0 } == [Subscription(distanceFilter: 10, heartbeat: .seconds(30)).request])
  }

  @Test func `A subscription reconnects when the daemon returns`() async throws {
    // No attempt comes between the daemon's bind and its listen, which would be another error.
    let clock = ManualClock()
    let daemon = try FakeDaemon(clock: clock, answer: Self.answerWatch(Self.position(1)))
    let updates = daemon.client.updates()
    var iterator = updates.makeAsyncIterator()
    guard case .disconnected(.noDaemon(daemon.endpoint, _))? = await iterator.next() else {
      Issue.record("a daemon where none is")
      return
    }
    try await daemon.start()
    clock.advance(by: .seconds(5))
    guard case .connected? = await iterator.next(), case .position? = await iterator.next() else {
      Issue.record("not connected")
      return
    }
    try await daemon.stop()
    guard case .disconnected(.closed)? = await iterator.next() else {
      Issue.record("no disconnection")
      return
    }
    try await daemon.start()
    clock.advance(by: .seconds(5))
    while let update = await iterator.next() {
      if case .position = update { return }
    }
    Issue.record("no position after the return")
  }

  @Test func `A violation is an error, and connecting continues`() async throws {
    // Once: a consumer that is kept waiting misses the first of many violations.
    let isRepaired = Flag()
    let clock = ManualClock()
    let daemon = try FakeDaemon(clock: clock) { request in
      guard case .watch = request else { return [] }
      return [Self.watching] + (isRepaired.value.exchange(true, ordering: .relaxed) ? [] : ["{\"class\":"])
    }
    try await daemon.start()
    let updates = daemon.client.updates()
    var iterator = updates.makeAsyncIterator()
    var received: [LocationClient.Update] = []
    while received.count < 3, let update = await iterator.next() {
      received.append(update)
      if case .disconnected = update { clock.advance(by: .seconds(5)) }
    }
    guard received.count == 3, case .connected = received[0], case .disconnected(.protocolViolation) = received[1],
      case .connected = received[2]
    else {
      Issue.record("\(received)")
      return
    }
  }

  @Test func `A slow consumer gets the newest position only`() async throws {
    let flood = (1...5000).map(Self.position)
    let last = #"{"class":"FOLLOW","view":"main","following":true}"#
    let daemon = try FakeDaemon { request in
      if case .watch = request { [Self.watching] + flood + [last] } else { [] }
    }
    try await daemon.start()
    // It is asked only when its connection has read to the end.
    let (reading, end) = AsyncStream.makeStream(of: Void.self)
    let slow = LocationClient(endpoint: daemon.endpoint).updates(Subscription()) { reply in
      if case .follow = reply.report { end.finish() }
    }
    for await _ in reading {}
    var positions = 0
    var newest: UInt64?
    for await update in slow {
      if case .position(let position) = update {
        positions += 1
        newest = position.seq
      }
      if case .follow = update { break }
    }
    #expect(newest == 5000)
    #expect(positions == 1)
    #expect(slow.missedEvents == 0)
  }

  @Test func `A view is reported on the subscribed connection`() async throws {
    let daemon = try FakeDaemon { request in
      switch request {
      case .watch: [Self.watching]
      case .engine(.view(let view)):
        [#"{"class":"FOLLOW","view":"\#(view.view)","following":false,"reason":"drift","distance":120}"#]
      default: []
      }
    }
    let updates = LocationClient(endpoint: daemon.endpoint).updates()
    let place = try #require(Coordinate(latitude: 48, longitude: 11))
    let view = ViewRequest(view: "map", coordinate: place, seq: 5, cause: .user)
    #expect(!updates.report(view))
    try await daemon.start()
    var iterator = updates.makeAsyncIterator()
    while let update = await iterator.next() { if case .connected = update { break } }
    // `connected` is delivered just before the connection takes requests.
    while !updates.report(view) { await Task.yield() }
    guard case .follow(let follow)? = await iterator.next() else {
      Issue.record("no follow")
      return
    }
    #expect(follow.distance == 120)
    #expect(daemon.received.withLock { $0.last } == .engine(.view(view)))
  }

  @Test func `Cancelling ends the sequence`() async throws {
    let daemon = try FakeDaemon(answer: Self.answerWatch())
    try await daemon.start()
    let updates = LocationClient(endpoint: daemon.endpoint).updates()
    let consumer = Task {
      var count = 0
      for await _ in updates { count += 1 }
      return count
    }
    updates.cancel()
    _ = await consumer.value

    let others = LocationClient(endpoint: daemon.endpoint).updates()
    let cancelled = Task { for await _ in others {} }
    cancelled.cancel()
    await cancelled.value
  }

  @Test func `The connection closes with the last reference`() async throws {
    let daemon = try FakeDaemon(answer: Self.answerWatch())
    try await daemon.start()
    weak var connection: AnyObject?
    // Unoptimised code holds values to the end of their function.
    func read() async {
      let updates = LocationClient(endpoint: daemon.endpoint).updates()
      connection = updates.connection
      var iterator = updates.makeAsyncIterator()
      _ = await iterator.next()
    }
    await read()
    while connection != nil || daemon.connections > 0 { await Task.yield() }
  }
}
