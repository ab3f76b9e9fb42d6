import Testing

@testable import LocationCore

@Suite("Handover")
struct HandoverTests {
  private func utc(_ seconds: Double) -> UTCInstant {
    UTCInstant(nanosecondsSince1970: 1_774_000_000_000_000_000 + Int64(seconds * 1e9))
  }

  @Test("what the source before has told does not come again")
  func overlap() {
    var handover = Handover()
    func passes(_ measured: UTCInstant?, _ source: Int) -> Bool { handover.passes(measured, source: source) }
    #expect(passes(utc(1), 1) == true)
    #expect(passes(utc(2), 1) == true)
    #expect(passes(utc(1.5), 0) == false)
    #expect(passes(utc(2), 0) == false)
    #expect(passes(utc(2.5), 0) == true)
    #expect(passes(utc(2.5), 1) == false)
    #expect(handover.overlapping == 3)
  }

  @Test("the order within one source is the judge's business")
  func sameSource() {
    var handover = Handover()
    func passes(_ measured: UTCInstant?, _ source: Int) -> Bool { handover.passes(measured, source: source) }
    #expect(passes(utc(2), 0) == true)
    #expect(passes(utc(1), 0) == true)
  }

  @Test("a source whose clock is another one, or that knows no date, is not held back for ever")
  func otherClock() {
    var handover = Handover()
    func passes(_ measured: UTCInstant?, _ source: Int) -> Bool { handover.passes(measured, source: source) }
    #expect(passes(utc(100), 0) == true)
    #expect(passes(nil, 1) == true)
    #expect(passes(utc(90), 1) == false)
    #expect(passes(utc(89.9), 1) == true)
  }
}
