import LocationCore
import Testing

@testable import LocationDaemon

@Suite("How many events are recorded")
struct EventBudgetTests {
  private func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }

  @Test("a renderer at 60 Hz is recorded whole, for ever")
  func renderer() {
    var budget = RequestBudget()
    let taken = (0..<6000).count { budget.take(at: at(Int64($0) * 1000 / 60)) }
    #expect(taken == 6000)
    #expect(budget.refused == 0)
  }

  @Test("who never stops asking is held to the rate, and what is left out is counted")
  func flood() {
    var budget = RequestBudget()
    var taken = 0
    for number in 0..<100_000 where budget.take(at: at(Int64(number) / 10)) { taken += 1 }
    // 10 s.
    #expect(taken <= RequestBudget.burst + 10 * RequestBudget.perSecond)
    #expect(taken >= 10 * RequestBudget.perSecond)
    #expect(budget.refused == UInt64(100_000 - taken))
  }

  @Test("a pause gives no more than the burst, and a clock that steps back gives it back")
  func pause() {
    var budget = RequestBudget()
    let few = RequestBudget.burst + 3
    for instant in [at(0), at(10_000_000), at(-5)] {
      let taken = (0..<few).count { _ in budget.take(at: instant) }
      #expect(taken == RequestBudget.burst)
    }
  }
}
