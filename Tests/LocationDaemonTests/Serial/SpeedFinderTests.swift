import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Speed detection")
struct SpeedFinderTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  private func finder(_ order: [Int] = [38_400, 9600, 4800]) -> SpeedFinder {
    SpeedFinder(order: order, sentences: 10, bytes: 1000, at: at(0))
  }

  @Test func `Each speed is tried for 2 s, in order, again and again`() {
    var finder = finder()
    #expect(finder.speed == 38_400)
    #expect(finder.deadline == at(2))
    #expect(finder.expire(sentences: 10, bytes: 1000, at: at(1.999)) == nil)
    #expect(finder.expire(sentences: 10, bytes: 1100, at: at(2)) == .set(9600))
    #expect(finder.deadline == at(4))
    #expect(finder.expire(sentences: 10, bytes: 1150, at: at(4)) == .set(4800))
    #expect(finder.expire(sentences: 10, bytes: 1180, at: at(6)) == .exhausted(bytes: 180, next: 38_400))
    #expect(finder.speed == 38_400)
    #expect(finder.expire(sentences: 10, bytes: 1200, at: at(8)) == .set(9600))
    #expect(finder.expire(sentences: 10, bytes: 1200, at: at(10)) == .set(4800))
    #expect(finder.expire(sentences: 10, bytes: 1200, at: at(12)) == .exhausted(bytes: 20, next: 38_400))
  }

  @Test func `A new valid sentence ends the search`() {
    var finder = finder()
    finder.observe(sentences: 10)
    #expect(!finder.isFound)
    _ = finder.expire(sentences: 10, bytes: 1000, at: at(2))
    finder.observe(sentences: 11)
    #expect(finder.isFound)
    #expect(finder.speed == 9600)
    #expect(finder.deadline == nil)
    #expect(finder.expire(sentences: 11, bytes: 9000, at: at(60)) == nil)
  }

  @Test func `A sentence seen only at the deadline ends the search`() {
    var finder = finder()
    #expect(finder.expire(sentences: 11, bytes: 1200, at: at(2)) == nil)
    #expect(finder.isFound)
    #expect(finder.speed == 38_400)
  }

  @Test func `A line with one speed reports the bytes without a sentence`() {
    var finder = finder([9600])
    #expect(finder.expire(sentences: 10, bytes: 1400, at: at(2)) == .exhausted(bytes: 400, next: 9600))
    #expect(finder.expire(sentences: 10, bytes: 1500, at: at(4)) == .exhausted(bytes: 100, next: 9600))
  }

  @Test func `The last good speed is tried first, and once`() {
    #expect(SpeedFinder.order(lastGood: nil) == SpeedFinder.candidates)
    let order = SpeedFinder.order(lastGood: 115_200)
    #expect(order.first == 115_200)
    #expect(order.sorted() == SpeedFinder.candidates.sorted())
  }

  @Test func `Every speed that can be set is looked for, once`() {
    #expect(SpeedFinder.candidates.sorted() == SerialOptions.speeds.keys.sorted())
    #expect(SpeedFinder.candidates.starts(with: [38_400, 9600, 115_200, 4800]))
  }
}

@Suite("Wait for a lost line")
struct ReturnWaitTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  @Test func `The wait is 0.25 s for 30 s, then at most 1 s`() {
    func wait(_ instant: Double) -> Duration { SerialSource.returnWait(since: at(100), at: at(instant)) }
    #expect(wait(100) == .milliseconds(250))
    #expect(wait(129.999) == .milliseconds(250))
    #expect(wait(130) == .seconds(1))
    // Afterwards aligned to whole seconds, so that waits share one wake-up.
    #expect(wait(130.25) == .milliseconds(750))
    #expect(wait(1_000_000) <= .seconds(1))
  }

  @Test func `A loss restarts the quick period`() {
    #expect(SerialSource.returnWait(since: at(0), at: at(500)) == .seconds(1))
    #expect(SerialSource.returnWait(since: at(500), at: at(500)) == .milliseconds(250))
    #expect(SerialSource.returnWait(since: at(500), at: at(530)) == .seconds(1))
  }
}
