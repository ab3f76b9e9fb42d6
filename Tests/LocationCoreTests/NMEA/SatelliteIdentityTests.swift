import LocationCore
import Testing

@Suite struct SatelliteIdentityTests {
  private static func talker(_ letters: String) -> Talker {
    Talker(code: letters.utf8.reduce(0) { $0 << 8 | UInt16($1) })
  }

  @Test(
    arguments: [
      (8, 1, "GN", GNSS.gps, 8, 8), (44, 1, "GN", .sbas, 131, 131), (70, 2, "GN", .glonass, 6, 70),
      (6, 2, "GN", .glonass, 6, 70), (5, 3, "GN", .galileo, 5, 305), (5, 4, "GN", .beidou, 5, 405),
      (3, 5, "GN", .qzss, 3, 195), (195, 5, "GN", .qzss, 3, 195), (9, 6, "GN", .navic, 9, 509),
      (12, 4, "", .beidou, 12, 412),
    ] as [(Int, Int, String, GNSS, Int, Int)])
  func theSystemIDSaysMost(
    _ number: Int, _ system: Int, _ letters: String, _ gnss: GNSS, _ svid: Int, _ prn: Int
  ) {
    let identity = SatelliteIdentity(number: number, systemID: system, talker: Self.talker(letters))
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
      (4, "GI", .navic, 4, 504), (70, "GP", .glonass, 6, 70), (33, "GL", .sbas, 120, 120),
    ] as [(Int, String, GNSS, Int, Int)])
  func thenTheTalker(_ number: Int, _ letters: String, _ gnss: GNSS, _ svid: Int, _ prn: Int) {
    let identity = SatelliteIdentity(number: number, systemID: nil, talker: Self.talker(letters))
    #expect(identity.gnss == gnss)
    #expect(identity.svid == svid)
    #expect(identity.prn == prn)
  }

  @Test(
    arguments: [
      (1, GNSS.gps, 1), (32, .gps, 32), (33, .sbas, 120), (64, .sbas, 151), (65, .glonass, 1), (96, .glonass, 32),
      (193, .qzss, 1), (202, .qzss, 10), (203, .beidou, 3), (264, .beidou, 64), (301, .galileo, 1), (336, .galileo, 36),
      (401, .beidou, 1), (437, .beidou, 37), (131, .sbas, 131),
    ] as [(Int, GNSS, Int)])
  func thenTheRange(_ number: Int, _ gnss: GNSS, _ svid: Int) {
    let identity = SatelliteIdentity(number: number, systemID: nil, talker: Self.talker("GN"))
    #expect(identity.gnss == gnss)
    #expect(identity.svid == svid)
  }

  @Test func whatCannotBeToldKeepsItsNumber() {
    let identity = SatelliteIdentity(number: 180, systemID: nil, talker: Self.talker("GN"))
    #expect(identity.gnss == nil)
    #expect(identity.svid == nil)
    #expect(identity.prn == 180)
  }
}
