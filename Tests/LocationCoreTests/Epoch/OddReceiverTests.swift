import LocationCore
import Testing

/// Receivers that were met in the field, each by the pattern of what it sends.
@Suite struct OddReceiverTests {
  /// Garmin 48: RMC and GGA carry even seconds, GLL between them carries the odd ones. Its position is another
  /// than theirs, so both are measurements and both are fixes.
  @Test func aGarmin48MeasuresInGLLToo() {
    var rig = ReceiverRig()
    for second in stride(from: 0, to: 12, by: 2) {
      rig.send(
        Say.rmc(Double(second), north: second), Say.gga(Double(second), north: second), Say.gsa(3),
        Say.gll(Double(second + 1), north: second + 1))
      rig.wait(.seconds(2))
    }
    #expect(rig.fixes.count == 12)
    #expect(zip(rig.fixes, rig.fixes.dropFirst()).allSatisfy { $0.position.latitude < $1.position.latitude })
  }

  /// Magellan eXplorist 210: GLL has three decimals, GGA and RMC have two, rounded up or down.
  @Test func anEXploristRoundsItsTimes() {
    var rig = ReceiverRig()
    for (gll, others) in [(19.295, 19.30), (20.303, 20.30), (21.297, 21.30), (22.305, 22.31)] {
      rig.send(Say.gll(gll), Say.gga(others), Say.rmc(others), Say.gsa(3))
    }
    rig.end()
    #expect(rig.outcomes == ["fix", "fix", "fix", "fix"])
    #expect(rig.fixes.allSatisfy { $0.altitudeMSL != nil && $0.speed != nil })
  }

  /// Humminbird M37: one kind of sentence per second in turn. A log of it was cut and pasted, so that its time
  /// goes back by 12 s: its clock was set back.
  @Test func aHumminbirdWhoseTimeGoesBackIsPublished() {
    var rig = ReceiverRig()
    let say: [(Double) -> String] = [{ Say.rmc($0) }, { Say.gll($0) }, { Say.rmc($0) }, { Say.gga($0) }]
    for second in Array(0..<20) + Array(7..<25) {
      rig.send(say[second % 4](Double(second)), "INDPT,2.1,0.0", "INMTW,17.9,C")
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.count == 38)
    #expect(rig.receiver.counters.judge.clockSteps == 1)
    #expect(rig.told.filter(\.isClockSetBack).map(\.timeOfDay) == [rig.fixes[20].timeOfDay])
  }

  /// Holux GM-210, as its log ends: in the middle of a sentence.
  @Test func aCutOffSentenceIsNoEpoch() {
    var rig = ReceiverRig()
    rig.send(Say.gga(0), Say.rmc(0))
    rig.send(text: "$GPGGA,123501.000,4807.0380,N,01131.0000,E,1,12,0.")
    rig.end()
    #expect(rig.outcomes == ["fix"])
    #expect(rig.receiver.counters.nmea.truncated == 1)
  }

  /// A receiver whose ZDA runs two seconds ahead of its fixes: its time opens no epoch and loses none.
  @Test func aClockThatRunsAheadLosesNothing() {
    var rig = ReceiverRig()
    for second in 0..<8 {
      rig.send(Say.gga(Double(second)), Say.gsa(3), Say.rmc(Double(second)), Say.zda(Double(second + 2)))
      rig.wait(.seconds(1))
    }
    rig.end()
    #expect(rig.outcomes == Array(repeating: "fix", count: 8))
    #expect(rig.fixes.allSatisfy { $0.measured != nil })
  }

  /// GlobalSat MR-350P: ZDA announces a second that GGA tells of in the next burst.
  @Test func aClockThatGoesAheadWaitsForItsFix() {
    var rig = ReceiverRig()
    for second in 0..<8 {
      rig.send(Say.gga(Double(second)), Say.gsa(3), Say.zda(Double(second + 1)))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 8))
    #expect(rig.receiver.counters.closedByOrder == 5)
  }

  /// Quectel EG25-G before its first fix: only GNS has a time, GGA and RMC are empty.
  @Test func emptySentencesJoinTheEpochThatHasATime() {
    var rig = ReceiverRig()
    for second in 0..<4 {
      rig.send(
        "GNGNS,\(Say.time(Double(second))),,,,,NNN,,,,,,", "GPVTG,,T,,M,,N,,K,N", "GPGSA,A,1,,,,,,,,,,,,,,,",
        "GPGGA,,,,,,0,,,,,,,,", "GPRMC,,V,,,,,,,,,,N")
    }
    rig.end()
    #expect(rig.outcomes == ["void", "void", "void", "void"])
    #expect(rig.told.allSatisfy { $0.timeOfDay != nil })
  }

  /// Eurotech COM-1289: GSA and GSV go ahead of the sentences that have a time. A pause shows where they belong.
  @Test func whatGoesAheadOfItsEpochCountsForIt() {
    var rig = ReceiverRig()
    for second in 0..<6 {
      rig.send(
        Say.gsa(second < 3 ? 1 : 3), Say.gsv[0], Say.gsv[1],
        Say.rmc(Double(second), status: second < 3 ? "V" : "A"),
        Say.gga(Double(second), quality: second < 3 ? "0" : "1"))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == ["void", "void", "void", "fix", "fix", "fix"])
  }

  /// A stream that is joined in the middle of an epoch: VTG of one epoch is not taken for the next one's.
  @Test func aLeftoverIsForgottenAfterASilence() {
    var rig = ReceiverRig()
    rig.send("GNVTG,084.40,T,,M,99.000,N,183.0,K,A")
    rig.wait(.seconds(1))
    rig.send(Say.gga(0), Say.vtg)
    rig.wait(.seconds(1))
    #expect(rig.fixes.map { $0.speed.map { ($0 * 1000).rounded() } } == [11_524])
  }

  /// Some receivers give each system's own GGA beside the combined one.
  @Test func oneFixAlthoughEachSystemHasItsOwnSentence() {
    var rig = ReceiverRig()
    for second in 0..<4 {
      let own = Say.gga(Double(second), north: 7).dropFirst(2)
      rig.send("GP\(own)", "GL\(own)", Say.gga(Double(second)), Say.rmc(Double(second)))
    }
    rig.end()
    #expect(rig.outcomes == ["fix", "fix", "fix", "fix"])
    #expect(rig.fixes.allSatisfy { abs($0.position.latitude - 48.1173) < 1e-9 })
  }
}
