import LocationCore
import Testing

/// The combined status of an epoch's sentences: fix or not, its kind and its dimensions.
@Suite struct EpochStatusTests {
  private func epoch(_ sentences: String...) -> ReceiverRig {
    var rig = ReceiverRig()
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    rig.end()
    return rig
  }

  @Test(arguments: [
    [Say.rmc(0, status: "V", mode: "N")], [Say.rmc(0, status: "V", mode: "A")], [Say.rmc(0, mode: "N")],
    [Say.rmc(0, status: "V", mode: "")], [Say.gga(0, quality: "0")], [Say.gns(0, modes: "NNN")],
    [Say.gll(0, status: "V", mode: "A")], [Say.gll(0, mode: "N")],
    [Say.rmc(0), Say.gga(0, quality: "0")], [Say.rmc(0, status: "V"), Say.gga(0)],
    [Say.gga(0), Say.gll(0, status: "V")], [Say.rmc(0), Say.gsa(1)], [Say.gsa(1), Say.rmc(0), Say.gga(0)],
    [Say.rmc(0, status: "L")], [Say.rmc(0, status: "L", mode: "D")], [Say.gll(0, status: "L", mode: "A")],
    [Say.rmc(0, status: "L"), Say.gga(0)],
  ])
  func aVoidSentenceVoidsItsEpoch(_ sentences: [String]) {
    var rig = ReceiverRig()
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    rig.end()
    #expect(rig.outcomes == ["void"])
    #expect(rig.receiver.counters.void == 1)
  }

  @Test(arguments: [
    ([Say.rmc(0)], FixStatus.normal), ([Say.rmc(0, mode: "")], .normal), ([Say.rmc(0, status: "D")], .dgps),
    ([Say.rmc(0, mode: "D")], .dgps), ([Say.rmc(0, mode: "F")], .rtkFloat), ([Say.rmc(0, mode: "R")], .rtkFixed),
    ([Say.rmc(0, mode: "P")], .pps), ([Say.rmc(0, mode: "M")], .surveyed), ([Say.rmc(0, mode: "S")], .simulated),
    ([Say.rmc(0, mode: "E")], .deadReckoning), ([Say.rmc(0, status: "V", mode: "E")], .deadReckoning),
    ([Say.gga(0, quality: "2")], .dgps), ([Say.gga(0, quality: "3")], .pps), ([Say.gga(0, quality: "4")], .rtkFixed),
    ([Say.gga(0, quality: "5")], .rtkFloat), ([Say.gga(0, quality: "6")], .deadReckoning),
    ([Say.gga(0, quality: "7")], .surveyed), ([Say.gga(0, quality: "8")], .simulated),
    ([Say.gga(0, quality: "9")], .normal), ([Say.gns(0, modes: "AAN")], .normal), ([Say.gns(0, modes: "DAN")], .dgps),
    ([Say.gns(0, modes: "RRNF")], .rtkFixed), ([Say.gns(0, modes: "EN")], .deadReckoning),
    ([Say.gll(0, mode: "D")], .dgps), ([Say.gll(0, status: "V", mode: "E")], .deadReckoning),
    ([Say.rmc(0), Say.gga(0, quality: "2")], .dgps), ([Say.gga(0, quality: "5"), Say.gll(0, mode: "D")], .rtkFloat),
    ([Say.gga(0), Say.rmc(0, mode: "E")], .deadReckoning),
  ])
  func theStatusSaysHowTheFixWasMade(_ sentences: [String], _ status: FixStatus) {
    var rig = ReceiverRig()
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    rig.end()
    #expect(rig.fixes.map(\.status) == [status])
  }

  @Test func theNavigationalStatusNeverInvalidates() {
    #expect(epoch(Say.rmc(0), Say.gns(0)).outcomes == ["fix"])
  }

  @Test func aPositionThatNobodyCallsValidIsNone() {
    #expect(epoch(Say.gga(0, quality: "")).outcomes == ["noStatus"])
    // A Firefly II: no quality in GGA, status A in RMC.
    #expect(epoch(Say.gga(0, quality: ""), Say.rmc(0)).outcomes == ["fix"])
  }

  @Test func aValidEpochWithoutPositionHasNone() {
    #expect(epoch("GNRMC,123500.000,A,,,,,22.4,84.4,190326,,,A").outcomes == ["noPosition"])
    #expect(epoch("GNRMC,123500.000,A,4860.0000,N,01131.0000,E,22.4,84.4,190326,,,A").outcomes == ["outOfRange"])
    #expect(epoch("GNRMC,123500.000,A,9107.0380,N,01131.0000,E,22.4,84.4,190326,,,A").outcomes == ["outOfRange"])
  }

  @Test(arguments: [
    ([Say.rmc(0)], FixMode.twoD), ([Say.rmc(0), Say.gga(0)], .threeD), ([Say.gns(0)], .threeD),
    ([Say.rmc(0), Say.gsa(3)], .threeD), ([Say.gsa(3), Say.rmc(0)], .threeD),
    ([Say.gga(0), Say.gsa(2)], .twoD), ([Say.gga(0), Say.gsa(3), Say.gsa(2)], .twoD),
    ([Say.gga(0), Say.gsa(2), Say.gsa(3)], .twoD),
    // A system that does not contribute to the solution reports 1.
    ([Say.gga(0), Say.gsa(3), Say.gsa(1)], .threeD), ([Say.gga(0), Say.gsa(1), Say.gsa(3)], .threeD),
  ])
  func theModeIsTheWorstThatIsSaid(_ sentences: [String], _ mode: FixMode) {
    var rig = ReceiverRig()
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    rig.end()
    #expect(rig.fixes.map(\.mode) == [mode])
    #expect(rig.fixes.allSatisfy { mode == .threeD || $0.altitudeMSL == nil })
  }

  @Test func twoDimensionsHoldWhereGSAComesNowAndThen() {
    var rig = ReceiverRig()
    rig.send(Say.gga(0), Say.gsa(2))
    for second in 1..<8 { rig.send(Say.gga(Double(second))) }
    rig.end()
    #expect(rig.fixes.map(\.mode.rawValue) == [2, 2, 2, 2, 2, 2, 3, 3])
  }

  @Test func speedComesFromRMCElseFromVTG() {
    #expect(epoch(Say.gga(0), Say.vtg).fixes.first?.speed.map { ($0 * 1000).rounded() } == 11_524)
    #expect(epoch(Say.gga(0)).fixes.first?.speed == nil)
    let standing = epoch("GNRMC,123500.000,A,\(Say.place()),0.02,,190326,,,A").fixes.first
    #expect(standing?.speed != nil)
    #expect(standing?.course == nil)
  }

  @Test func theMoreCompletePositionWins() {
    let rig = epoch(
      "GPGGA,193221.00,2037.72792,N,08704.08478,W,1,04,1.7,-30.40,M,-13.9,M,,",
      "GPRMC,193221.00,A,2037.7279,N,08704.0848,W,00.1,201.8,231207,01,W,A")
    let expected = 20 + 37.72792 / 60
    #expect(abs((rig.fixes.first?.position.latitude ?? 0) - expected) < 1e-12)
  }
}
