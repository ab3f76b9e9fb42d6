import LocationCore
import Testing

@testable import LocationDaemon

@Suite("A client that does not read")
struct StallTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  @Test("patience is 10 s")
  func patience() {
    let stall = Stall(since: at(5), waiting: 100)
    #expect(stall.remaining(at: at(5)) == .seconds(10))
    #expect(stall.remaining(at: at(14)) == .seconds(1))
    #expect(stall.remaining(at: at(15)) == .zero)
    #expect(stall.remaining(at: at(16)) < .zero)
  }

  @Test("fewer bytes waiting mean that it read; as many or more do not")
  func progress() {
    var stall = Stall(since: at(0), waiting: 100)
    stall.observe(waiting: 100, at: at(4))
    #expect(stall.remaining(at: at(4)) == .seconds(6))
    stall.observe(waiting: 150, at: at(5))
    #expect(stall.remaining(at: at(5)) == .seconds(5))
    stall.observe(waiting: 149, at: at(6))
    #expect(stall.remaining(at: at(6)) == .seconds(10))
    stall.observe(waiting: 149, at: at(7))
    #expect(stall.remaining(at: at(7)) == .seconds(9))
  }

  @Test("a write that was taken whole begins the patience anew")
  func restart() {
    var stall = Stall(since: at(0), waiting: 100)
    stall.restart(at: at(9))
    #expect(stall.remaining(at: at(9)) == .seconds(10))
  }
}
