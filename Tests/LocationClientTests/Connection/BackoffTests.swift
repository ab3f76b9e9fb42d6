import Testing

@testable import LocationClient

@Suite struct BackoffTests {
  @Test func doublesUpToFiveSecondsAndStartsAnew() {
    var backoff = Backoff()
    let waits = (0..<8).map { _ in backoff.next() }
    #expect(
      waits == [
        .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5),
        .seconds(5),
      ])
    backoff.reset()
    #expect(backoff.next() == .milliseconds(250))
  }
}
