import LocationCore
import Testing

/// The close of an epoch, exactly once.
@Suite struct EpochClosingTests {
  @Test func anUnlearnedEpochClosesWhenTheNextTimeComes() {
    var rig = ReceiverRig()
    rig.send(Say.rmc(0), Say.gga(0))
    #expect(rig.epochs.isEmpty)
    rig.send(Say.rmc(1))
    #expect(rig.outcomes == ["fix"])
    #expect(rig.receiver.counters.closedByNext == 1)
  }

  @Test func anUnlearnedEpochClosesAfterASilence() {
    var rig = ReceiverRig()
    rig.send(Say.rmc(0), Say.gga(0))
    rig.wait(.milliseconds(199))
    #expect(rig.epochs.isEmpty)
    rig.wait(.milliseconds(1))
    #expect(rig.outcomes == ["fix"])
    #expect(rig.receiver.deadline == nil)
  }

  @Test func theLearnedLastSentenceClosesItsEpochAtOnce() {
    var rig = ReceiverRig()
    for second in 0..<2 {
      rig.send(Say.rmc(Double(second)), Say.gga(Double(second)), Say.gsa(3))
      rig.wait(.seconds(1))
    }
    #expect(rig.receiver.counters.closedBySilence == 2)
    rig.send(Say.rmc(2), Say.gga(2))
    #expect(rig.fixes.count == 2)
    rig.send(Say.gsa(3))
    #expect(rig.fixes.count == 3)
    #expect(rig.receiver.counters.closedByOrder == 1)
    #expect(rig.epochs.last?.received == rig.now)
  }

  @Test func anUntimedLastSentenceIsLearnedWithoutAnyPause() {
    var rig = ReceiverRig()
    for second in 0..<5 {
      rig.send(Say.rmc(Double(second)), Say.gga(Double(second)), Say.gsa(3), Say.gsv[0], Say.gsv[1], Say.vtg)
    }
    // The first two close on the time of the next one; from then on GSA closes.
    #expect(rig.receiver.counters.closedByNext == 2)
    #expect(rig.receiver.counters.closedByOrder == 3)
    #expect(rig.fixes.count == 5)
  }

  @Test func whatComesLateIsNotPublishedAgain() {
    var rig = ReceiverRig()
    rig.send(Say.rmc(0))
    rig.wait(.milliseconds(300))
    #expect(rig.outcomes == ["fix"])
    rig.send(Say.gga(0))
    rig.wait(.milliseconds(300))
    #expect(rig.outcomes == ["fix"])
    #expect(rig.receiver.counters.late == 1)
    rig.send(Say.rmc(1))
    rig.wait(.milliseconds(300))
    #expect(rig.outcomes == ["fix", "fix"])
  }

  @Test func sentencesBehindTheLearnedLastOneRefineAndPublishNothing() {
    var rig = ReceiverRig()
    for second in 0..<10 {
      rig.send(Say.rmc(Double(second)), Say.gga(Double(second)))
      if second % 4 == 3 { rig.send(Say.gst(Double(second))) }
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 10))
    #expect(rig.receiver.counters.closedByOrder == 8)
    #expect(rig.receiver.counters.late == 2)
  }

  @Test func aTypeThatComesTwiceBeginsANewEpoch() {
    var rig = ReceiverRig()
    for _ in 0..<2 { rig.send("GNGGA,,,,,,0,,,,,,,,", "GNRMC,,V,,,,,,,,,,N,V") }
    #expect(rig.outcomes == ["void"])
    rig.end()
    #expect(rig.outcomes == ["void", "void"])
    #expect(rig.epochs.allSatisfy { $0.timeOfDay == nil && $0.measured == nil })
  }

  @Test func aRepeatedTimeIsADuplicate() {
    var rig = ReceiverRig()
    for _ in 0..<3 {
      rig.send(Say.rmc(0), Say.gga(0))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == ["fix", "duplicate", "duplicate"])
  }

  @Test func timesTenMillisecondsApartAreOneEpoch() {
    var rig = ReceiverRig()
    rig.send(Say.gll(10.295), Say.gga(10.300), Say.rmc(10.305), Say.gll(11.305))
    rig.end()
    #expect(rig.outcomes == ["fix", "fix"])
    #expect(rig.fixes.first?.timeOfDay == TimeOfDay(hour: 12, minute: 35, second: 10, nanosecond: 295_000_000))
  }

  @Test func aHundredEpochsASecondStayApart() {
    var rig = ReceiverRig()
    for step in 0..<20 {
      let second = Double(step) / 100
      rig.send(Say.rmc(second), Say.gga(second))
    }
    rig.end()
    #expect(rig.fixes.count == 20)
  }

  @Test func midnightDoesNotTearAnEpochApart() {
    var rig = ReceiverRig()
    rig.send(
      "GPRMC,235959.998,A,\(Say.place()),22.4,84.4,190326,,,A",
      "GPGGA,000000.000,\(Say.place()),1,08,1.0,545.4,M,46.9,M,,")
    rig.end()
    #expect(rig.outcomes == ["fix"])
  }

  @Test func timeAloneIsNoEpoch() {
    var rig = ReceiverRig()
    rig.send(Say.zda(0), Say.zda(1), Say.gst(2), Say.gsa(3), Say.vtg, Say.gsv[0], Say.gsv[1])
    rig.end()
    #expect(rig.epochs.isEmpty)
    #expect(rig.receiver.counters.epochs == 0)
  }

  @Test func aClockSentenceThatLagsDoesNotTearAnEpochApart() {
    var rig = ReceiverRig()
    rig.send(Say.rmc(0), Say.gga(0))
    for second in 1..<6 {
      let second = Double(second)
      rig.send(Say.rmc(second), Say.zda(second - 1), Say.gga(second))
    }
    rig.end()
    #expect(rig.outcomes == Array(repeating: "fix", count: 6))
    #expect(rig.fixes.allSatisfy { $0.altitudeMSL == 545.4 })
  }

  @Test func theEndOfTheInputClosesTheLastEpoch() {
    var rig = ReceiverRig()
    rig.send(Say.rmc(0))
    rig.end()
    rig.end()
    #expect(rig.outcomes == ["fix"])
  }

  @Test func aSlowLineDoesNotSplitAnEpoch() {
    // 4800 baud: 2 ms a byte, so that an epoch takes most of its second.
    var rig = ReceiverRig()
    for second in 0..<8 {
      let second = Double(second)
      let start = rig.now
      let text = [Say.rmc(second), Say.gsa(3), Say.gsv[0], Say.gsv[1], Say.vtg, Say.gga(second)]
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

  @Test func pausesBetweenSentencesAreLearned() {
    // Half of the epoch comes 450 ms after the other half, beyond a third of the period.
    var rig = ReceiverRig()
    for second in 0..<12 {
      rig.send(Say.rmc(Double(second)))
      rig.wait(.milliseconds(450))
      rig.send(Say.gga(Double(second)))
      rig.wait(.milliseconds(550))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 12))
    #expect(rig.fixes.suffix(6).allSatisfy { $0.altitudeMSL == 545.4 })
  }
}
