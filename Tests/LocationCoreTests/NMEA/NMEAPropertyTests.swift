import LocationCore
import Testing

@Suite("Decoder properties")
struct NMEAPropertyTests {
  /// Random bytes with a high share of those significant to the framer.
  private static func noise(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    let telling: [UInt8] = [
      0x24, 0x21, 0x2A, 0x2C, 0x0D, 0x0A, 0x5C, 0x23, 0xB5, 0x62, 0xD3, 0xBA, 0xCE, 0x00, 0x30, 0x47, 0x2E, 0x7F, 0xFF,
    ]
    return (0..<count).map { _ in
      Bool.random(using: &generator)
        ? telling[Int.random(in: 0..<telling.count, using: &generator)] : UInt8.random(in: 0...255, using: &generator)
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `Random bytes decode the same for every split`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let bytes = Self.noise(3000, &generator)
    let whole = Seen(bytes)
    let cuts = (0..<200).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
    #expect(Seen(bytes, cuts: cuts) == whole)
    #expect(whole.counters.bytes == 3000)
    #expect(whole.counters.rejected == UInt64(whole.rejections.count))
    #expect(whole.counters.sentences == UInt64(whole.sentences.count))
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `A sentence after noise on other lines is decoded`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let noise = Self.noise(500, &generator)
    let sentence = Array("\r\n$GPGGA,123519,4807.038000,N,01131.000000,E,2,,,,,,,*7C\r\n".utf8)
    let seen = Seen(noise + sentence)
    #expect(seen.lines.last?.type == "GGA")
    #expect(seen.lines.last?.sentence != nil)
  }

  @Test func `Damage to any single byte of a sentence never changes the position`() {
    let sentences = [
      "$GNRMC,123519.00,A,4807.03800,N,01131.00000,E,22.400,084.40,190326,,,A,V*36\r\n",
      "$GNGGA,123519.00,4807.03800,N,01131.00000,E,1,12,0.84,545.4,M,46.9,M,,*49\r\n",
      "$GNGLL,4807.03800,N,01131.00000,E,123519.00,A,A*78\r\n",
      "$GNGNS,123519.00,4807.03800,N,01131.00000,E,AANN,15,0.74,545.4,46.9,,,V*11\r\n",
    ].map { Array($0.utf8) }
    let munich = ExpectedLine.munich
    var generator = SeededGenerator(seed: 2026)
    var moved = 0
    for round in 0..<25_000 {
      var bytes = sentences[round % sentences.count]
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      let old = bytes[place]
      bytes[place] = UInt8.random(in: 0...255, using: &generator)
      guard bytes[place] != old else { continue }
      var decoder = NMEADecoder()
      func take(_ event: borrowing NMEAEvent) {
        guard case .sentence(let sentence) = event.payload, let position = Self.position(of: sentence) else { return }
        if position != munich { moved += 1 }
      }
      bytes.withUnsafeBytes { decoder.decode($0, take) }
      decoder.finish(take)
    }
    #expect(moved == 0)
  }

  @Test func `Fields damaged under a valid checksum decode to values in range`() {
    let contents = [
      "GNRMC,123519.00,A,4807.03800,N,01131.00000,E,22.400,084.40,190326,3.1,W,A,V",
      "GNGGA,123519.00,4807.03800,N,01131.00000,E,1,12,0.84,545.4,M,46.9,M,1.0,0001",
      "GPGSV,2,1,05,08,56,248,28,02,14,062,22,18,36,198,38,19,1,2,33,1",
      "GNGSA,A,3,08,10,23,27,32,24,28,21,44,48,18,,1.05,0.69,0.79,1",
      "GPZDA,123519.00,19,03,2026,-05,30", "GNGST,123519.00,22.3,1.0,2.0,45.0,1.40,1.10,2.60",
      "GNVTG,84.4,T,80.1,M,22.4,N,41.5,K,A", "PUBX,03,02,23,U,205,41,42,25,05,-,021,03,,000",
      "PUBX,04,123519.00,190326,390919.00,2410,18D,1930035,-2660.664,43", "GNTXT,01,01,02,ANT=OK^2C SBAS^2A",
      "PTNL,GGK,102939.00,051910,5000.97323841,N,00827.62010742,E,5,09,1.9,EHT150.790,M",
    ].map { Array($0.utf8) }
    let alphabet = Array("0123456789,.-+ NSEWAVDM*^eExXnaif".utf8).filter { $0 != 0x2A }
    var generator = SeededGenerator(seed: 99)
    var outside: [String] = []
    for round in 0..<25_000 {
      var bytes = contents[round % contents.count]
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 6..<bytes.count, using: &generator)
        bytes[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      let sum = bytes.reduce(0, ^)
      let line = [0x24] + bytes + [0x2A] + Array((sum < 16 ? "0" : "").utf8) + Array(String(sum, radix: 16).utf8)
      var decoder = NMEADecoder()
      line.withUnsafeBytes {
        decoder.decode($0) { event in
          if event.type == .zda, case .integer(let zone) = SentenceValues(event)?["zone"] {
            #expect((-900...900).contains(zone))
          }
          guard case .sentence(let sentence) = event.payload, !Self.isInRange(sentence) else { return }
          outside.append(String(decoding: event.raw, as: UTF8.self))
        }
      }
    }
    #expect(outside.isEmpty)
  }

  private static func position(of sentence: Sentence) -> Coordinate? {
    switch sentence {
    case .rmc(let rmc): rmc.position
    case .gga(let gga): gga.position
    case .gll(let gll): gll.position
    case .gns(let gns): gns.position
    default: nil
    }
  }

  private static func isInRange(_ sentence: Sentence) -> Bool {
    func holds(_ value: Double?, _ range: Range<Double>) -> Bool { value.map(range.contains) ?? true }
    switch sentence {
    case .rmc(let rmc):
      return holds(rmc.speed, 0..<1001) && holds(rmc.course, 0..<360) && holds(rmc.magneticVariation, -180..<181)
    case .gga(let gga):
      return holds(gga.hdop, 0..<99) && (gga.satellitesUsed ?? 0) < 256
    case .gsv(let gsv):
      return (gsv.part ?? 1) <= (gsv.parts ?? 255)
        && (0..<(gsv.satellites?.count ?? 0)).allSatisfy { index in
          guard let satellite = gsv.satellites?[index] else { return true }
          return holds(satellite.elevation, -90..<90.001) && holds(satellite.azimuth, 0..<360)
            && holds(satellite.signal, 0..<99.001)
        }
    case .gsa(let gsa):
      return (gsa.satellites?.count ?? 0) <= 24 && holds(gsa.pdop, 0..<99)
    default:
      return true
    }
  }
}
