import LocationCore
import Testing

/// Learning which sentence is the last.
@Suite struct EpochOrderTests {
  /// Sends one epoch and returns how many fixes were published before the silence behind it.
  private func publishedAtOnce(_ rig: inout ReceiverRig, _ sentences: [String]) -> Bool {
    let before = rig.told.count
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    let atOnce = rig.told.count > before
    rig.wait(.seconds(1))
    return atOnce
  }

  @Test func anOrderIsLearnedFromTwoEpochs() {
    var rig = ReceiverRig()
    let atOnce = (0..<4).map { publishedAtOnce(&rig, [Say.gga(Double($0)), Say.rmc(Double($0))]) }
    #expect(atOnce == [false, false, true, true])
  }

  @Test func theOrderIsRelearnedWhenTheLastSentenceGoes() {
    var rig = ReceiverRig()
    for second in 0..<10 {
      _ = publishedAtOnce(&rig, [Say.rmc(Double(second)), Say.gga(Double(second)), Say.gll(Double(second))])
    }
    let atOnce = (10..<18).map { publishedAtOnce(&rig, [Say.rmc(Double($0)), Say.gga(Double($0))]) }
    #expect(atOnce == [false, false, false, true, true, true, true, true])
    #expect(rig.fixes.count == 18)
  }

  @Test func theOrderIsRelearnedWhenAnotherSentenceFollows() {
    var rig = ReceiverRig()
    for second in 0..<10 {
      _ = publishedAtOnce(&rig, [Say.rmc(Double(second)), Say.gga(Double(second))])
    }
    for second in 10..<18 {
      _ = publishedAtOnce(&rig, [Say.rmc(Double(second)), Say.gga(Double(second)), Say.gst(Double(second))])
    }
    #expect(rig.fixes.count == 18)
    // GST came too late six times; since then the epoch waits for it.
    #expect(rig.receiver.counters.late == 6)
    #expect(rig.told.last?.noise?.altitude == 4)
  }

  @Test func aLostLastSentenceCostsThatEpochItsSpeedOnly() {
    var rig = ReceiverRig()
    let atOnce = (0..<10).map { second in
      let gll = second == 5 ? [] : [Say.gll(Double(second))]
      return publishedAtOnce(&rig, [Say.rmc(Double(second)), Say.gga(Double(second))] + gll)
    }
    #expect(atOnce == [false, false, true, true, true, false, true, true, true, true])
    #expect(rig.receiver.counters.late == 0)
    #expect(rig.fixes.count == 10)
  }

  @Test func satellitesInEveryFifthEpochDelayNone() {
    var rig = ReceiverRig()
    let atOnce = (0..<30).map { second in
      let sky = second % 5 == 4 ? Say.gsv : []
      return publishedAtOnce(&rig, [Say.gga(Double(second)), Say.rmc(Double(second)), Say.gsa(3)] + sky)
    }
    #expect(atOnce.dropFirst(2).allSatisfy { $0 })
    #expect(rig.outcomes == Array(repeating: "fix", count: 30))
  }

  @Test func aVaryingNumberOfPartsIsWaitedFor() {
    var rig = ReceiverRig()
    for second in 0..<12 {
      let parts = second % 3 + 1
      let sky = (1...parts).map {
        "GPGSV,\(parts),\($0),\(parts * 4),01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45"
      }
      rig.send(
        text: ([Say.gga(Double(second)), Say.rmc(Double(second))] + sky.dropLast()).map(ReceiverRig.line).joined())
      let before = rig.fixes.count
      rig.send(text: ReceiverRig.line(sky[parts - 1]))
      if second >= 2 { #expect(rig.fixes.count == before + 1) }
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.count == 12)
  }

  @Test func severalGSAsAreCounted() {
    var rig = ReceiverRig()
    let epoch = { (second: Double) in [Say.rmc(second), Say.gga(second), Say.gsa(3), Say.gsa(3), Say.gsa(3)] }
    for second in 0..<3 { _ = publishedAtOnce(&rig, epoch(Double(second))) }
    rig.send(text: epoch(3).dropLast().map(ReceiverRig.line).joined())
    #expect(rig.fixes.count == 3)
    rig.send(Say.gsa(3))
    #expect(rig.fixes.count == 4)
  }

  @Test func twoOrdersInTurnAreLearnedSideBySide() {
    // As a Garmin 48 does: RMC and GGA for one second, GLL for the next.
    var rig = ReceiverRig()
    let atOnce = (0..<12).map { second in
      let second = Double(second)
      return publishedAtOnce(
        &rig, second.truncatingRemainder(dividingBy: 2) == 0 ? [Say.rmc(second), Say.gga(second)] : [Say.gll(second)])
    }
    #expect(atOnce == [false, false, false, false] + Array(repeating: true, count: 8))
    #expect(rig.fixes.count == 12)
  }

  @Test func aFloodOfTalkersNeitherGrowsNorStopsTheLearning() {
    var rig = ReceiverRig()
    for second in 0..<60 {
      let letter = String(Unicode.Scalar(UInt8(65 + second % 26)))
      let other = String(Unicode.Scalar(UInt8(65 + second / 26)))
      rig.send(Say.rmc(Double(second)), Say.gsa(3, talker: letter + other), Say.gga(Double(second)))
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.count == 60)
    #expect(rig.receiver.counters.closedByOrder == 58)
  }
}
