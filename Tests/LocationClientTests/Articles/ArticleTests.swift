import Glibc
import LocationClient
import LocationClientTesting
import Testing

// The code of the articles in LocationClient.docc, line for line; a test below compares them.

actor Map {
  private(set) var newest: Position?
  private(set) var message = "connecting"

  func run(_ updates: LocationUpdates) async {
    for await update in updates {
      switch update {
      case .connected: message = ""
      case .position(let position): newest = position
      case .state(let state): message = state.message ?? (state.phase == .tracking ? "" : "\(state.phase)")
      case .disconnected(let error): message = "\(error)"
      default: break
      }
    }
  }
}

struct Frame {
  var place: Coordinate
  /// Degrees from true north; `nil` before the first course.
  var track: Double?
  /// Metres around the marker in which the receiver would report the rider with a probability of 95 %.
  var radius: Double
  /// Whether the marker is grey: no fix has come for 3 s.
  var isOld: Bool
}

/// Draws a frame at every instant of the display.
func render(
  _ updates: LocationUpdates, on display: some AsyncSequence<ContinuousClock.Instant, Never>, draw: (Frame) -> Void
) async {
  for await shown in display {
    guard let pose = updates.pose(at: shown) else { continue }
    let isOld = pose.basis == .held && pose.age >= .seconds(3)
    draw(Frame(place: pose.coordinate, track: pose.course, radius: pose.horizontalAccuracy, isOld: isOld))
  }
}

actor Camera {
  private(set) var isFollowing = true
  private(set) var centre: Coordinate?
  private var shown: UInt64?
  private let updates: LocationUpdates

  init(_ updates: LocationUpdates) { self.updates = updates }

  func run() async {
    for await update in updates {
      switch update {
      case .position(let position) where isFollowing:
        shown = position.seq
        move(to: position.coordinate, cause: .follow)
      case .follow(let view) where view.view == "main": isFollowing = view.isFollowing
      default: break
      }
    }
  }

  /// Moves the map: by hand unless another cause is given.
  func move(to place: Coordinate, cause: ViewCause = .user) {
    centre = place
    updates.report(ViewRequest(coordinate: place, seq: shown, cause: cause))
  }
}

@Suite("The code of the articles", .timeLimit(.minutes(5))) struct ArticleTests {
  private static let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()

  @Test func `A map draws from a subscription and shows the state`() async throws {
    let daemon = try FakeDaemon()
    try await daemon.start()
    let client = daemon.client
    let home = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
    daemon.send(Position(coordinate: home))
    daemon.send(StateReport(phase: .lost))

    let updates = try client.updates(Subscription(distanceFilter: 0, includesSatellites: false))
    let map = Map()
    let drawing = Task { await map.run(updates) }

    while await map.message != "lost" { await Task.yield() }
    #expect(await map.newest?.coordinate == home)
    let pose = try #require(updates.pose())
    #expect(pose.coordinate.distance(to: home) < 0.01 && pose.basis == .held)
    try await daemon.stop()
    while await map.message == "lost" { await Task.yield() }
    drawing.cancel()
  }

  @Test func `A renderer draws the way between the positions`() async throws {
    let home = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
    let begin = ContinuousClock.now
    let time = UTCInstant(nanosecondsSince1970: 1_773_923_700_000_000_000)
    let positions = (0..<10).compactMap { second -> LocationClient.Update? in
      home.moved(by: 10 * Double(second), bearing: 90).map {
        .position(
          Position(
            coordinate: $0, time: time + .seconds(second), received: begin + .seconds(second), speed: 10, course: 90))
      }
    }
    let updates = LocationUpdates(positions)
    let map = Map()
    await map.run(updates)
    let (display, frames) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    for frame in 0..<400 { frames.yield(begin + .seconds(9) + .nanoseconds(frame * 16_666_667)) }
    frames.finish()
    var drawn: [Frame] = []
    await render(updates, on: display) { drawn.append($0) }
    #expect(drawn.count == 400)
    // The fix is 0.1 s old when it arrives, and the last one for 3 s.
    let metres = drawn.map { home.distance(to: $0.place) }
    #expect(abs(metres[60] - 101) < 0.1 && abs((metres.last ?? 0) - 120) < 0.1)
    #expect(zip(metres, metres.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(drawn.first?.isOld == false && drawn.last?.isOld == true)
  }

  @Test func `Updates from an array are drawn`() async throws {
    let home = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
    let updates = LocationUpdates([.position(Position(coordinate: home, speed: 10, course: 90))])
    let map = Map()
    await map.run(updates)
    let newest = try #require(await map.newest)
    let pose = try #require(updates.pose(at: newest.received + .seconds(1)))
    #expect(abs(home.distance(to: pose.coordinate) - 11) < 0.001)
  }

  @Test func `A recording is played`() async throws {
    let path = Self.root + "/recordings/city.nmea"
    let ride = try LocationUpdates.recording(path)
    var metres = 0.0
    var last: Position?
    for await case .position(let position) in ride {
      metres += last.map { $0.coordinate.distance(to: position.coordinate) } ?? 0
      last = position
    }
    #expect(metres > 1000)
  }

  @Test func `Targets are set in a recording`() async throws {
    let path = Self.root + "/recordings/city.nmea"
    var places: [Coordinate] = []
    for await case .position(let position) in try LocationUpdates.recording(path) { places.append(position.coordinate) }
    let market = places[places.count / 2]
    let ride = try LocationUpdates.recording(path)
    try ride.setTarget("market", at: market)
    var states: [ArrivalReport.State] = []
    for await case .arrival(let arrival) in ride where arrival.name == "market" { states.append(arrival.state) }
    #expect(states.starts(with: [.away, .arriving]))
  }

  @Test func `Time passes when the test says so`() async throws {
    let clock = ManualClock()
    let daemon = try FakeDaemon(clock: clock)
    try await daemon.start()
    daemon.delayAnswers(by: .seconds(60))
    let client = daemon.client
    let answer = Task { try await client.status() }
    while daemon.requests.isEmpty { await Task.yield() }
    // The application shows that it is waiting.
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: LocationClientError.self) { try await answer.value }
    #expect(error?.description.contains("does not answer") == true)
  }

  @Test func `A camera follows, is dragged away, and follows again`() async throws {
    let home = try #require(Coordinate(latitude: 48.137, longitude: 11.575))
    let daemon = try FakeDaemon()
    try await daemon.start()
    let camera = Camera(try daemon.client.updates(Subscription(distanceFilter: 0)))
    let running = Task { await camera.run() }
    defer { running.cancel() }

    daemon.send(Position(coordinate: home))
    var reports = daemon.viewReports.makeAsyncIterator()
    #expect(await reports.next()?.cause == .follow)

    let away = try #require(home.moved(by: 500, bearing: 90))
    await camera.move(to: away)
    while await camera.isFollowing { await Task.yield() }

    let client = LocationClient(endpoint: daemon.endpoint, clock: ManualClock())
    let view = try await client.setFollowing(true)
    #expect(view.isFollowing)
    while await !camera.isFollowing { await Task.yield() }
  }

  @Test(arguments: ["DrawPosition", "FollowMode", "ReplayInTests", "Dashboard"])
  func `The articles have the code of this folder`(name: String) throws {
    let article = try Self.lines(of: Self.root + "/Sources/LocationClient/LocationClient.docc/\(name).md")
    let folder = Self.root + "/Tests/LocationClientTests/Articles"
    let code = try Self.lines(of: "\(folder)/\(name == "Dashboard" ? "DashboardTests" : "ArticleTests").swift")
    var blocks: [[String]] = []
    var isInside = false
    for line in article {
      if line == "```swift" { blocks.append([]) }
      if isInside, line != "```" { blocks[blocks.count - 1].append(line) }
      if line.hasPrefix("```") { isInside = line == "```swift" }
    }
    #expect(!blocks.isEmpty)
    for block in blocks {
      let found = code.indices.contains { Self.stands(block, in: code[$0...]) }
      #expect(found, "not compiled: \(block.joined(separator: "\n"))")
    }
  }

  /// Whether the code begins with a block, indented by any number of spaces.
  private static func stands(_ block: [String], in code: ArraySlice<String>) -> Bool {
    guard let first = code.first, let opening = block.first, code.count >= block.count else { return false }
    let indent = first.prefix { $0 == " " }.count - opening.prefix { $0 == " " }.count
    guard indent >= 0 else { return false }
    let spaces = String(repeating: " ", count: indent)
    return zip(block, code).allSatisfy { $0.isEmpty ? $1.isEmpty : spaces + $0 == $1 }
  }

  private static func lines(of path: String) throws -> [String] {
    let file = try #require(fopen(path, "r"), "\(path)")
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
  }
}
