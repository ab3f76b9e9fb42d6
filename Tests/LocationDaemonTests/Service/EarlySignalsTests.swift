import Testing

@testable import LocationDaemon

@Suite("Signals that come early")
struct EarlySignalsTests {
  @Test("none is lost, none is handed over twice, and later ones come at once")
  func keeps() {
    let early = EarlySignals()
    for number: Int32 in [15, 1, 1, 15] { early.take(number) }
    var came: [Int32] = []
    early.handle { came.append($0) }
    #expect(came == [15, 1])
    early.take(2)
    #expect(came == [15, 1, 2])
  }
}
