import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Waiting for a receiver's return")
struct SerialReturnWaitTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  @Test("quick for half a minute, then slower, and never more than a second")
  func waits() {
    let wait = SerialReturnWait(at: at(100))
    #expect(wait.next(at: at(100)) == .milliseconds(250))
    #expect(wait.next(at: at(129.999)) == .milliseconds(250))
    #expect(wait.next(at: at(130)) == .seconds(1))
    // Afterwards with the second: one wake-up does for everything that waits.
    #expect(wait.next(at: at(130.25)) == .milliseconds(750))
    #expect(wait.next(at: at(1_000_000)) <= .seconds(1))
  }

  @Test("a loss makes it quick again")
  func loss() {
    var wait = SerialReturnWait(at: at(0))
    #expect(wait.next(at: at(500)) == .seconds(1))
    wait.didLose(at: at(500))
    #expect(wait.next(at: at(500)) == .milliseconds(250))
    #expect(wait.next(at: at(530)) == .seconds(1))
  }
}
