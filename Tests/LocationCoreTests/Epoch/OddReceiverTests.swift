import LocationCore
import Testing

/// Patterns of real receivers.
@Suite("Unusual receivers")
struct OddReceiverTests {
  /// Garmin 48: RMC and GGA carry even seconds, GLL in between the odd ones. The positions differ, so both are
  /// measurements and both are fixes.
  @Test func `Garmin 48: GLL is a separate measurement`() {
    var rig = ReceiverRig()
    for second in stride(from: 0, to: 12, by: 2) {
      rig.send(
        Sentences.rmc(Double(second), north: second), Sentences.gga(Double(second), north: second), Sentences.gsa(3),
        Sentences.gll(Double(second + 1), north: second + 1))
      rig.wait(.seconds(2))
    }
    #expect(rig.fixes.count == 12)
    #expect(zip(rig.fixes, rig.fixes.dropFirst()).allSatisfy { $0.position.latitude < $1.position.latitude })
  }

  /// Magellan eXplorist 210: GLL has three decimals, GGA and RMC have two, rounded up or down.
  @Test func `Magellan eXplorist 210: rounded times are one epoch`() {
    var rig = ReceiverRig()
    for (gll, others) in [(19.295, 19.30), (20.303, 20.30), (21.297, 21.30), (22.305, 22.31)] {
      rig.send(Sentences.gll(gll), Sentences.gga(others), Sentences.rmc(others), Sentences.gsa(3))
    }
    rig.end()
    #expect(rig.outcomes == ["fix", "fix", "fix", "fix"])
    #expect(rig.fixes.allSatisfy { $0.altitudeMSL != nil && $0.speed != nil })
  }

  /// Humminbird M37: one type of sentence per second in turn. Time goes back by 12 s in an edited log.
  @Test func `Humminbird M37: epochs whose time goes back for good are published`() {
    var rig = ReceiverRig()
    let say: [(Double) -> String] = [
      { Sentences.rmc($0) }, { Sentences.gll($0) }, { Sentences.rmc($0) }, { Sentences.gga($0) },
    ]
    for second in Array(0..<20) + Array(7..<25) {
      rig.send(say[second % 4](Double(second)), "INDPT,2.1,0.0", "INMTW,17.9,C")
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.count == 38)
    #expect(rig.receiver.counters.judge.clockSteps == 1)
    #expect(rig.epochs.filter(\.isClockSetBack).map(\.timeOfDay) == [rig.fixes[20].timeOfDay])
  }

  /// Holux GM-210: the log ends in the middle of a sentence.
  @Test func `Holux GM-210: a truncated sentence is not an epoch`() {
    var rig = ReceiverRig()
    rig.send(Sentences.gga(0), Sentences.rmc(0))
    rig.send(text: "$GPGGA,123501.000,4807.0380,N,01131.0000,E,1,12,0.")
    rig.end()
    #expect(rig.outcomes == ["fix"])
    #expect(rig.receiver.counters.nmea.truncated == 1)
  }

  /// Telit PLS83: GSA states 2D beside the values of a three-dimensional solution of four systems.
  @Test func `Telit PLS83: a mode that its own altitude and satellites contradict is not believed`() {
    var rig = ReceiverRig()
    for second in 0..<8 {
      let time = "1235\(10 + second).00"
      rig.send(
        "GPGGA,\(time),4333.190206,N,00127.618380,E,1,05,1.3,250.8,M,50.0,M,,",
        "GNGNS,\(time),4333.190206,N,00127.618380,E,AAAAN,14,1.3,250.8,50.0,,,V",
        "GPRMC,\(time),A,4333.190206,N,00127.618380,E,0.0,,040925,1.7,W,A,V", Self.telit("02,08,10,23,27,,,,,,,", 1),
        Self.telit("65,66,73,81,82,,,,,,,", 2), Self.telit("33,,,,,,,,,,,", 3), Self.telit("208,211,213,,,,,,,,,", 4))
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.count == 8)
    #expect(rig.fixes.allSatisfy { $0.mode == .threeD && $0.altitudeMSL == 250.8 })
  }

  private static func telit(_ satellites: String, _ system: Int) -> String {
    "GNGSA,A,2,\(satellites),1.6,1.3,0.9,\(system)"
  }

  /// A Quectel EC25 states 2D with seven satellites of GPS.
  @Test(arguments: [(2, "1.4", 6), (3, "1.4", 11), (2, "9.0", 11), (2, "1.4", 7)])
  func `2D with many satellites is believed of a receiver that states 3D, and in a bad geometry`(
    first: Int, vdop: String, count: Int
  ) {
    var rig = ReceiverRig()
    let satellites = "02,03,04,05,06,07,08,09,10,11,12,"
    for second in 0..<8 {
      let mode = second < 4 && first == 3 ? 3 : 2
      rig.send(
        "GPGGA,1235\(10 + second).00,4807.0380,N,01131.0000,E,1,\(count),0.9,500.0,M,46.0,M,,",
        "GPRMC,1235\(10 + second).00,A,4807.0380,N,01131.0000,E,0.0,,230394,,,A",
        "GPGSA,A,\(mode),\(satellites),1.7,0.9,\(vdop)")
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.map(\.mode) == (0..<8).map { count == 7 || $0 < 4 && first == 3 ? .threeD : .twoD })
  }

  /// ZDA two seconds ahead of the fixes neither opens an epoch nor loses one.
  @Test func `A ZDA that runs ahead loses no epoch`() {
    var rig = ReceiverRig()
    for second in 0..<8 {
      rig.send(
        Sentences.gga(Double(second)), Sentences.gsa(3), Sentences.rmc(Double(second)),
        Sentences.zda(Double(second + 2)))
      rig.wait(.seconds(1))
    }
    rig.end()
    #expect(rig.outcomes == Array(repeating: "fix", count: 8))
    #expect(rig.fixes.allSatisfy { $0.measured != nil })
  }

  /// GlobalSat MR-350P: ZDA carries a second whose GGA follows in the next burst.
  @Test func `GlobalSat MR-350P: a ZDA before its burst waits for its fix`() {
    var rig = ReceiverRig()
    for second in 0..<8 {
      rig.send(Sentences.gga(Double(second)), Sentences.gsa(3), Sentences.zda(Double(second + 1)))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 8))
    #expect(rig.prompt == 8)
  }

  /// Quectel EG25-G before its first fix: only GNS has a time, GGA and RMC are empty.
  @Test func `Quectel EG25-G: empty sentences join the epoch with a time`() {
    var rig = ReceiverRig()
    for second in 0..<4 {
      rig.send(
        "GNGNS,\(Sentences.time(Double(second))),,,,,NNN,,,,,,", "GPVTG,,T,,M,,N,,K,N", "GPGSA,A,1,,,,,,,,,,,,,,,",
        "GPGGA,,,,,,0,,,,,,,,", "GPRMC,,V,,,,,,,,,,N")
    }
    rig.end()
    #expect(rig.outcomes == ["void", "void", "void", "void"])
    #expect(rig.epochs.allSatisfy { $0.timeOfDay != nil })
  }

  @Test func `Quectel EG25-G: GPGGA counts the satellites of GPS, GNGNS all`() {
    var rig = ReceiverRig()
    rig.send(
      "GPGGA,123510.00,6001.336799,N,03014.169008,E,1,03,0.9,16.5,M,18.0,M,,",
      "GNGNS,123510.00,6001.336799,N,03014.169008,E,AAN,09,0.9,16.5,18.0,,,V")
    rig.end()
    #expect(rig.fixes.first?.satellitesUsed == 9 && rig.fixes.first?.mode == .threeD)
  }

  @Test(
    arguments: [
      (",0000", nil), (",", nil), ("0.0,0000", nil), ("0000,0000", nil), ("2.5,0133", 133), ("1.0,0000", 0),
    ] as [(String, Int?)])
  func `SiRF and MediaTek: a station without the age of its corrections is none`(fields: String, station: Int?) {
    var rig = ReceiverRig()
    rig.send("GNGGA,091232.000,4813.0535,N,00824.8697,E,1,12,0.7,765.8,M,47.4,M,\(fields)")
    rig.end()
    #expect(rig.fixes.count == 1 && rig.fixes.first?.dgpsStation == station)
    #expect((rig.fixes.first?.dgpsAge == nil) == (station == nil))
  }

  /// Eurotech COM-1289: GSA and GSV precede the sentences with a time. A pause shows where they belong.
  @Test func `Eurotech COM-1289: leading GSA and GSV belong to the next epoch`() {
    var rig = ReceiverRig()
    for second in 0..<6 {
      rig.send(
        Sentences.gsa(second < 3 ? 1 : 3), Sentences.gsv[0], Sentences.gsv[1],
        Sentences.rmc(Double(second), status: second < 3 ? "V" : "A"),
        Sentences.gga(Double(second), quality: second < 3 ? "0" : "1"))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == ["void", "void", "void", "fix", "fix", "fix"])
  }

  /// A stream that starts in the middle of an epoch: the VTG of one epoch is not assigned to the next.
  @Test func `A leftover sentence is discarded after silence`() {
    var rig = ReceiverRig()
    rig.send("GNVTG,084.40,T,,M,99.000,N,183.0,K,A")
    rig.wait(.seconds(1))
    rig.send(Sentences.gga(0), Sentences.vtg)
    rig.wait(.seconds(1))
    #expect(rig.fixes.map { $0.speed.map { ($0 * 1000).rounded() } } == [11_524])
  }

  /// Some receivers send a GGA per system in addition to the combined one.
  @Test func `A GGA per system yields one fix`() {
    var rig = ReceiverRig()
    for second in 0..<4 {
      let own = Sentences.gga(Double(second), north: 7).dropFirst(2)
      rig.send("GP\(own)", "GL\(own)", Sentences.gga(Double(second)), Sentences.rmc(Double(second)))
    }
    rig.end()
    #expect(rig.outcomes == ["fix", "fix", "fix", "fix"])
    #expect(rig.fixes.allSatisfy { abs($0.position.latitude - 48.1173) < 1e-9 })
  }
}
