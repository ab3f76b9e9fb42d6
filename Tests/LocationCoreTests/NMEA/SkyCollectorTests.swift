@testable import LocationCore
import Testing

@Suite("Sky collector")
struct SkyCollectorTests {
  /// Collects framed sentences from their contents.
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

  @Test func `A set counts with its last part`() throws {
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

  @Test func `Interleaved satellites are reported once, with their best signal`() throws {
    let sky = try #require(try Self.vector("GSVseq2"))
    #expect(sky.map(\.prn) == [8, 2, 18, 19, 22])
    #expect(sky.map(\.signal) == [28, 22, 38, 33, 30])
  }

  @Test func `17 satellites in five parts form one sky`() throws {
    #expect(try Self.vector("GSVseq4")?.map(\.prn) == Array(1...17))
  }

  @Test func `Zero satellites are a sky`() throws {
    #expect(try Self.vector("GSV3") == [])
  }

  @Test(arguments: ["GSV13", "GSV15"])
  func `Invalid part numbers give no sky`(_ id: String) throws {
    #expect(try Self.vector(id) == nil)
  }

  @Test func `A set with a missing part is dropped and counted`() {
    var collector = SkyCollector()
    Self.feed(
      &collector, "GPGSV,3,1,09,01,,,,02,,,,03,,,,04,,,", "GPGSV,3,3,09,09,,,", "GPGSV,3,2,09,05,,,,06,,,,07,,,,08,,,")
    #expect(collector.take() == nil)
    #expect(collector.droppedSets == 2)
    Self.feed(&collector, "GPGSV,1,1,01,11,,,")
    #expect(collector.take()?.map(\.prn) == [11])
  }

  @Test func `Later parts inherit the totals`() {
    var collector = SkyCollector()
    Self.feed(&collector, "GPGSV,2,1,05,01,,,,02,,,,03,,,,04,,,", "GPGSV,,2,,05,,,")
    #expect(collector.take()?.count == 5)
  }

  @Test func `A repeated part drops the set`() {
    var collector = SkyCollector()
    Self.feed(&collector, "GPGSV,2,1,05,01,,,,02,,,,03,,,,04,,,", "GPGSV,2,1,05,01,,,,02,,,,03,,,,04,,,")
    Self.feed(&collector, "GPGSV,2,2,05,05,,,")
    #expect(collector.take()?.count == 5)
    #expect(collector.droppedSets == 1)
  }

  @Test func `Talkers have separate sets, which are published together`() throws {
    let sky = try #require(
      Self.sky(
        "GPGSV,1,1,01,05,10,20,30", "GAGSV,1,1,01,05,11,21,31", "GBGSV,1,1,01,05,12,22,32", "GLGSV,1,1,01,69,13,23,33"))
    #expect(sky.map(\.prn) == [5, 305, 405, 69])
    #expect(sky.map(\.gnss) == [.gps, .galileo, .beidou, .glonass])
    #expect(sky.map(\.svid) == [5, 5, 5, 5])
  }

  @Test func `The system id of Quectel's PQGSV and PQGSA gives the system`() throws {
    let sky = try #require(
      Self.sky(
        "PQGSA,A,3,12,,,,,,,,,,,,1.2,0.9,0.9,4", "PQGSA,A,3,,,,,,,,,,,,,1.2,0.9,0.9,5",
        "PQGSV,1,1,02,06,21,118,31,12,46,282,30,0,4"))
    #expect(sky.map(\.prn) == [406, 412] && sky.filter(\.used).map(\.prn) == [412])
  }

  @Test func `GSA marks the satellites in use`() throws {
    let sky = try #require(
      Self.sky(
        "GNGSA,A,3,05,,,,,,,,,,,,1.1,0.7,0.8,1", "GNGSA,A,3,07,,,,,,,,,,,,1.1,0.7,0.8,3",
        "GPGSV,1,1,02,05,10,20,30,07,10,20,30", "GAGSV,1,1,02,05,10,20,30,07,10,20,30"))
    #expect(sky.filter(\.used).map(\.prn) == [5, 307])
  }

  /// Receivers without system ids number GLONASS by range in GSA and GSV.
  @Test func `GSA without a system id marks satellites by range`() throws {
    let sky = try #require(
      Self.sky("GNGSA,A,3,65,66,,,,,,,,,,,1.05,0.69,0.79", "GLGSV,1,1,03,65,10,20,30,66,10,20,30,67,10,20,30"))
    #expect(sky.filter(\.used).map(\.prn) == [65, 66])
  }

  @Test func `The list of satellites in use is replaced with the next epoch`() throws {
    var collector = SkyCollector()
    Self.feed(&collector, "GPGSA,A,3,05,,,,,,,,,,,,1.1,0.7,0.8", "GPGSV,1,1,02,05,10,20,30,07,10,20,30")
    #expect(collector.take()?.filter(\.used).map(\.prn) == [5])
    Self.feed(&collector, "GPGSA,A,3,07,,,,,,,,,,,,1.1,0.7,0.8", "GPGSV,1,1,02,05,10,20,30,07,10,20,30")
    #expect(collector.take()?.filter(\.used).map(\.prn) == [7])
  }

  @Test func `A set of which a line is lost stays for a round`() {
    // L1 and L5 of one system.
    var collector = SkyCollector()
    var counts: [Int?] = []
    for round in 0..<6 {
      Self.feed(&collector, "GPGSV,2,1,05,05,10,20,30,06,10,20,30,07,10,20,30,08,10,20,30,1")
      if round != 3 { Self.feed(&collector, "GPGSV,2,2,05,09,10,20,30,1") }
      Self.feed(&collector, "GPGSV,1,1,02,05,10,20,30,06,10,20,30,8")
      counts.append(collector.take()?.count)
    }
    #expect(counts == Array(repeating: 5, count: 6))
    #expect(collector.droppedSets == 1)
  }

  @Test func `Parts that are numbered across signals are one set`() throws {
    // An Allystar TAU1201: six parts of four signals; QZSS satellites are in the same lines.
    var collector = SkyCollector()
    for round in 0..<3 {
      Self.feed(
        &collector, "GPGSA,A,3,06,199,30,195,19,03,07,,,,,,1.15,0.60,0.98,1",
        "GPGSV,6,1,14,06,45,190,41,30,33,060,40,19,28,120,39,03,61,300,44,1",
        "GPGSV,6,2,14,07,50,010,42,17,12,210,30,22,09,330,28,14,05,080,25,1",
        "GPGSV,6,3,14,195,70,100,40,199,55,150,41,1", "GPGSV,6,4,14,,,,,1",
        "GPGSV,6,5,14,06,45,190,38,30,33,060,45,03,61,300,40,195,70,100,39,8", "GPGSV,6,6,14,199,55,150,40,8",
        "GLGSV,1,1,01,79,10,20,30,1")
      let taken = collector.take()
      let sky = try #require(taken, "round \(round)")
      #expect(sky.map(\.svid) == [6, 30, 19, 3, 7, 17, 22, 14, 3, 7, 15])
      #expect(sky.first { $0.prn == 30 }?.signal == 45)
      #expect(sky.count { $0.used } == 7)
    }
    #expect(collector.droppedSets == 0)
  }

  @Test func `A set that misses two rounds is removed`() {
    var collector = SkyCollector()
    Self.feed(&collector, "GPGSV,1,1,01,05,10,20,30", "GLGSV,1,1,01,65,10,20,30")
    #expect(collector.take()?.count == 2)
    for _ in 0..<2 {
      Self.feed(&collector, "GPGSV,1,1,01,05,10,20,30")
      #expect(collector.take()?.count == 2)
    }
    Self.feed(&collector, "GPGSV,1,1,01,05,10,20,30")
    #expect(collector.take()?.map(\.prn) == [5])
    Self.feed(&collector, "GLGSV,1,1,01,65,10,20,30")
    #expect(collector.take()?.map(\.prn) == [5, 65])
  }

  @Test func `A satellite that is not tracked has no signal instead of 0`() throws {
    let sky = try #require(Self.sky("GPGSV,1,1,02,05,10,20,00,07,10,20,"))
    #expect(sky.map(\.signal) == [nil, nil])
  }

  @Test func `A part without a satellite number adds none`() throws {
    #expect(Self.sky("GPGSV,1,1,04,00,10,20,30,,,,,09,,,")?.map(\.prn) == [9])
  }

  @Test func `The number of satellites is limited`() {
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
    let dropped = collector.droppedSets
    Self.feed(&collector, "AXGSV,200,1,200,01,10,20,30")
    #expect(collector.droppedSets == dropped + 1)
  }
}

@Suite("Satellite identity")
struct SatelliteIdentityTests {
  private static func talker(_ letters: String) -> Talker {
    Talker(code: letters.utf8.reduce(0) { $0 << 8 | UInt16($1) })
  }

  @Test(
    arguments: [
      (8, 1, "GN", GNSS.gps, 8, 8), (44, 1, "GN", .sbas, 131, 131), (70, 2, "GN", .glonass, 6, 70),
      (6, 2, "GN", .glonass, 6, 70), (5, 3, "GN", .galileo, 5, 305), (5, 4, "GN", .beidou, 5, 405),
      (3, 5, "GN", .qzss, 3, 195), (195, 5, "GN", .qzss, 3, 195), (9, 6, "GN", .navic, 9, 509),
      (12, 4, "", .beidou, 12, 412),
    ] as [(Int, Int, String, GNSS, Int, Int)]
  )
  func `The system id takes precedence`(
    _ number: Int, _ system: Int, _ letters: String, _ gnss: GNSS, _ svid: Int, _ prn: Int
  ) {
    let identity = SatelliteIdentity(number: number, in: GNSS(systemID: system, talker: Self.talker(letters)))
    #expect(identity.gnss == gnss)
    #expect(identity.svid == svid)
    #expect(identity.prn == prn)
  }

  @Test(
    arguments: [
      (5, "GP", GNSS.gps, 5, 5), (40, "GP", .sbas, 127, 127), (66, "GL", .glonass, 2, 66),
      (14, "GA", .galileo, 14, 314),
      (102, "GA", .galileo, 2, 302), (14, "GB", .beidou, 14, 414), (14, "BD", .beidou, 14, 414),
      (201, "BD", .beidou, 1, 401), (214, "BD", .beidou, 14, 414), (2, "GQ", .qzss, 2, 194), (193, "QZ", .qzss, 1, 193),
      (4, "GI", .navic, 4, 504), (62, "GB", .beidou, 62, 462), (262, "GB", .beidou, 62, 462),
      (202, "GB", .beidou, 2, 402),
      (202, "GP", .qzss, 10, 202), (194, "GP", .qzss, 2, 194), (301, "GA", .galileo, 1, 301),
      (70, "GP", .glonass, 6, 70), (33, "GL", .sbas, 120, 120),
    ] as [(Int, String, GNSS, Int, Int)]
  )
  func `The talker applies without a system id`(_ number: Int, _ letters: String, _ gnss: GNSS, _ svid: Int, _ prn: Int)
  {
    let identity = SatelliteIdentity(number: number, in: GNSS(systemID: nil, talker: Self.talker(letters)))
    #expect(identity.gnss == gnss)
    #expect(identity.svid == svid)
    #expect(identity.prn == prn)
  }

  @Test(
    arguments: [
      (1, GNSS.gps, 1), (32, .gps, 32), (33, .sbas, 120), (64, .sbas, 151), (65, .glonass, 1), (96, .glonass, 32),
      (193, .qzss, 1), (202, .qzss, 10), (203, .beidou, 3), (264, .beidou, 64), (301, .galileo, 1), (336, .galileo, 36),
      (401, .beidou, 1), (437, .beidou, 37), (464, .beidou, 64), (131, .sbas, 131), (173, .imes, 1), (182, .imes, 10),
    ] as [(Int, GNSS, Int)]
  )
  func `The range applies without a system id and talker`(_ number: Int, _ gnss: GNSS, _ svid: Int) {
    let identity = SatelliteIdentity(number: number, in: GNSS(systemID: nil, talker: Self.talker("GN")))
    #expect(identity.gnss == gnss)
    #expect(identity.svid == svid)
  }

  @Test func `An unknown satellite keeps its number`() {
    let identity = SatelliteIdentity(number: 187, in: GNSS(systemID: nil, talker: Self.talker("GN")))
    #expect(identity.gnss == nil)
    #expect(identity.svid == nil)
    #expect(identity.prn == 187)
  }
}
