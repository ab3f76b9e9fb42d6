import LocationCore
import Testing

/// The combined status of an epoch's sentences: fix or not, its kind and its dimensions.
@Suite("Status of epochs")
struct EpochStatusTests {
  private func epoch(_ sentences: String...) -> ReceiverRig {
    var rig = ReceiverRig()
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    rig.end()
    return rig
  }

  @Test(
    arguments: [
      [Sentences.rmc(0, status: "V", mode: "N")], [Sentences.rmc(0, status: "V", mode: "A")],
      [Sentences.rmc(0, mode: "N")],
      [Sentences.rmc(0, status: "V", mode: "")], [Sentences.gga(0, quality: "0")], [Sentences.gns(0, modes: "NNN")],
      [Sentences.gll(0, status: "V", mode: "A")], [Sentences.gll(0, mode: "N")],
      [Sentences.rmc(0), Sentences.gga(0, quality: "0")], [Sentences.rmc(0, status: "V"), Sentences.gga(0)],
      [Sentences.gga(0), Sentences.gll(0, status: "V")], [Sentences.rmc(0), Sentences.gsa(1)],
      [Sentences.gsa(1), Sentences.rmc(0), Sentences.gga(0)],
      [Sentences.rmc(0, status: "L")], [Sentences.rmc(0, status: "L", mode: "D")],
      [Sentences.gll(0, status: "L", mode: "A")],
      [Sentences.rmc(0, status: "L"), Sentences.gga(0)],
    ]
  )
  func `A void sentence invalidates its epoch`(_ sentences: [String]) {
    var rig = ReceiverRig()
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    rig.end()
    #expect(rig.outcomes == ["void"])
    #expect(rig.receiver.counters.void == 1)
  }

  @Test(
    arguments: [
      ([Sentences.rmc(0)], FixStatus.normal), ([Sentences.rmc(0, mode: "")], .normal),
      ([Sentences.rmc(0, status: "D")], .dgps),
      ([Sentences.rmc(0, mode: "D")], .dgps), ([Sentences.rmc(0, mode: "F")], .rtkFloat),
      ([Sentences.rmc(0, mode: "R")], .rtkFixed),
      ([Sentences.rmc(0, mode: "P")], .pps), ([Sentences.rmc(0, mode: "M")], .surveyed),
      ([Sentences.rmc(0, mode: "S")], .simulated),
      ([Sentences.rmc(0, mode: "E")], .deadReckoning), ([Sentences.rmc(0, status: "V", mode: "E")], .deadReckoning),
      ([Sentences.gga(0, quality: "2")], .dgps), ([Sentences.gga(0, quality: "3")], .pps),
      ([Sentences.gga(0, quality: "4")], .rtkFixed),
      ([Sentences.gga(0, quality: "5")], .rtkFloat), ([Sentences.gga(0, quality: "6")], .deadReckoning),
      ([Sentences.gga(0, quality: "7")], .surveyed), ([Sentences.gga(0, quality: "8")], .simulated),
      ([Sentences.gga(0, quality: "9")], .normal), ([Sentences.gns(0, modes: "AAN")], .normal),
      ([Sentences.gns(0, modes: "DAN")], .dgps),
      ([Sentences.gns(0, modes: "RRNF")], .rtkFixed), ([Sentences.gns(0, modes: "EN")], .deadReckoning),
      ([Sentences.gll(0, mode: "D")], .dgps), ([Sentences.gll(0, status: "V", mode: "E")], .deadReckoning),
      ([Sentences.rmc(0), Sentences.gga(0, quality: "2")], .dgps),
      ([Sentences.gga(0, quality: "5"), Sentences.gll(0, mode: "D")], .rtkFloat),
      ([Sentences.gga(0), Sentences.rmc(0, mode: "E")], .deadReckoning),
    ]
  )
  func `The status is the kind of the fix`(_ sentences: [String], _ status: FixStatus) {
    var rig = ReceiverRig()
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    rig.end()
    #expect(rig.fixes.map(\.status) == [status])
  }

  @Test func `The navigational status never invalidates a fix`() {
    #expect(epoch(Sentences.rmc(0), Sentences.gns(0)).outcomes == ["fix"])
  }

  @Test func `A position without a status is not a fix`() {
    #expect(epoch(Sentences.gga(0, quality: "")).outcomes == ["noStatus"])
    // A Firefly II: no quality in GGA, status A in RMC.
    #expect(epoch(Sentences.gga(0, quality: ""), Sentences.rmc(0)).outcomes == ["fix"])
  }

  @Test func `A valid epoch without a position has no fix`() {
    #expect(epoch("GNRMC,123500.000,A,,,,,22.4,84.4,190326,,,A").outcomes == ["noPosition"])
    #expect(epoch("GNRMC,123500.000,A,4860.0000,N,01131.0000,E,22.4,84.4,190326,,,A").outcomes == ["outOfRange"])
    #expect(epoch("GNRMC,123500.000,A,9107.0380,N,01131.0000,E,22.4,84.4,190326,,,A").outcomes == ["outOfRange"])
  }

  @Test(
    arguments: [
      ([Sentences.rmc(0)], FixMode.twoD), ([Sentences.rmc(0), Sentences.gga(0)], .threeD),
      ([Sentences.gns(0)], .threeD),
      ([Sentences.rmc(0), Sentences.gsa(3)], .twoD), ([Sentences.gsa(3), Sentences.rmc(0)], .twoD),
      ([Sentences.gga(0), Sentences.gsa(2)], .twoD), ([Sentences.gga(0), Sentences.gsa(3), Sentences.gsa(2)], .twoD),
      ([Sentences.gga(0), Sentences.gsa(2), Sentences.gsa(3)], .twoD),
      // A system that does not contribute to the solution reports 1.
      ([Sentences.gga(0), Sentences.gsa(3), Sentences.gsa(1)], .threeD),
      ([Sentences.gga(0), Sentences.gsa(1), Sentences.gsa(3)], .threeD),
    ]
  )
  func `The mode has the fewest dimensions that are reported`(_ sentences: [String], _ mode: FixMode) {
    var rig = ReceiverRig()
    rig.send(text: sentences.map(ReceiverRig.line).joined())
    rig.end()
    #expect(rig.fixes.map(\.mode) == [mode])
    #expect(rig.fixes.allSatisfy { mode == .threeD || $0.altitudeMSL == nil })
  }

  @Test func `Two dimensions stay valid between occasional GSA sentences`() {
    var rig = ReceiverRig()
    rig.send(Sentences.gga(0), Sentences.gsa(2))
    for second in 1..<8 { rig.send(Sentences.gga(Double(second))) }
    rig.end()
    #expect(rig.fixes.map(\.mode.rawValue) == [2, 2, 2, 2, 2, 2, 3, 3])
  }

  @Test func `An epoch that states no dimensions keeps those of the last statement, if it has an altitude`() {
    var rig = ReceiverRig()
    // A Garmin 48: GLL has an epoch of its own. Afterwards a Humminbird: GGA once in four epochs, no GSA.
    rig.send(Sentences.rmc(0), Sentences.gga(0), Sentences.gsa(3))
    rig.send(Sentences.gll(1))
    rig.send(Sentences.rmc(2), Sentences.gga(2), Sentences.gsa(2))
    rig.send(Sentences.gll(3))
    for second in 4..<9 { rig.send(Sentences.gll(Double(second))) }
    rig.send(Sentences.gga(9))
    for second in 10..<20 { rig.send(Sentences.rmc(Double(second))) }
    rig.end()
    #expect(rig.fixes.map(\.mode.rawValue) == [3, 2, 2, 2] + [2, 2, 2, 2, 2] + [3] + Array(repeating: 2, count: 10))
    #expect(rig.fixes.allSatisfy { ($0.altitudeMSL != nil) == ($0.mode == .threeD) })
  }

  @Test func `A loss of the fix ends GSA's statement`() {
    var rig = ReceiverRig()
    rig.send(Sentences.gga(0), Sentences.gsa(2))
    rig.send(Sentences.gga(1, quality: "0"), Sentences.gsa(1))
    rig.send(Sentences.gga(2))
    rig.end()
    #expect(rig.fixes.map(\.mode.rawValue) == [2, 3])
  }

  @Test func `Speed comes from RMC, else from VTG`() {
    #expect(epoch(Sentences.gga(0), Sentences.vtg).fixes.first?.speed.map { ($0 * 1000).rounded() } == 11_524)
    #expect(epoch(Sentences.gga(0)).fixes.first?.speed == nil)
    let standing = epoch("GNRMC,123500.000,A,\(Sentences.place()),0.02,,190326,,,A").fixes.first
    #expect(standing?.speed != nil)
    #expect(standing?.course == nil)
  }

  @Test func `The position with the most digits is used`() {
    let rig = epoch(
      "GPGGA,193221.00,2037.72792,N,08704.08478,W,1,04,1.7,-30.40,M,-13.9,M,,",
      "GPRMC,193221.00,A,2037.7279,N,08704.0848,W,00.1,201.8,231207,01,W,A")
    let expected = 20 + 37.72792 / 60
    #expect(abs((rig.fixes.first?.position.latitude ?? 0) - expected) < 1e-12)
  }
}
