import LocationCore
import Testing

/// Invalid input must not trap, and published fixes stay in order.
@Suite("Invalid input")
struct HostileInputTests {
  private struct Random {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
  }

  @Test(arguments: 0..<8)
  func `Sentences and times in random order do not trap`(_ seed: Int) {
    var random = Random(state: UInt64(seed))
    var rig = ReceiverRig()
    for _ in 0..<3000 {
      let second = Double(random.below(40)) + Double(random.below(3)) * 0.005
      let north = random.below(10) == 0 ? random.below(100_000) : random.below(20)
      let status = random.below(8) == 0 ? "V" : "A"
      switch random.below(12) {
      case 0, 1, 2: rig.send(Sentences.rmc(second, north: north, status: status))
      case 3, 4: rig.send(Sentences.gga(second, north: north, quality: "\(random.below(10))"))
      case 5: rig.send(Sentences.gll(second, north: north, status: status))
      case 6: rig.send(Sentences.gns(second, north: north))
      case 7: rig.send(Sentences.gsa(random.below(3) + 1))
      case 8: rig.send(Sentences.gsv[random.below(2)])
      case 9: rig.send(random.below(2) == 0 ? Sentences.vtg : Sentences.zda(second))
      case 10: rig.send("GNRMC,,V,,,,,,,,,,N")
      default: rig.send(text: String(repeating: "\u{7}$,*", count: random.below(20)))
      }
      if random.below(3) == 0 { rig.wait(.milliseconds(Int64(random.below(1500)))) }
    }
    rig.end()
    let counters = rig.receiver.counters
    #expect(counters.epochs > 100)
    #expect(counters.fixes == UInt64(rig.fixes.count))
    var stepsBack: UInt64 = 0
    let times = rig.fixes.compactMap(\.measured)
    for (earlier, later) in zip(times, times.dropFirst()) where later <= earlier { stepsBack += 1 }
    #expect(stepsBack <= counters.judge.clockSteps)
    #expect(counters.epochs >= UInt64(rig.fixes.count))
  }

  @Test func `An instant at the end of time does not trap`() {
    var rig = ReceiverRig()
    for nanoseconds in [Int64.min, 0, .max, .min, .max - 1, 1] {
      rig.now = MonotonicInstant(nanoseconds: nanoseconds)
      rig.send(Sentences.rmc(1), Sentences.gga(1), Sentences.rmc(2), Sentences.gga(2, north: 3))
      rig.end()
    }
    #expect(rig.receiver.counters.epochs == 12)
  }
}
