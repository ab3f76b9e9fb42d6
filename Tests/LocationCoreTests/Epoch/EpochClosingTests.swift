import LocationCore
import Testing

/// The close of an epoch, exactly once.
@Suite("Closing epochs")
struct EpochClosingTests {
  @Test func `Before an order is learned, an epoch closes on the next time`() {
    var rig = ReceiverRig()
    rig.send(Sentences.rmc(0), Sentences.gga(0))
    #expect(rig.epochs.isEmpty)
    rig.send(Sentences.rmc(1))
    #expect(rig.outcomes == ["fix"])
  }

  @Test func `Before an order is learned, an epoch closes after silence`() {
    var rig = ReceiverRig()
    rig.send(Sentences.rmc(0), Sentences.gga(0))
    rig.wait(.milliseconds(199))
    #expect(rig.epochs.isEmpty)
    rig.wait(.milliseconds(1))
    #expect(rig.outcomes == ["fix"])
    #expect(rig.receiver.deadline == nil)
  }

  @Test func `The learned last sentence closes its epoch at once`() {
    var rig = ReceiverRig()
    for second in 0..<2 {
      rig.send(Sentences.rmc(Double(second)), Sentences.gga(Double(second)), Sentences.gsa(3))
      rig.wait(.seconds(1))
    }
    #expect(rig.prompt == 0)
    rig.send(Sentences.rmc(2), Sentences.gga(2))
    #expect(rig.fixes.count == 2)
    rig.send(Sentences.gsa(3))
    #expect(rig.fixes.count == 3)
    #expect(rig.prompt == 1)
    #expect(rig.epochs.last?.received == rig.now)
  }

  @Test func `An untimed last sentence is learned without a pause`() {
    var rig = ReceiverRig()
    for second in 0..<5 {
      rig.send(
        Sentences.rmc(Double(second)), Sentences.gga(Double(second)), Sentences.gsa(3), Sentences.gsv[0],
        Sentences.gsv[1], Sentences.vtg)
    }
    // The first two close on the time of the next one; from then on GSA closes, also the last one.
    #expect(rig.fixes.count == 5)
  }

  @Test func `What comes behind a pause, without a time, belongs to its epoch`() {
    var rig = ReceiverRig()
    for second in 0..<20 {
      rig.send(Sentences.gga(Double(second)))
      rig.wait(.milliseconds(450))
      rig.send("GNVTG,084.40,T,,M,\(second).000,N,,K,A", "GNGSA,A,2,01,02,03,04,05,,,,,,,,1.50,0.80,1.20")
      rig.wait(.milliseconds(550))
    }
    let fixes = rig.fixes.suffix(8)
    #expect(rig.fixes.count == 20 && fixes.allSatisfy { $0.vdop == 1.2 && $0.mode == .twoD })
    #expect(fixes.map { (($0.speed ?? -1) * 3600 / 1852).rounded() } == (12..<20).map(Double.init))
  }

  @Test func `What comes before a pause, without a time, does not delay epochs`() {
    var rig = ReceiverRig()
    for second in 0..<12 {
      rig.send(Sentences.gga(Double(second)))
      rig.wait(.milliseconds(600))
      rig.send(Sentences.vtg)
      rig.wait(.milliseconds(400))
    }
    #expect(rig.prompt >= 8 && rig.fixes.count == 12)
  }

  @Test func `A late sentence does not publish its epoch again`() {
    var rig = ReceiverRig()
    rig.send(Sentences.rmc(0))
    rig.wait(.milliseconds(300))
    #expect(rig.outcomes == ["fix"])
    rig.send(Sentences.gga(0))
    rig.wait(.milliseconds(300))
    #expect(rig.outcomes == ["fix"])
    #expect(rig.receiver.counters.late == 1)
    rig.send(Sentences.rmc(1))
    rig.wait(.milliseconds(300))
    #expect(rig.outcomes == ["fix", "fix"])
  }

  @Test func `Sentences after the learned last one publish nothing`() {
    var rig = ReceiverRig()
    for second in 0..<10 {
      rig.send(Sentences.rmc(Double(second)), Sentences.gga(Double(second)))
      if second % 4 == 3 { rig.send(Sentences.gst(Double(second))) }
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 10))
    // After the first late GST its pattern is looked for, in four epochs.
    #expect(rig.prompt == 4)
    #expect(rig.receiver.counters.late == 1)
  }

  @Test func `A repeated type opens an epoch`() {
    var rig = ReceiverRig()
    for _ in 0..<2 { rig.send("GNGGA,,,,,,0,,,,,,,,", "GNRMC,,V,,,,,,,,,,N,V") }
    #expect(rig.outcomes == ["void"])
    rig.end()
    #expect(rig.outcomes == ["void", "void"])
    #expect(rig.epochs.allSatisfy { $0.timeOfDay == nil && $0.measured == nil })
  }

  @Test func `A repeated time is a duplicate`() {
    var rig = ReceiverRig()
    for _ in 0..<3 {
      rig.send(Sentences.rmc(0), Sentences.gga(0))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == ["fix", "duplicate", "duplicate"])
  }

  @Test func `Times 10 ms apart are one epoch`() {
    var rig = ReceiverRig()
    rig.send(Sentences.gll(10.295), Sentences.gga(10.300), Sentences.rmc(10.305), Sentences.gll(11.305))
    rig.end()
    #expect(rig.outcomes == ["fix", "fix"])
    #expect(rig.fixes.first?.timeOfDay == TimeOfDay(hour: 12, minute: 35, second: 10, nanosecond: 295_000_000))
  }

  @Test func `A hundred epochs per second are separate`() {
    var rig = ReceiverRig()
    for step in 0..<20 {
      let second = Double(step) / 100
      rig.send(Sentences.rmc(second), Sentences.gga(second))
    }
    rig.end()
    #expect(rig.fixes.count == 20)
  }

  @Test func `Midnight does not split an epoch`() {
    var rig = ReceiverRig()
    rig.send(
      "GPRMC,235959.998,A,\(Sentences.place()),22.4,84.4,190326,,,A",
      "GPGGA,000000.000,\(Sentences.place()),1,08,1.0,545.4,M,46.9,M,,")
    rig.end()
    #expect(rig.outcomes == ["fix"])
  }

  @Test func `Time alone is not an epoch`() {
    var rig = ReceiverRig()
    rig.send(
      Sentences.zda(0), Sentences.zda(1), Sentences.gst(2), Sentences.gsa(3), Sentences.vtg, Sentences.gsv[0],
      Sentences.gsv[1])
    rig.end()
    #expect(rig.epochs.isEmpty)
    #expect(rig.receiver.counters.epochs == 0)
  }

  @Test func `A lagging ZDA does not split an epoch`() {
    var rig = ReceiverRig()
    rig.send(Sentences.rmc(0), Sentences.gga(0))
    for second in 1..<6 {
      let second = Double(second)
      rig.send(Sentences.rmc(second), Sentences.zda(second - 1), Sentences.gga(second))
    }
    rig.end()
    #expect(rig.outcomes == Array(repeating: "fix", count: 6))
    #expect(rig.fixes.allSatisfy { $0.altitudeMSL == 545.4 })
  }

  @Test func `The end of the input closes the last epoch`() {
    var rig = ReceiverRig()
    rig.send(Sentences.rmc(0))
    rig.end()
    rig.end()
    #expect(rig.outcomes == ["fix"])
  }

  @Test func `A slow line does not split an epoch`() {
    // 4800 baud: 2 ms a byte, so that an epoch takes most of its second.
    var rig = ReceiverRig()
    for second in 0..<8 {
      let second = Double(second)
      let start = rig.now
      let text = [
        Sentences.rmc(second), Sentences.gsa(3), Sentences.gsv[0], Sentences.gsv[1], Sentences.vtg,
        Sentences.gga(second),
      ]
      .map(ReceiverRig.line).joined()
      for byte in text.utf8 {
        rig.send([byte])
        rig.wait(.microseconds(2083))
      }
      rig.wait(start + .seconds(1) - rig.now)
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 8))
    #expect(rig.fixes.allSatisfy { $0.altitudeMSL == 545.4 && $0.speed != nil })
    #expect(rig.receiver.counters.late == 0)
  }

  @Test func `Pauses between sentences are learned`() {
    // Half of the epoch comes 450 ms after the other half, beyond a third of the period.
    var rig = ReceiverRig()
    for second in 0..<12 {
      rig.send(Sentences.rmc(Double(second)))
      rig.wait(.milliseconds(450))
      rig.send(Sentences.gga(Double(second)))
      rig.wait(.milliseconds(550))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 12))
    #expect(rig.fixes.suffix(6).allSatisfy { $0.altitudeMSL == 545.4 })
  }
}
