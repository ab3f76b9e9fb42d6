import LocationCore
import Testing

@Suite struct SkyCollectorTests {
  /// Feeds sentences, framed from their contents.
  private static func feed(_ collector: inout SkyCollector, _ contents: String...) {
    for content in contents {
      for line in Seen(framing: content).lines {
        let talker = Talker(code: line.talker.utf8.reduce(0) { $0 << 8 | UInt16($1) })
        switch line.sentence {
        case .gsv(let gsv): collector.add(gsv, talker: talker)
        case .gsa(let gsa): collector.add(gsa, talker: talker)
        default: Issue.record("neither GSV nor GSA: \(content)")
        }
      }
    }
  }

  private static func sky(_ contents: String...) -> [Satellite]? {
    var collector = SkyCollector()
    for content in contents { feed(&collector, content) }
    return collector.take()
  }

  private static func vector(_ id: String) throws -> [Satellite]? {
    let vector = try #require(NMEAVector.all.first { $0.id == id })
    var collector = SkyCollector()
    for sentence in Seen(vector.bytes).sentences {
      if case .gsv(let gsv) = sentence { collector.add(gsv, talker: Talker(code: 0x4750)) }
    }
    return collector.take()
  }

  @Test func aSetCountsWhenItsLastPartCame() throws {
    var collector = SkyCollector()
    Self.feed(&collector, "GPGSV,2,1,05,01,10,20,30,02,10,20,30,03,10,20,30,04,10,20,30")
    #expect(collector.take() == nil)
    Self.feed(&collector, "GPGSV,2,2,05,05,45,180,41")
    let taken = collector.take()
    let sky = try #require(taken)
    #expect(sky.map(\.prn) == [1, 2, 3, 4, 5])
    #expect(sky[4] == Satellite(prn: 5, gnss: .gps, svid: 5, elevation: 45, azimuth: 180, signal: 41, used: false))
    #expect(collector.take() == nil)
  }

  @Test func fiveInterleavedSatellitesComeOutOnceWithTheirBestSignal() throws {
    let sky = try #require(try Self.vector("GSVseq2"))
    #expect(sky.map(\.prn) == [8, 2, 18, 19, 22])
    #expect(sky.map(\.signal) == [28, 22, 38, 33, 30])
  }

  @Test func seventeenInFiveParts() throws {
    #expect(try Self.vector("GSVseq4")?.map(\.prn) == Array(1...17))
  }

  @Test func zeroSatellitesAreASky() throws {
    #expect(try Self.vector("GSV3") == [])
  }

  @Test(arguments: ["GSV13", "GSV15"])
  func hostileNumbersAreNoSky(_ id: String) throws {
    #expect(try Self.vector(id) == nil)
  }

  @Test func aSetWithAHoleIsDroppedAndCounted() {
    var collector = SkyCollector()
    Self.feed(
      &collector, "GPGSV,3,1,09,01,,,,02,,,,03,,,,04,,,", "GPGSV,3,3,09,09,,,", "GPGSV,3,2,09,05,,,,06,,,,07,,,,08,,,")
    #expect(collector.take() == nil)
    #expect(collector.droppedSets == 2)
    Self.feed(&collector, "GPGSV,1,1,01,11,,,")
    #expect(collector.take()?.map(\.prn) == [11])
  }

  @Test func laterPartsInheritTheTotals() {
    var collector = SkyCollector()
    Self.feed(&collector, "GPGSV,2,1,05,01,,,,02,,,,03,,,,04,,,", "GPGSV,,2,,05,,,")
    #expect(collector.take()?.count == 5)
  }

  @Test func aPartThatComesTwiceBreaksTheSet() {
    var collector = SkyCollector()
    Self.feed(&collector, "GPGSV,2,1,05,01,,,,02,,,,03,,,,04,,,", "GPGSV,2,1,05,01,,,,02,,,,03,,,,04,,,")
    Self.feed(&collector, "GPGSV,2,2,05,05,,,")
    #expect(collector.take()?.count == 5)
    #expect(collector.droppedSets == 1)
  }

  @Test func talkersAreKeptApartAndPublishedTogether() throws {
    let sky = try #require(
      Self.sky(
        "GPGSV,1,1,01,05,10,20,30", "GAGSV,1,1,01,05,11,21,31", "GBGSV,1,1,01,05,12,22,32", "GLGSV,1,1,01,69,13,23,33"))
    #expect(sky.map(\.prn) == [5, 305, 405, 69])
    #expect(sky.map(\.gnss) == [.gps, .galileo, .beidou, .glonass])
    #expect(sky.map(\.svid) == [5, 5, 5, 5])
  }

  @Test func quectelsOwnSetIsOfItsSystem() throws {
    let sky = try #require(Self.sky("PQGSV,1,1,01,06,21,118,31,0,4"))
    #expect(sky.map(\.prn) == [406])
  }

  @Test func gsaMarksWhatIsUsed() throws {
    let sky = try #require(
      Self.sky(
        "GNGSA,A,3,05,,,,,,,,,,,,1.1,0.7,0.8,1", "GNGSA,A,3,07,,,,,,,,,,,,1.1,0.7,0.8,3",
        "GPGSV,1,1,02,05,10,20,30,07,10,20,30", "GAGSV,1,1,02,05,10,20,30,07,10,20,30"))
    #expect(sky.filter(\.used).map(\.prn) == [5, 307])
  }

  /// Receivers without system ids name GLONASS by range in GSA and in GSV.
  @Test func gsaWithoutSystemIDMarksByRange() throws {
    let sky = try #require(
      Self.sky("GNGSA,A,3,65,66,,,,,,,,,,,1.05,0.69,0.79", "GLGSV,1,1,03,65,10,20,30,66,10,20,30,67,10,20,30"))
    #expect(sky.filter(\.used).map(\.prn) == [65, 66])
  }

  @Test func theNextEpochsListOfUsedReplacesTheLast() throws {
    var collector = SkyCollector()
    Self.feed(&collector, "GPGSA,A,3,05,,,,,,,,,,,,1.1,0.7,0.8", "GPGSV,1,1,02,05,10,20,30,07,10,20,30")
    #expect(collector.take()?.filter(\.used).map(\.prn) == [5])
    Self.feed(&collector, "GPGSA,A,3,07,,,,,,,,,,,,1.1,0.7,0.8", "GPGSV,1,1,02,05,10,20,30,07,10,20,30")
    #expect(collector.take()?.filter(\.used).map(\.prn) == [7])
  }

  @Test func aSetThatMissesARoundIsForgotten() {
    var collector = SkyCollector()
    Self.feed(&collector, "GPGSV,1,1,01,05,10,20,30", "GLGSV,1,1,01,65,10,20,30")
    #expect(collector.take()?.count == 2)
    Self.feed(&collector, "GPGSV,1,1,01,05,10,20,30")
    #expect(collector.take()?.count == 2)
    Self.feed(&collector, "GPGSV,1,1,01,05,10,20,30")
    #expect(collector.take()?.map(\.prn) == [5])
    Self.feed(&collector, "GLGSV,1,1,01,65,10,20,30")
    #expect(collector.take()?.map(\.prn) == [5, 65])
  }

  @Test func noCarrierIsNotZero() throws {
    let sky = try #require(Self.sky("GPGSV,1,1,02,05,10,20,00,07,10,20,"))
    #expect(sky.map(\.signal) == [nil, nil])
  }

  @Test func aPartWithoutASatelliteNumberAddsNone() throws {
    #expect(Self.sky("GPGSV,1,1,04,00,10,20,30,,,,,09,,,")?.map(\.prn) == [9])
  }

  @Test func whatDoesNotFitIsCounted() {
    var collector = SkyCollector()
    for first in UInt8(ascii: "A")...UInt8(ascii: "Z") {
      for second in [UInt8(ascii: "X"), UInt8(ascii: "Y")] where first != UInt8(ascii: "P") {
        let talker = String(decoding: [first, second], as: UTF8.self)
        for part in 1...9 {
          let groups = (0..<4).map { ",\((part - 1) * 4 + $0 + 500 + Int(first) % 10 * 40),10,20,30" }.joined()
          Self.feed(&collector, "\(talker)GSV,9,\(part),36\(groups)")
        }
      }
    }
    #expect(collector.take()?.count == 120)
    #expect(collector.overflowed > 0)
    Self.feed(&collector, "GPGSV,200,1,200,01,10,20,30")
  }
}
