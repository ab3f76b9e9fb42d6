import LocationCore
import Testing

@Suite struct SentenceTests {
  private static func only(_ content: String) throws -> Sentence {
    try #require(Seen(framing: content).sentences.first)
  }

  @Test func ggaReadsAgeAndStation() throws {
    guard case .gga(let gga) = try Self.only("GPGGA,,,,,,4,08,0.9,-12.5,M,-30.1,M,1.5,0120") else {
      Issue.record("no GGA")
      return
    }
    #expect(gga.altitudeMSL == -12.5)
    #expect(gga.geoidSeparation == -30.1)
    #expect(gga.dgpsAge == 1.5)
    #expect(gga.dgpsStation == 120)
    #expect(gga.problems.isEmpty)
  }

  @Test func anAltitudeInAnotherUnitIsNil() throws {
    guard case .gga(let gga) = try Self.only("GPGGA,,,,,,1,08,0.9,100,f,1,M,,") else {
      Issue.record("no GGA")
      return
    }
    #expect(gga.altitudeMSL == nil)
    #expect(gga.problems == SentenceProblems(field: 10))
  }

  @Test func vtgFallsBackToKilometresPerHour() throws {
    guard case .vtg(let vtg) = try Self.only("GPVTG,360.0,T,,M,,N,36.0,K,D") else {
      Issue.record("no VTG")
      return
    }
    #expect(vtg.speed == 10)
    #expect(vtg.course == 0)
    #expect(vtg.mode == .differential)
  }

  @Test func gsaOfTwentyFourSlotsIsReadWhole() throws {
    let slots = (1...24).map { $0 <= 20 ? "\($0)" : "" }.joined(separator: ",")
    guard case .gsa(let gsa) = try Self.only("GNGSA,M,2,\(slots),1.5,1.0,1.1") else {
      Issue.record("no GSA")
      return
    }
    #expect(gsa.satellites?.count == 20)
    #expect(gsa.satellites?.numbers[19] == 20)
    #expect(gsa.selection == .manual)
    #expect(gsa.pdop == 1.5)
    #expect(gsa.vdop == 1.1)
    #expect(gsa.systemID == nil)
  }

  /// SiRF writes a number with a dot where the system id belongs.
  @Test func aSystemIDThatIsNoneIsNil() throws {
    guard case .gsa(let gsa) = try Self.only("BDGSA,A,3,01,,,,,,,,,,,,1.1,2.2,3.3,1.5") else {
      Issue.record("no GSA")
      return
    }
    #expect(gsa.systemID == nil)
    #expect(gsa.problems == SentenceProblems(field: 18))
  }

  @Test func gsvTakesFourSatellitesAndNotesMore() throws {
    let groups = (1...5).map { "\($0),10,20,30" }.joined(separator: ",")
    guard case .gsv(let gsv) = try Self.only("GPGSV,1,1,05,\(groups)") else {
      Issue.record("no GSV")
      return
    }
    #expect(gsv.satellites?.count == 4)
    #expect(!gsv.problems.isEmpty)
  }

  @Test func gsvKeepsSatellitesThatStandBehindEmptySlots() throws {
    guard case .gsv(let gsv) = try Self.only("GPGSV,1,1,02,,,,,07,-3,360,41.5,,,,,31,90,000,00") else {
      Issue.record("no GSV")
      return
    }
    #expect(gsv.satellites?.count == 2)
    #expect(gsv.satellites?.elements[0].elevation == -3)
    #expect(gsv.satellites?.elements[0].azimuth == 0)
    #expect(gsv.satellites?.elements[0].signal == 41.5)
    #expect(gsv.satellites?.elements[1].signal == 0)
  }

  @Test func gsvMarksWhatIsOutOfRange() throws {
    guard case .gsv(let gsv) = try Self.only("GPGSV,1,1,01,07,91,361,100") else {
      Issue.record("no GSV")
      return
    }
    #expect(gsv.satellites?.elements[0].elevation == nil)
    #expect(gsv.satellites?.elements[0].azimuth == nil)
    #expect(gsv.satellites?.elements[0].signal == nil)
    #expect(gsv.problems == [SentenceProblems(field: 5), SentenceProblems(field: 6), SentenceProblems(field: 7)])
  }

  @Test func gnsKeepsSixLetters() throws {
    guard case .gns(let gns) = try Self.only("GNGNS,,,,,,NADRFE,00,,,,,") else {
      Issue.record("no GNS")
      return
    }
    #expect(gns.modes?.count == 6)
    #expect(gns.modes?.letters[5] == UInt8(ascii: "E"))
    #expect(try Self.only("GNGNS,,,,,,NADRFEA,00,,,,,") != .gns(gns))
  }

  @Test func zdaKnowsZones() throws {
    let zones = [
      ("+00,00", 0), ("-00,30", -30), ("13,00", 780), ("05,45", 345), (",", nil), ("05,", 300), ("05,60", nil),
      ("05,x", nil), ("15,00", nil), ("-,00", nil),
    ]
    for (fields, minutes) in zones {
      guard case .zda(let zda) = try Self.only("GPZDA,,19,03,2026,\(fields)") else {
        Issue.record("no ZDA")
        return
      }
      #expect(zda.zoneMinutes == minutes)
      #expect(zda.date == CalendarDate(year: 2026, month: 3, day: 19))
    }
  }

  @Test(arguments: ["06,01,1980", "31,02,2026", "19,03,26", "19,13,2026", ",03,2026", "19,,2026", "x,03,2026"])
  func zdaKnowsNoOtherDates(_ fields: String) throws {
    guard case .zda(let zda) = try Self.only("GPZDA,,\(fields),,") else {
      Issue.record("no ZDA")
      return
    }
    #expect(zda.date == nil)
  }

  @Test func gbsIsRead() throws {
    guard case .gbs(let gbs) = try Self.only("GNGBS,223745.00,1.0,1.5,3.1,03,0.01,-21.4,3.8,1,2") else {
      Issue.record("no GBS")
      return
    }
    #expect(gbs.latitudeError == 1)
    #expect(gbs.longitudeError == 1.5)
    #expect(gbs.altitudeError == 3.1)
    #expect(gbs.failedSatellite == 3)
    #expect(gbs.missedProbability == 0.01)
    #expect(gbs.bias == -21.4)
    #expect(gbs.biasDeviation == 3.8)
    #expect(gbs.systemID == 1)
    #expect(gbs.signalID == 2)
  }

  @Test func dtmIsRead() throws {
    guard case .dtm(let dtm) = try Self.only("GPDTM,999,CH95,0.08,N,0.07,W,-47.7,W84") else {
      Issue.record("no DTM")
      return
    }
    #expect(dtm.datum?.description == "999")
    #expect(dtm.subdivision?.description == "CH95")
    #expect(dtm.latitudeOffset == 0.08 / 60)
    #expect(dtm.longitudeOffset == -0.07 / 60)
    #expect(dtm.altitudeOffset == -47.7)
    #expect(dtm.reference?.description == "W84")
  }

  @Test func headingsAreRead() throws {
    guard case .hdt(let hdt) = try Self.only("HEHDT,274.07,T"), case .ths(let ths) = try Self.only("GNTHS,77.52,E")
    else {
      Issue.record("no heading")
      return
    }
    #expect(hdt.heading == 274.07)
    #expect(ths.heading == 77.52)
    #expect(ths.mode == .estimated)
  }

  @Test func textRunsToTheEndAndKeepsItsCommas() throws {
    let line = try #require(Seen(framing: "GPTXT,02,01,07,a,b^zz^0Ac^").lines.first)
    #expect(line.txt == Array("a,b^zz\nc^".utf8))
    guard case .txt(let txt) = line.sentence else {
      Issue.record("no TXT")
      return
    }
    #expect(txt.parts == 2)
    #expect(txt.identifier == 7)
    #expect(Seen(framing: "GPTXT,01,01,02,").lines.first?.txt == [])
  }

  @Test func pubx00IsRead() throws {
    let content =
      "PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,36.0,77.52,-0.007,,0.92,1.19,0.77,9,0,1"
    guard case .pubx00(let pubx) = try Self.only(content) else {
      Issue.record("no PUBX,00")
      return
    }
    #expect(pubx.position?.latitude == 47.28522016666667)
    #expect(pubx.altitudeHAE == 546.589)
    #expect(pubx.status == .threeD)
    #expect(pubx.horizontalAccuracy == 2.1)
    #expect(pubx.verticalAccuracy == 2)
    #expect(pubx.speed == 10)
    #expect(pubx.course == 77.52)
    #expect(pubx.velocityDown == -0.007)
    #expect(pubx.hdop == 0.92)
    #expect(pubx.tdop == 0.77)
    #expect(pubx.satellitesUsed == 9)
    #expect(pubx.deadReckoning == true)
    #expect(pubx.problems.isEmpty)
  }

  /// What cannot be stored is out of range, not silently missing.
  @Test func pubx00NotesWhatIsTooLarge() throws {
    let content = "PUBX,00,081350,,,,,21105980,G3,2000001,2.0,,,,2000001,,,,9,0,0"
    guard case .pubx00(let pubx) = try Self.only(content) else {
      Issue.record("no PUBX,00")
      return
    }
    #expect(pubx.altitudeHAE == nil)
    #expect(pubx.problems == [SentenceProblems(field: 7), SentenceProblems(field: 9), SentenceProblems(field: 14)])
    #expect(Seen(framing: "GNGRS,123519,1,2000001,,,,,,,,,,,").counters.malformedFields == 1)
  }

  @Test func pubx03OfManySatellitesIsReadWhole() throws {
    let groups = (1...26).map { ",\(1 + $0 % 9),-,,,," }.joined()
    let line = try #require(Seen(framing: "PUBX,03,26\(groups)").lines.first)
    #expect(line.pubx.count == 26)
    #expect(Seen(framing: "PUBX,03,1,5,x,,91,,").counters.malformedFields == 2)
    #expect(Seen(framing: "PUBX,03,2,0,-,,,,,7,-,,,,").lines.first?.pubx.map(\.number) == [7])
  }

  @Test func garminErrorsAreRead() throws {
    guard case .pgrme(let pgrme) = try Self.only("PGRME,5.5,M,7.0,M,8.9,M"),
      case .pgrmz(let pgrmz) = try Self.only("PGRMZ,1088,f")
    else {
      Issue.record("no PGRME or PGRMZ")
      return
    }
    #expect(pgrme.horizontal == 5.5)
    #expect(pgrme.vertical == 7)
    #expect(pgrme.spherical == 8.9)
    #expect(pgrmz.altitudeMSL == 1088 * 0.3048)
    #expect(pgrmz.kind == nil)
  }

  @Test func mediaTekAnswersAreRead() throws {
    guard case .pmtk(let pmtk) = try Self.only("PMTK001,314,3") else {
      Issue.record("no PMTK")
      return
    }
    #expect(pmtk.packet == 1)
    #expect(pmtk.command == 314)
    #expect(pmtk.result == 3)
    #expect(try Self.only("PMTKCHN,00001") == .unknown)
    #expect(try Self.only("PMTK01,1") == .unknown)
  }

  @Test func skyTraqIsRead() throws {
    let content =
      "PSTI,030,044606.000,A,2447.0924110,N,12100.5227860,E,103.323,3.00,-4.00,0.50,180915,R,1.2,4.2"
    guard case .psti030(let psti) = try Self.only(content) else {
      Issue.record("no PSTI,030")
      return
    }
    #expect(psti.status == .valid)
    #expect(abs((psti.position?.latitude ?? 0) - 24.784873516666667) < 1e-12)
    #expect(psti.altitudeMSL == 103.323)
    #expect(psti.velocityEast == 3)
    #expect(psti.velocityNorth == -4)
    #expect(psti.velocityUp == 0.5)
    #expect(psti.date == CalendarDate(year: 2015, month: 9, day: 18))
    #expect(psti.mode == .rtk)
    #expect(psti.rtkAge == 1.2)
    #expect(psti.rtkRatio == 4.2)
    #expect(try Self.only("PSTI,032,044606.000") == .unknown)
  }

  @Test func trimbleIsRead() throws {
    let content = "PTNL,GGK,102939.00,051910,5000.97323841,N,00827.62010742,E,5,09,1.9,EHT150.790,M"
    guard case .ptnlGGK(let ggk) = try Self.only(content) else {
      Issue.record("no PTNL,GGK")
      return
    }
    #expect(ggk.date == CalendarDate(year: 2010, month: 5, day: 19))
    #expect(abs((ggk.position?.latitude ?? 0) - 50.0162206401667) < 1e-12)
    #expect(ggk.quality == 5)
    #expect(ggk.satellitesUsed == 9)
    #expect(ggk.dop == 1.9)
    #expect(ggk.altitudeHAE == 150.79)
    #expect(ggk.altitudeMSL == nil)
    guard case .ptnlGGK(let geoidal) = try Self.only(content.replacing("EHT", with: "GHT-")) else { return }
    #expect(geoidal.altitudeMSL == -150.79)
    #expect(geoidal.altitudeHAE == nil)
  }

  @Test func sirfErrorsAreRead() throws {
    guard case .psrfepe(let epe) = try Self.only("PSRFEPE,100542.000,A,0.7,6.82,10.69,0.1,180.0") else {
      Issue.record("no PSRFEPE")
      return
    }
    #expect(epe.status == .valid)
    #expect(epe.hdop == 0.7)
    #expect(epe.horizontal == 6.82)
    #expect(epe.vertical == 10.69)
    #expect(epe.velocity == 0.1)
    #expect(epe.heading == 180)
  }

  @Test(arguments: ["GPXYZ,1,2", "PXYZ,1", "PUBX,05,1", "GP,1", "G,1", "P,1", "GPRM,1", "gprmc,1", "HCHDG,101,,,7.1,W"])
  func anythingElseIsUnknownWithItsFields(_ content: String) throws {
    let line = try #require(Seen(framing: content).lines.first)
    #expect(line.sentence == .unknown)
    #expect(
      line.fields.map { String(decoding: $0, as: UTF8.self) }
        == content.split(separator: ",", omittingEmptySubsequences: false).dropFirst().map(String.init))
  }

  @Test func typesPrintTheirNames() {
    #expect(SentenceType.rmc.description == "RMC")
    #expect(SentenceType.psti030.description == "PSTI,030")
    #expect(SentenceType.ptnlGGK.description == "PTNL,GGK")
    #expect(SentenceType.psrfepe.description == "PSRFEPE")
    #expect(SentenceType.none.description.isEmpty)
  }
}
