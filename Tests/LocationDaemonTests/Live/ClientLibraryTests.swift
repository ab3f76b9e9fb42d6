import GPSDProtocol
import Glibc
import LocationClient
import LocationClientTesting
import LocationCore
import Testing

@Suite("LocationClient and the daemon", .onOwnThread, .timeLimit(.minutes(5)))
struct ClientLibraryTests {
  /// By default the daemon alone measures time-outs.
  private func client(
    of daemon: DaemonUnderTest, by clock: any Clock<Duration> = ManualClock()
  ) throws -> LocationClient {
    _ = try daemon.connect()
    return LocationClient(endpoint: .unix(path: daemon.socket), clock: clock)
  }

  @Test func `A subscription survives a daemon that is killed and restarted`() async throws {
    let directory = try ScratchDirectory()
    let line = try PseudoTerminal()
    let killed = try DaemonUnderTest("serial:\(line.path)", in: directory)
    let updates = try client(of: killed, by: ContinuousClock()).updates(Subscription(distanceFilter: 0))
    var next = updates.makeAsyncIterator()
    /// The value of the next update for which `value` is not `nil`.
    func wait<Value>(_ value: (LocationClient.Update) -> Value?) async throws -> Value {
      while let update = await next.next() {
        if let value = value(update) { return value }
      }
      throw Deadline.Late(description: "the updates ended")
    }
    func state(_ name: String) async throws {
      try await wait { if case .state(let state) = $0, state.phase.rawValue == name { () } else { nil } }
    }
    func position() async throws -> Position {
      try await wait { if case .position(let position) = $0 { position } else { nil } }
    }

    try await state("acquiring")
    try line.write(NMEAEpoch(number: 0).text)
    let first = try await position()
    #expect(first.reason == .first)
    #expect(first.seq == 1)
    #expect(first.device == line.path)

    killed.process.signal(SIGKILL)
    let why: LocationClientError = try await wait { if case .disconnected(let why) = $0 { why } else { nil } }
    #expect(why == .closed)
    // Only then is its listening socket closed for certain.
    #expect(try killed.process.waitForEnd() == 128 + SIGKILL)
    let successor = try DaemonUnderTest("serial:\(line.path)", in: directory)
    let version = try await wait { if case .connected(let version) = $0 { version } else { nil } }
    #expect(version.protocolMajor == 3)
    try await state("acquiring")
    try line.write(NMEAEpoch(number: 10, north: 20).text)
    #expect(try await position().seq == 1)
    updates.cancel()
    #expect(try successor.stop() == 0)
  }

  @Test func `Every request of the library is answered`() async throws {
    let line = try PseudoTerminal()
    let daemon = try DaemonUnderTest("serial:\(line.path)")
    let client = try client(of: daemon)
    _ = try daemon.watch().state("acquiring")

    await #expect(throws: LocationClientError.timedOut(lastKnown: nil)) {
      try await client.locate(timeout: .milliseconds(50))
    }
    async let question = client.locate(timeout: .seconds(60), maxAge: .seconds(60))
    try line.write(NMEAEpoch(number: 0).text)
    #expect(try await question.mode == .threeD)

    #expect(try await client.follow().isFollowing)
    #expect(try await !client.setFollowing(false).isFollowing)
    #expect(try await client.follow().reason == .init("requested"))
    #expect(try await client.setFollowing(true).isFollowing)

    let place = try #require(Coordinate(latitude: 48.001, longitude: 11.5))
    #expect(try await client.setTarget("home", at: place, radius: 50)?.name == "home")
    #expect(try await client.targets().map(\.state) == [.away])
    try await client.removeTarget("home")
    #expect(try await client.targets().isEmpty)

    let status = try await client.status()
    #expect(status.sources.map(\.device) == [line.path])
    #expect(status.counts?["fixes"] == 1)
    #expect(try daemon.stop() == 0)
  }

  @Test func `An unusable receiver is an error with a remedy`() async throws {
    let directory = try ScratchDirectory()
    try directory.write("", to: "gps0")
    let daemon = try DaemonUnderTest("serial:\(directory / "gps0")", in: directory)
    let client = try client(of: daemon)
    do throws(LocationClientError) {
      _ = try await client.locate()
      Issue.record("a fix from a plain file")
    } catch {
      guard case .misconfigured(_, let remedy) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(remedy?.isEmpty == false)
    }
    #expect(try daemon.stop() == 0)
  }
}
