import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Finding a line's speed")
struct SpeedFinderTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  private func finder(_ order: [Int] = [38_400, 9600, 4800]) -> SpeedFinder {
    SpeedFinder(order: order, sentences: 10, bytes: 1000, at: at(0))
  }

  @Test("each speed has 2 s, in order, and the search begins again at the end")
  func order() {
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

  @Test("one valid sentence ends the search, and only a new one counts")
  func found() {
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

  @Test("a sentence that is seen only at the deadline counts as well")
  func foundAtDeadline() {
    var finder = finder()
    #expect(finder.expire(sentences: 11, bytes: 1200, at: at(2)) == nil)
    #expect(finder.isFound)
    #expect(finder.speed == 38_400)
  }

  @Test("a line with one speed only tells that it gives nothing")
  func single() {
    var finder = finder([9600])
    #expect(finder.expire(sentences: 10, bytes: 1400, at: at(2)) == .exhausted(bytes: 400, next: 9600))
    #expect(finder.expire(sentences: 10, bytes: 1500, at: at(4)) == .exhausted(bytes: 100, next: 9600))
  }

  @Test("the speed that worked last goes first and comes once")
  func lastGood() {
    #expect(SpeedFinder.order(lastGood: nil) == SpeedFinder.candidates)
    let order = SpeedFinder.order(lastGood: 115_200)
    #expect(order.first == 115_200)
    #expect(order.sorted() == SpeedFinder.candidates.sorted())
    #expect(SpeedFinder.order(lastGood: 19_200).count == SpeedFinder.candidates.count + 1)
  }

  @Test("every candidate can be set")
  func candidates() {
    #expect(SpeedFinder.candidates == [38_400, 9600, 115_200, 4800, 57_600, 230_400, 460_800, 921_600])
    for speed in SpeedFinder.candidates { #expect(SerialLine.speeds[speed] != nil) }
  }
}
