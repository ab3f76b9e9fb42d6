import LocationCore
import Testing

@Suite("Sentences")
struct SentenceTests {
  private static func only(_ content: String) throws -> Sentence {
    try #require(Seen(framing: content).sentences.first)
  }

  @Test func `GGA includes the age and station of the corrections`() throws {
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

  @Test func `An altitude in another unit is nil`() throws {
    guard case .gga(let gga) = try Self.only("GPGGA,,,,,,1,08,0.9,100,f,1,M,,") else {
      Issue.record("no GGA")
      return
    }
    #expect(gga.altitudeMSL == nil)
    #expect(gga.problems == SentenceProblems(field: 10))
  }

  @Test func `VTG falls back to km/h`() throws {
    let line = try #require(Seen(framing: "GPVTG,360.0,T,,M,,N,36.0,K,D").lines.first)
    guard case .vtg(let vtg) = line.sentence else {
      Issue.record("no VTG")
      return
    }
    #expect(vtg.speed == 10)
    #expect(vtg.course == 0)
    #expect(line["mode"] == .string("D"))
  }

  @Test func `A VTG that is not valid states neither course nor speed`() throws {
    guard case .vtg(let vtg) = try Self.only("GNVTG,0.0,T,,M,0.00,N,0.00,K,N") else {
      Issue.record("no VTG")
      return
    }
    #expect(vtg == VTG())
  }

  @Test func `A GSA with 24 slots is decoded completely`() throws {
    let slots = (1...24).map { $0 <= 20 ? "\($0)" : "" }.joined(separator: ",")
    let line = try #require(Seen(framing: "GNGSA,M,2,\(slots),1.5,1.0,1.1").lines.first)
    guard case .gsa(let gsa) = line.sentence else {
      Issue.record("no GSA")
      return
    }
    #expect(gsa.satellites?.count == 20)
    #expect(gsa.satellites?[19] == 20)
    #expect(line["selection"] == .string("M"))
    #expect(gsa.pdop == 1.5)
    #expect(gsa.vdop == 1.1)
    #expect(gsa.systemID == nil)
  }

  /// SiRF sends a decimal number in the field of the system id.
  @Test func `A malformed system id is nil`() throws {
    let line = try #require(Seen(framing: "BDGSA,A,3,01,,,,,,,,,,,,1.1,2.2,3.3,1.5").lines.first)
    guard case .gsa(let gsa) = line.sentence else {
      Issue.record("no GSA")
      return
    }
    #expect(gsa.systemID == nil)
    #expect(line.malformed == ["system"])
  }

  @Test func `GSV decodes four satellites and registers further fields as a problem`() throws {
    let groups = (1...5).map { "\($0),10,20,30" }.joined(separator: ",")
    let line = try #require(Seen(framing: "GPGSV,1,1,05,\(groups)").lines.first)
    guard case .gsv(let gsv) = line.sentence else {
      Issue.record("no GSV")
      return
    }
    #expect(gsv.satellites?.count == 4)
    #expect(!line.malformed.isEmpty)
  }

  @Test func `GSV decodes satellites after empty slots`() throws {
    guard case .gsv(let gsv) = try Self.only("GPGSV,1,1,02,,,,,07,-3,360,41.5,,,,,31,90,000,00") else {
      Issue.record("no GSV")
      return
    }
    #expect(gsv.satellites?.count == 2)
    #expect(gsv.satellites?[0].elevation == -3)
    #expect(gsv.satellites?[0].azimuth == 0)
    #expect(gsv.satellites?[0].signal == 41.5)
    #expect(gsv.satellites?[1].signal == 0)
  }

  @Test func `GSV registers values out of range`() throws {
    let seen = Seen(framing: "GPGSV,1,1,01,07,91,361,100")
    guard case .gsv(let gsv) = seen.sentences.first else {
      Issue.record("no GSV")
      return
    }
    #expect(gsv.satellites?[0].elevation == nil)
    #expect(gsv.satellites?[0].azimuth == nil)
    #expect(gsv.satellites?[0].signal == nil)
    #expect(seen.counters.malformedFields == 3)
  }

  @Test func `GNS has up to six mode letters`() throws {
    guard case .gns(let gns) = try Self.only("GNGNS,,,,,,NADRFE,00,,,,,") else {
      Issue.record("no GNS")
      return
    }
    #expect(gns.modes?.count == 6)
    #expect(gns.modes?[5] == UInt8(ascii: "E"))
    for form in ["NADRFEA", "nadrfe", " NADRFE", "NaDRFE ", "NADRFEAN"] {
      #expect(try Self.only("GNGNS,,,,,,\(form),00,,,,,") == .gns(gns), "\(form)")
    }
    for form in ["A N", "A1", "-", "NADRF\u{5B}"] {
      #expect(Seen(framing: "GNGNS,,,,,,\(form),00,,,,,").lines.first?.malformed == ["modes"], "\(form)")
    }
  }

  @Test func `ZDA includes the local time zone`() throws {
    let zones = [
      ("+00,00", 0), ("-00,30", -30), ("13,00", 780), ("05,45", 345), (",", nil), ("05,", 300), ("05,60", nil),
      ("05,x", nil), ("15,00", nil), ("-,00", nil),
    ]
    for (fields, minutes) in zones {
      let line = try #require(Seen(framing: "GPZDA,,19,03,2026,\(fields)").lines.first)
      guard case .zda(let zda) = line.sentence else {
        Issue.record("no ZDA")
        return
      }
      #expect(line["zone"] == minutes.map(FieldValue.integer))
      #expect(zda.date == CalendarDate(year: 2026, month: 3, day: 19))
    }
  }

  @Test(arguments: ["19,03,2026 ", "19, 03, 2026", " 19 ,03,2026"])
  func `ZDA has a date with blanks around its numbers`(_ fields: String) throws {
    guard case .zda(let zda) = try Self.only("GPZDA,,\(fields),,") else {
      Issue.record("no ZDA")
      return
    }
    #expect(zda.date == CalendarDate(year: 2026, month: 3, day: 19))
  }

  @Test(arguments: ["06,01,1980", "31,02,2026", "19,03,26", "19,13,2026", ",03,2026", "19,,2026", "x,03,2026"])
  func `ZDA rejects invalid dates`(_ fields: String) throws {
    guard case .zda(let zda) = try Self.only("GPZDA,,\(fields),,") else {
      Issue.record("no ZDA")
      return
    }
    #expect(zda.date == nil)
  }

  @Test func `GBS is decoded`() throws {
    let gbs = try #require(Seen(framing: "GNGBS,223745.00,1.0,1.5,3.1,03,0.01,-21.4,3.8,1,2").lines.first)
    #expect(gbs.sentence == .other)
    #expect(gbs["epy"] == .decimal(1, places: 4))
    #expect(gbs["epx"] == .decimal(1.5, places: 4))
    #expect(gbs["epv"] == .decimal(3.1, places: 4))
    #expect(gbs["failed"] == .integer(3))
    #expect(gbs["probability"] == .decimal(0.01, places: 9))
    #expect(gbs["bias"] == .decimal(-21.4, places: 4))
    #expect(gbs["deviation"] == .decimal(3.8, places: 4))
    #expect(gbs["system"] == .integer(1))
    #expect(gbs["signal"] == .integer(2))
  }

  @Test func `DTM is decoded`() throws {
    let dtm = try #require(Seen(framing: "GPDTM,999,CH95,0.08,N,0.07,W,-47.7,W84").lines.first)
    #expect(dtm.sentence == .other)
    #expect(dtm["datum"] == .string("999"))
    #expect(dtm["subdivision"] == .string("CH95"))
    #expect(dtm["latOffset"] == .decimal(0.08 / 60, places: 9))
    #expect(dtm["lonOffset"] == .decimal(-0.07 / 60, places: 9))
    #expect(dtm["altOffset"] == .decimal(-47.7, places: 4))
    #expect(dtm["reference"] == .string("W84"))
  }

  @Test func `HDT and THS are decoded`() throws {
    let line = try #require(Seen(framing: "GNTHS,77.52,E").lines.first)
    guard case .hdt(let hdt) = try Self.only("HEHDT,274.07,T"), case .ths(let ths) = line.sentence,
      case .ths(let invalid) = try Self.only("GNTHS,77.52,V")
    else {
      Issue.record("no heading")
      return
    }
    #expect(hdt.degrees == 274.07)
    #expect(ths.degrees == 77.52)
    #expect(line["mode"] == .string("E"))
    #expect(invalid.degrees == nil)
  }

  @Test func `The text of TXT extends to the end and includes commas`() throws {
    let line = try #require(Seen(framing: "GPTXT,02,01,07,a,b^zz^0Ac^").lines.first)
    #expect(line.sentence == .other)
    #expect(line["text"] == .string("a,b^zz\nc^"))
    #expect(line["parts"] == .integer(2))
    #expect(line["id"] == .integer(7))
    #expect(Seen(framing: "GPTXT,01,01,02,").lines.first?["text"] == .text([]))
  }

  @Test(arguments: ["GPXYZ,1,2", "PXYZ,1", "PUBX,05,1", "GP,1", "G,1", "P,1", "GPRM,1", "gprmc,1", "HCHDG,101,,,7.1,W"])
  func `Other types are unknown, and their fields are available`(_ content: String) throws {
    let line = try #require(Seen(framing: content).lines.first)
    #expect(line.sentence == .unknown)
    #expect(
      line.fields.map { String(decoding: $0, as: UTF8.self) }
        == content.split(separator: ",", omittingEmptySubsequences: false).dropFirst().map(String.init))
  }

  @Test func `A type's description is its name`() {
    let standard: [SentenceType] = [
      .rmc, .gga, .gll, .gns, .vtg, .zda, .gst, .gsa, .gsv, .gbs, .grs, .dtm, .txt, .hdt, .ths,
    ]
    #expect(
      standard.map(\.description).joined(separator: " ")
        == "RMC GGA GLL GNS VTG ZDA GST GSA GSV GBS GRS DTM TXT HDT THS")
    let makers: [SentenceType] = [.pubx00, .pubx03, .pubx04, .pgrme, .pgrmz, .pmtk, .pqgsv, .pqgsa]
    #expect(
      makers.map(\.description).joined(separator: " ") == "PUBX,00 PUBX,03 PUBX,04 PGRME PGRMZ PMTK PQGSV PQGSA")
    #expect(SentenceType.psti030.description == "PSTI,030")
    #expect(SentenceType.ptnlGGK.description == "PTNL,GGK")
    #expect(SentenceType.psrfepe.description == "PSRFEPE")
    #expect(SentenceType.none.description.isEmpty)
  }
}
