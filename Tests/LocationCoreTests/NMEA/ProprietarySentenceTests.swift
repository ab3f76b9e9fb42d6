@testable import LocationCore
import Testing

@Suite("Proprietary sentences")
struct ProprietarySentenceTests {
  private static func only(_ content: String) throws -> Sentence {
    try #require(Seen(framing: content).sentences.first)
  }

  @Test func `PUBX,00 is decoded`() throws {
    let content =
      "PUBX,00,081350.00,4717.113210,N,00833.915187,E,546.589,G3,2.1,2.0,36.0,77.52,-0.007,,0.92,1.19,0.77,9,0,1"
    let line = try #require(Seen(framing: content).lines.first)
    guard case .pubx00(let pubx) = line.sentence else {
      Issue.record("no PUBX,00")
      return
    }
    #expect(line["lat"]?.number == 47.28522016666667)
    #expect(line["altHAE"]?.number == 546.589)
    #expect(line["status"] == .string("G3"))
    #expect(pubx.horizontal == 2.1 * Confidence.distance)
    #expect(pubx.vertical == 2 * Confidence.line)
    #expect(line["eph"]?.number == 2.1)
    #expect(line["epv"]?.number == 2)
    #expect(line["speed"]?.number == 10)
    #expect(line["track"]?.number == 77.52)
    #expect(pubx.climb == 0.007)
    #expect(line["velD"]?.number == -0.007)
    #expect(line["hdop"]?.number == 0.92)
    #expect(line["tdop"]?.number == 0.77)
    #expect(line["nSat"] == .integer(9))
    #expect(line["deadReckoning"] == .flag(true))
    #expect(line.malformed.isEmpty)
  }

  @Test func `PUBX,00 registers values too large to store as out of range`() throws {
    let content = "PUBX,00,081350,,,,,21105980,G3,2000001,2.0,,,,2000001,,,,9,0,0"
    let line = try #require(Seen(framing: content).lines.first)
    #expect(line["altHAE"] == nil)
    #expect(line.malformed == ["altHAE", "eph", "dgpsAge"])
    #expect(Seen(framing: "GNGRS,123519,1,2000001,,,,,,,,,,,").counters.malformedFields == 1)
  }

  @Test func `A PUBX,03 with many satellites is decoded completely`() throws {
    let groups = (1...26).map { ",\(1 + $0 % 9),-,,,," }.joined()
    let line = try #require(Seen(framing: "PUBX,03,26\(groups)").lines.first)
    guard case .list(let satellites) = line["satellites"] else {
      Issue.record("no satellites")
      return
    }
    #expect(satellites.count == 26)
    #expect(Seen(framing: "PUBX,03,1,5,x,,91,,").counters.malformedFields == 2)
    let use = SentenceValue(name: "use", value: .string("-"))
    #expect(
      Seen(framing: "PUBX,03,2,0,-,,,,,7,-,,,,").lines.first?["satellites"]
        == .list([.object([SentenceValue(name: "PRN", value: .integer(7)), use])]))
  }

  @Test func `PGRME and PGRMZ are decoded`() throws {
    let pgrmz = try #require(Seen(framing: "PGRMZ,1088,f").lines.first)
    let line = try #require(Seen(framing: "PGRME,5.5,M,7.0,M,8.9,M").lines.first)
    guard case .pgrme(let pgrme) = line.sentence else {
      Issue.record("no PGRME")
      return
    }
    #expect(pgrme.horizontal == 5.5 * Confidence.circle / Confidence.halfCircle)
    #expect(pgrme.vertical == 7 * Confidence.line / Confidence.halfLine)
    #expect(line["eph"]?.number == 5.5)
    #expect(line["epv"]?.number == 7)
    #expect(line["sep"]?.number == 8.9)
    #expect(pgrmz.sentence == .other)
    #expect(pgrmz.values == [SentenceValue(name: "altMSL", value: .decimal(1088 * 0.3048, places: 4))])
  }

  @Test func `PMTK is decoded`() throws {
    let pmtk = try #require(Seen(framing: "PMTK001,314,3").lines.first)
    #expect(pmtk.sentence == .other)
    #expect(pmtk["packet"] == .integer(1))
    #expect(pmtk["command"] == .integer(314))
    #expect(pmtk["result"] == .integer(3))
    #expect(try Self.only("PMTKCHN,00001") == .unknown)
    #expect(try Self.only("PMTK01,1") == .unknown)
  }

  @Test func `PSTI,030 is decoded`() throws {
    let content =
      "PSTI,030,044606.000,A,2447.0924110,N,12100.5227860,E,103.323,3.00,-4.00,0.50,180915,R,1.2,4.2"
    let psti = try #require(Seen(framing: content).lines.first)
    #expect(psti.sentence == .other)
    #expect(psti["status"] == .string("A"))
    #expect(abs((psti["lat"]?.number ?? 0) - 24.784873516666667) < 1e-12)
    #expect(psti["altMSL"]?.number == 103.323)
    #expect(psti["velE"]?.number == 3)
    #expect(psti["velN"]?.number == -4)
    #expect(psti["velU"]?.number == 0.5)
    #expect(psti["date"] == CalendarDate(year: 2015, month: 9, day: 18).map(FieldValue.date))
    #expect(psti["mode"] == .string("R"))
    #expect(psti["rtkAge"]?.number == 1.2)
    #expect(psti["rtkRatio"]?.number == 4.2)
    #expect(try Self.only("PSTI,032,044606.000") == .unknown)
  }

  @Test func `PTNL,GGK is decoded`() throws {
    let content = "PTNL,GGK,102939.00,051910,5000.97323841,N,00827.62010742,E,5,09,1.9,EHT150.790,M"
    let ggk = try #require(Seen(framing: content).lines.first)
    #expect(ggk.sentence == .other)
    #expect(ggk["date"] == CalendarDate(year: 2010, month: 5, day: 19).map(FieldValue.date))
    #expect(abs((ggk["lat"]?.number ?? 0) - 50.0162206401667) < 1e-12)
    #expect(ggk["quality"] == .integer(5))
    #expect(ggk["nSat"] == .integer(9))
    #expect(ggk["dop"]?.number == 1.9)
    #expect(ggk["altHAE"]?.number == 150.79)
    #expect(ggk["altMSL"] == nil)
    let geoidal = try #require(Seen(framing: content.replacing("EHT", with: "GHT-")).lines.first)
    #expect(geoidal["altMSL"]?.number == -150.79)
    #expect(geoidal["altHAE"] == nil)
  }

  @Test func `PSRFEPE is decoded`() throws {
    let line = try #require(Seen(framing: "PSRFEPE,100542.000,A,0.7,6.82,10.69,0.1,180.0").lines.first)
    guard case .psrfepe(let epe) = line.sentence else {
      Issue.record("no PSRFEPE")
      return
    }
    #expect(line["status"] == .string("A"))
    #expect(line["hdop"]?.number == 0.7)
    #expect(epe.horizontal == 6.82 * Confidence.distance)
    #expect(epe.vertical == 10.69 * Confidence.line)
    #expect(epe.speed == 0.1 * Confidence.line)
    #expect(epe.course == nil)
    #expect(line["eph"]?.number == 6.82)
    #expect(line["epd"]?.number == 180)
  }
}
