import Glibc
import LocationClient
import LocationClientTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct FakeDaemonLoadTests {
  /// Clients at a time.
  private static let width = 8
  /// Of 100 clients each; fewer beside other tests, which they would keep from the processors.
  private static let rounds = getenv("HANDLEBAR_LONG") == nil ? 10 : 100

  /// Connects, and breaks off at one of several moments.
  private static func breakOff(_ number: Int, _ client: LocationClient) async {
    switch number % Self.width {
    case 0:
      var updates = client.updates().makeAsyncIterator()
      _ = await updates.next()
    case 1: _ = client.updates()
    default:
      // Of another view, as the daemon may read it beside the request behind the round.
      let request = Task { try? await client.setFollowing(number.isMultiple(of: 2), view: "other") }
      for _ in 0..<number % 5 { await Task.yield() }
      request.cancel()
      _ = await request.value
    }
  }

  @Test func `Thousands of cancelled requests and dropped subscriptions do not disturb a daemon`() async throws {
    // No request times out while other tests keep the processors.
    let daemon = try FakeDaemon(clock: ManualClock())
    try await daemon.start()
    let client = daemon.client
    for round in 0..<Self.rounds {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<100 {
          if number >= Self.width { await group.next() }
          group.addTask { await Self.breakOff(number, client) }
        }
      }
      // Answered once the daemon has accepted those before.
      #expect(try await client.setFollowing(round.isMultiple(of: 2)).isFollowing == round.isMultiple(of: 2))
    }
    while daemon.connections > 0 { await Task.yield() }
  }
}
