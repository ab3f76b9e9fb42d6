import LocationCore
import Testing

@Suite("One sky a second")
struct SkyClockTests {
  private func at(_ seconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
  }

  private func utc(_ second: Double?) -> UTCInstant? {
    second.map { UTCInstant(nanosecondsSince1970: 1_773_921_600_000_000_000 + Int64($0 * 1e9)) }
  }

  @Test("ten epochs a second: the first of each second goes out, however early the line delivers it")
  func tenHertz() {
    var clock = SkyClock()
    var out: [Int] = []
    for epoch in 0..<30 {
      // Less than a second lies between the first two that are due, and more between the next two.
      let late = epoch.isMultiple(of: 20) ? 0.06 : 0
      if clock.isDue(utc(Double(epoch) / 10), at: at(Double(epoch) / 10 + late)) { out.append(epoch) }
    }
    #expect(out == [0, 10, 20])
  }

  @Test("without a time of its own the monotonic clock decides")
  func untimed() {
    var clock = SkyClock()
    let skies: [(measured: Double?, received: Double, isDue: Bool)] = [
      (nil, 0, true), (nil, 0.949, false), (nil, 0.95, true), (5, 1.5, false), (5, 2, true), (5.9, 2.9, false),
      (6, 2.9, true), (nil, 3.84, false), (nil, 3.85, true),
    ]
    let due = skies.map { clock.isDue(utc($0.measured), at: at($0.received)) }
    #expect(due == skies.map(\.isDue))
  }
}
