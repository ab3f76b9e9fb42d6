import Testing

@testable import LocationCore

@Suite("Sentences made from a fix")
struct FixSentencesTests {
  private static func text(_ fix: Fix, _ sky: Sky?, noise: PseudorangeNoise? = nil, showsSky: Bool = true) -> String {
    var bytes: [UInt8] = []
    FixSentences.write(fix, sky, showsSky: showsSky, noise: noise, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func lines(_ text: String) -> [String] { text.split(separator: "\r\n").map { String($0.dropLast(3)) } }

  /// 2026-03-19T12:00:00.100Z at a position with all decimals of UBX.
  private static func fix(latitude: Double = 48.123_456_7, longitude: Double = 11.765_432_1) throws -> Fix {
    let position = try #require(Coordinate(latitude: latitude, longitude: longitude))
    let measured = UTCInstant(nanosecondsSince1970: 1_773_921_600_100_000_000)
    return Fix(
      position: position, mode: .threeD, measured: measured, timeOfDay: TimeOfDay(nanoseconds: 43_200_100_000_000),
      received: .zero)
  }

  private static func satellites(_ gnss: GNSS, _ numbers: ClosedRange<Int>, isUsed: Bool) -> [Satellite] {
    numbers.map { number in
      let prn =
        switch gnss {
        case .gps, .sbas, .imes: number
        case .glonass: 64 + number
        case .qzss: 192 + number
        case .galileo: 300 + number
        case .beidou: 400 + number
        case .navic: 500 + number
        }
      return Satellite(
        prn: prn, gnss: gnss, svid: number, elevation: Double(number % 90), azimuth: Double(number * 11 % 360),
        signal: number % 5 == 0 ? nil : Double(20 + number % 30), used: isUsed && number % 5 != 0)
    }
  }

  @Test func `A whole fix gives the sentences of NMEA 4.11, with the talker GN`() throws {
    var fix = try Self.fix()
    (fix.altitudeMSL, fix.geoidSeparation, fix.speed, fix.course) = (545.4, 46.9, 10, 87.25)
    (fix.hdop, fix.vdop, fix.pdop, fix.satellitesUsed, fix.status) = (0.84, 1.27, 1.52, 4, .dgps)
    (fix.horizontalAccuracy, fix.verticalAccuracy) = (2 * Confidence.circle, 3 * Confidence.line)
    let sky = Sky(satellites: [
      Satellite(prn: 5, gnss: .gps, svid: 5, elevation: 40, azimuth: 7, signal: 44, used: true),
      Satellite(prn: 123, gnss: .sbas, svid: 123, elevation: 31, azimuth: 190, signal: nil, used: false),
      Satellite(prn: 70, gnss: .glonass, svid: 6, elevation: 3, azimuth: 359.9, signal: 29, used: true),
    ])
    #expect(
      Self.lines(Self.text(fix, sky)) == [
        "$GNRMC,120000.100,A,4807.4074020,N,01145.9259260,E,19.438,87.250,190326,,,D,V",
        "$GNGGA,120000.100,4807.4074020,N,01145.9259260,E,2,04,0.84,545.400,M,46.900,M,,",
        "$GNGSA,A,3,05,,,,,,,,,,,,1.52,0.84,1.27,1", "$GNGSA,A,3,70,,,,,,,,,,,,1.52,0.84,1.27,2",
        "$GPGSV,1,1,02,05,40,007,44,36,31,190,,0", "$GLGSV,1,1,01,70,03,000,29,0",
        "$GNGST,120000.100,,,,,2.000,2.000,3.000",
      ])
  }

  @Test func `What a fix lacks is an empty field, and no sentence holds nothing`() throws {
    var fix = try Self.fix(latitude: -0.000_000_1, longitude: -179.999_999_9)
    (fix.mode, fix.measured) = (.twoD, nil)
    #expect(
      Self.lines(Self.text(fix, nil)) == [
        "$GNRMC,120000.100,A,0000.0000060,S,17959.9999940,W,,,,,,A,V",
        "$GNGGA,120000.100,0000.0000060,S,17959.9999940,W,1,,,,M,,M,,", "$GNGSA,A,2,,,,,,,,,,,,,,,,",
      ])
    var bytes: [UInt8] = []
    FixSentences.write(noFixAt: nil, Sky(), into: &bytes)
    #expect(
      Self.lines(String(decoding: bytes, as: UTF8.self)) == [
        "$GNRMC,,V,,,,,,,,,,N,V", "$GNGGA,,,,,,0,00,,,,,,,", "$GNGSA,A,1,,,,,,,,,,,,,,,,", "$GPGSV,1,1,00,0",
      ])
  }

  @Test(arguments: 0..<200)
  func `Our own receiver reads the sentences back to the same fix and satellites`(seed: Int) throws {
    func pick(_ salt: Int, _ bound: Int) -> Int { (seed * 7919 + salt * 104_729) % bound }
    var fix = try Self.fix(
      latitude: Double(pick(1, 1_800_000_001) - 900_000_000) / 1e7, longitude: Double(pick(2, 359_999) - 179_999) / 1e3)
    let statuses: [FixStatus] = [.normal, .dgps, .rtkFixed, .rtkFloat, .deadReckoning, .surveyed, .simulated, .pps]
    fix.status = statuses[seed % statuses.count]
    fix.altitudeMSL = Double(pick(3, 9_000_000) - 400_000) / 1000
    fix.geoidSeparation = Double(pick(4, 200_000) - 100_000) / 1000
    fix.speed = Double(pick(5, 60_000)) / 1000
    fix.course = seed % 3 == 0 ? nil : Double(pick(6, 360_000)) / 1000
    (fix.hdop, fix.vdop, fix.pdop) = (Double(pick(7, 2000) + 50) / 100, 1.27, 2)
    fix.satellitesUsed = pick(8, 60)
    var noise = PseudorangeNoise()
    (noise.latitude, noise.longitude, noise.altitude) = (1.234, 0.567, 2.345)
    var satellites = Self.satellites(.gps, 1...(1 + pick(9, 32)), isUsed: true)
    if seed % 2 == 0 { satellites += Self.satellites(.sbas, 148...(149 + pick(10, 10)), isUsed: true) }
    if seed % 3 != 1 { satellites += Self.satellites(.galileo, 1...(1 + pick(11, 20)), isUsed: true) }
    if seed % 4 != 1 { satellites += Self.satellites(.beidou, 1...(1 + pick(12, 30)), isUsed: false) }
    satellites += Self.satellites(.qzss, 1...2, isUsed: true) + Self.satellites(.glonass, 1...4, isUsed: true)
    let sky = Sky(satellites: satellites)

    var rig = ReceiverRig()
    rig.send(text: Self.text(fix, sky, noise: noise))
    rig.end()
    try #require(rig.fixes.count == 1)
    let read = rig.fixes[0]
    #expect(read.position.distance(to: fix.position) < 0.000_2)
    #expect(read.measured == fix.measured && read.mode == fix.mode && read.status == fix.status)
    #expect(abs((read.altitudeMSL ?? .nan) - (fix.altitudeMSL ?? .nan)) < 0.000_6)
    #expect(abs((read.altitudeHAE ?? .nan) - (fix.altitudeHAE ?? .nan)) < 0.001_1)
    #expect(abs((read.speed ?? .nan) - (fix.speed ?? .nan)) < 0.000_3)
    #expect(read.course.map { abs($0 - (fix.course ?? .nan)) < 0.000_6 } ?? (fix.course == nil))
    #expect(abs((read.hdop ?? .nan) - (fix.hdop ?? .nan)) < 0.001 && read.vdop == fix.vdop && read.pdop == fix.pdop)
    #expect(read.satellitesUsed == fix.satellitesUsed)
    let radius = try #require(read.horizontalAccuracy)
    #expect(abs(radius - Confidence.radius(1.234, 0.567)) < 0.001)
    let seen = try #require(rig.epochs.compactMap(\.sky).first)
    #expect(seen.satellites.count == satellites.count)
    for satellite in satellites {
      let same = seen.satellites.first { $0.prn == satellite.prn && $0.gnss == satellite.gnss }
      #expect(same?.used == satellite.used && same?.signal == satellite.signal && same?.azimuth == satellite.azimuth)
    }
  }

  @Test(
    "Minutes are rounded as a whole",
    arguments: [
      (59.99999999, "5960.00000", "6000.00000"), (-0.00001, "", "0000.00060"), (89.9999, "", "8959.99400"),
    ])
  func minutes(latitude: Double, never: String, written: String) {
    var text: [UInt8] = []
    SentenceWriter.append(to: &text) { $0.fields(position: (latitude, 0), decimals: 5) }
    #expect(String(decoding: text, as: UTF8.self) == ",\(written),\(latitude < 0 ? "S" : "N"),00000.00000,E")
  }

  @Test(
    "Absurd values give sentences that our own decoder takes",
    arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300])
  func absurd(value: Double) throws {
    var fix = try Self.fix()
    (fix.altitudeMSL, fix.speed, fix.course, fix.hdop, fix.dgpsAge) = (value, value, value, value, value)
    (fix.satellitesUsed, fix.dgpsStation) = (.min, .max)
    (fix.horizontalAccuracy, fix.verticalAccuracy, fix.magneticVariation) = (value, value, value)
    var satellite = Satellite(prn: .max, gnss: .gps, svid: .max, elevation: value, azimuth: value, signal: value)
    satellite.used = true
    let text = Self.text(fix, Sky(satellites: [satellite]))
    var decoder = NMEADecoder()
    var rejected = 0
    Array(text.utf8).withUnsafeBytes { bytes in
      decoder.decode(bytes) { event in if case .rejected = event.payload { rejected += 1 } }
    }
    #expect(rejected == 0)
    #expect(!text.contains("nan") && !text.contains("inf"))
  }
}
