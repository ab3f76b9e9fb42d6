import Testing

@testable import LocationCore

@Suite("Epochs of UBX messages")
struct UBXEpochTests {
  @Test func `A message is named as u-blox names it, or by its class and id`() {
    let codes: [UInt16] = [0x0102, 0x0107, 0x0121, 0x0161, 0x0A09, 0x2709, 0x0213]
    #expect(
      codes.map { UBXFrame.name(of: $0) } == [
        "UBX-NAV-POSLLH", "UBX-NAV-PVT", "UBX-NAV-TIMEUTC", "UBX-NAV-EOE", "UBX-MON-HW", "UBX-SEC-SIG", "UBX-02-13",
      ])
  }

  @Test func `An epoch is published at NAV-EOE with the values of NAV-PVT`() throws {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000) + UBX.eoe(1000))
    let fix = try #require(rig.fixes.first)
    #expect(rig.outcomes == ["fix"])
    #expect(fix.position == Coordinate(latitude: 48.1173, longitude: 11.5166667))
    #expect(fix.measured == UTCInstant(iso: (2026, 3, 19), 12, 35, 1))
    #expect(fix.mode == .threeD)
    #expect(fix.status == .normal)
    #expect(fix.altitudeMSL == 545.4)
    #expect(fix.altitudeHAE == 592.3)
    #expect(fix.speed == 11.524)
    #expect(fix.course == 84.4)
    #expect(fix.climb == 0.25)
    #expect(fix.satellitesUsed == 12)
    #expect(fix.horizontalBasis == .ubx)
  }

  @Test func `Errors at 95 % follow from the standard deviations`() throws {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000) + UBX.eoe(1000))
    let fix = try #require(rig.fixes.first)
    #expect(abs((fix.horizontalAccuracy ?? 0) - 2 * 1.730818) < 1e-6)
    #expect(abs((fix.verticalAccuracy ?? 0) - 3 * 1.959964) < 1e-6)
    #expect(abs((fix.speedAccuracy ?? 0) - 0.2 * 1.959964) < 1e-6)
    #expect(abs((fix.courseAccuracy ?? 0) - 5 * 1.959964) < 1e-6)
    #expect(abs((fix.timeAccuracy ?? 0) - 25e-9 * 1.959964) < 1e-12)
    let noise = try #require(rig.epochs.first?.noise)
    #expect(abs((noise.latitude ?? 0) - 2 * 0.5.squareRoot()) < 1e-9)
    #expect(noise.altitude == 3)
  }

  @Test func `Without NAV-EOE the learned order closes an epoch at its last message`() {
    var rig = ReceiverRig()
    for second in 1...8 {
      rig.send(UBX.pvt(second * 1000))
      rig.send(UBX.dop(second * 1000))
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.count == 8)
    #expect(rig.fixes.last?.hdop == 0.82)
    #expect(rig.prompt >= 4)
    #expect(rig.receiver.counters.late == 0)
  }

  @Test func `NAV-PVT has all of VTG and ZDA: behind it, they do not make its epoch later`() {
    for sentence in [Sentences.vtg, Sentences.zda(1)] {
      var rig = ReceiverRig()
      rig.send(UBX.pvt(1000))
      let received = rig.now
      rig.wait(.milliseconds(20))
      rig.send(sentence)
      rig.send(UBX.eoe(1000))
      #expect(rig.epochs.map(\.received) == [received])
    }
  }

  @Test func `Sentences and UBX of the same epoch are one fix, with the errors of UBX`() {
    var rig = ReceiverRig()
    for second in 1...6 {
      rig.send(UBX.pvt(second * 1000))
      rig.send(
        Sentences.rmc(Double(second)), Sentences.gga(Double(second)), Sentences.gst(Double(second)))
      rig.send(UBX.eoe(second * 1000))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 6))
    #expect(rig.fixes.allSatisfy { $0.horizontalBasis == .ubx })
  }

  @Test func `Sentences behind NAV-EOE are those of its epoch`() {
    var rig = ReceiverRig()
    for second in 1...12 {
      rig.send(UBX.pvt(second * 1000) + UBX.eoe(second * 1000))
      rig.send(Sentences.gga(Double(second)), "GNHDT,\(100 + second).0,T")
      let isInTime = rig.fixes.count == second
      rig.wait(.seconds(1))
      if second >= 5 { #expect(isInTime && rig.fixes.last?.heading == Double(100 + second), "second \(second)") }
    }
    rig.end()
    #expect(rig.outcomes == Array(repeating: "fix", count: 12))
  }

  @Test func `A switch from sentences to UBX and back loses no epoch and doubles none`() {
    var rig = ReceiverRig()
    for second in 1...12 {
      if (5...8).contains(second) {
        rig.send(UBX.pvt(second * 1000) + UBX.eoe(second * 1000))
      } else {
        rig.send(Sentences.rmc(Double(second)), Sentences.gga(Double(second)))
      }
      rig.wait(.seconds(1))
    }
    rig.end()
    #expect(rig.outcomes == Array(repeating: "fix", count: 12))
  }

  @Test func `A fix that is not marked OK, or has an invalid position, is not published`() {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000, flags: 0) + UBX.eoe(1000))
    rig.send(UBX.pvt(2000, flags3: 1) + UBX.eoe(2000))
    rig.send(UBX.pvt(3000, fixType: 0) + UBX.eoe(3000))
    #expect(rig.outcomes == ["void", "void", "void"])
  }

  @Test(
    "The status follows from fix type, differential and carrier solution",
    arguments: [
      (1, 0x01, FixStatus.deadReckoning), (2, 0x01, .normal), (3, 0x03, .dgps),
      (3, 0x43, .rtkFloat),
      (3, 0x83, .rtkFixed), (4, 0x01, .gnssDeadReckoning),
    ] as [(UInt8, UInt8, FixStatus)])
  func status(_ fixType: UInt8, _ flags: UInt8, _ status: FixStatus) {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000, fixType: fixType, flags: flags) + UBX.eoe(1000))
    #expect(rig.fixes.first?.status == status)
  }

  @Test(
    "Negative nanoseconds are rounded into the time",
    arguments: [
      (-100_231, 0), (799_899_687, 800_000_000), (-1_000_000_000, -1_000_000_000),
      (1_000_000_000, 1_000_000_000),
    ])
  func nanoseconds(_ nano: Int32, _ expected: Int64) throws {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000, nano: nano) + UBX.eoe(1000))
    let second = try #require(UTCInstant(iso: (2026, 3, 19), 12, 35, 1))
    #expect(
      rig.fixes.first?.measured?.nanosecondsSince1970 == second.nanosecondsSince1970 + expected)
  }

  @Test func `A course without a usable accuracy is absent`() {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000, headAcc: 4_700_000) + UBX.eoe(1000))
    #expect(rig.fixes.count == 1)
    #expect(rig.fixes.first?.course == nil)
  }

  @Test func `Messages of a receiver before M7 make one fix`() {
    var rig = ReceiverRig()
    for second in 1...6 {
      let time = second * 1000
      rig.send(UBX.posllh(time) + UBX.sol(time) + UBX.velned(time) + UBX.timeutc(time))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 6))
    #expect(rig.fixes.last?.speed == 11.52)
    #expect(rig.fixes.last?.measured == UTCInstant(iso: (2026, 3, 19), 12, 35, 6))
  }

  @Test func `NAV-SAT gives the satellites of its epoch in gpsd's numbering`() throws {
    var rig = ReceiverRig()
    rig.send(
      UBX.pvt(1000)
        + UBX.sat(
          1000,
          [
            (0, 4, 16, 2, 85, false), (2, 11, 35, 41, 238, true), (6, 255, 30, 10, 10, false),
            (6, 2, 0, -91, 0, false),
          ])
        + UBX.eoe(1000))
    let sky = try #require(rig.epochs.first?.sky)
    #expect(
      sky.satellites == [
        Satellite(prn: 4, gnss: .gps, svid: 4, elevation: 2, azimuth: 85, signal: 16),
        Satellite(
          prn: 311, gnss: .galileo, svid: 11, elevation: 41, azimuth: 238, signal: 35, used: true),
        Satellite(prn: 66, gnss: .glonass, svid: 2),
      ])
  }

  @Test func `NAV-SVINFO gives the satellites of its epoch in gpsd's numbering`() throws {
    var rig = ReceiverRig()
    let channels: [UBX.Channel] = [
      (4, 16, 2, 85, false), (66, 35, 41, 360, true), (133, 40, 30, 180, true), (211, 30, 10, 10, false),
      (255, 20, 0, 0, false), (12, 0, -91, 0, false),
    ]
    rig.send(UBX.pvt(1000) + UBX.svinfo(1000, channels) + UBX.eoe(1000))
    let sky = try #require(rig.epochs.first?.sky)
    #expect(
      sky.satellites == [
        Satellite(prn: 4, gnss: .gps, svid: 4, elevation: 2, azimuth: 85, signal: 16),
        Satellite(prn: 66, gnss: .glonass, svid: 2, elevation: 41, azimuth: 0, signal: 35, used: true),
        Satellite(prn: 133, gnss: .sbas, svid: 133, elevation: 30, azimuth: 180, signal: 40, used: true),
        Satellite(prn: 301, gnss: .galileo, svid: 1, elevation: 10, azimuth: 10, signal: 30),
        Satellite(prn: 12, gnss: .gps, svid: 12),
      ])
  }

  @Test func `NAV-SOL alone gives position, speed and course of its Earth-centred coordinates`() throws {
    let place = try #require(Coordinate(latitude: -33.8568, longitude: 151.2153))
    let north = try #require(Coordinate(latitude: -33.8567, longitude: 151.2153))
    let east = try #require(Coordinate(latitude: -33.8568, longitude: 151.2154))
    let (point, up, right) = (EarthCentered(place), EarthCentered(north), EarthCentered(east))
    func centimetres(_ values: [Double]) -> [Int32] { values.map { Int32(($0 * 100).rounded()) } }
    // 3 m/s north and 4 m/s east.
    let (a, b) = (3 / (up - point).length, 4 / (right - point).length)
    let velocity = [
      a * (up - point).x + b * (right - point).x, a * (up - point).y + b * (right - point).y,
      a * (up - point).z + b * (right - point).z,
    ]
    var rig = ReceiverRig()
    for second in 1...3 {
      rig.send(
        UBX.sol(second * 1000, place: centimetres([point.x, point.y, point.z]), velocity: centimetres(velocity))
          + UBX.dop(second * 1000) + UBX.timegps(second * 1000))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == ["fix", "fix", "fix"])
    let fix = try #require(rig.fixes.last)
    #expect(fix.position.distance(to: place) < 0.01)
    #expect(abs((fix.speed ?? 0) - 5) < 0.02)
    #expect(abs((fix.course ?? 0) - 53.13) < 0.2)
    #expect(abs(fix.climb ?? 1) < 0.02)
    #expect(fix.altitudeMSL == nil && fix.horizontalBasis == .dilution)
    #expect(fix.measured == UTCInstant(iso: (2026, 3, 19), 12, 35, 3))
    #expect(rig.receiver.counters.malformedMessages == 0)
  }

  @Test(arguments: [true, false])
  func `NAV-POSLLH and NAV-VELNED take the place of NAV-SOL's coordinates`(_ isFirst: Bool) {
    var rig = ReceiverRig()
    let sol = UBX.sol(1000, place: [637_813_700, 0, 0], velocity: [0, 1000, 0])
    let geodetic = UBX.posllh(1000) + UBX.velned(1000)
    rig.send(isFirst ? geodetic + sol : sol + geodetic)
    rig.end()
    #expect(rig.fixes.map(\.position) == [Coordinate(latitude: 48.1173, longitude: 11.5166667)])
    #expect(rig.fixes.first?.speed == 11.52)
    #expect(rig.fixes.first?.altitudeMSL == 545.4)
  }

  @Test func `The altitude of NAV-SOL alone is above the ellipsoid`() {
    var rig = ReceiverRig()
    rig.send(UBX.sol(1000, place: [0, 637_825_700, 0]))
    rig.end()
    #expect(rig.fixes.count == 1 && rig.fixes.first?.mode == .threeD && rig.fixes.first?.altitudeMSL == nil)
    #expect(abs((rig.fixes.first?.altitudeHAE ?? 0) - 120) < 0.001)
  }

  @Test func `NAV-SOL with coordinates far from the Earth's surface is no position`() {
    var rig = ReceiverRig()
    rig.send(UBX.sol(1000, place: [.max, .max, .max]) + UBX.sol(2000, place: [0, 0, 0]))
    rig.end()
    #expect(rig.outcomes == ["outOfRange", "outOfRange"])
  }

  @Test func `A leap second belongs to the day that it ends`() throws {
    var rig = ReceiverRig()
    let begin = try #require(UTCInstant(iso: (2016, 12, 31), 23, 59, 59))
    let seconds: [[UInt8]] = [
      UBX.bytes(UInt16(2016)) + [12, 31, 23, 59, 59], UBX.bytes(UInt16(2016)) + [12, 31, 23, 59, 60],
      UBX.bytes(UInt16(2017)) + [1, 1, 0, 0, 0], UBX.bytes(UInt16(2017)) + [1, 1, 0, 0, 1],
    ]
    for epoch in 0..<16 {
      let nano = Int32(epoch % 4 * 250_000_000)
      rig.send(UBX.pvt(epoch * 250, nano: nano, utc: seconds[epoch / 4]) + UBX.eoe(epoch * 250))
      rig.wait(.milliseconds(250))
    }
    rig.end()
    let times = try rig.fixes.map { (try #require($0.measured) - begin).inSeconds }
    #expect(Array(times.prefix(8)) == (0..<8).map { Double($0) * 0.25 } && times.last == 2.75)
  }

  @Test func `NAV-TIMEGPS states UTC once week and leap seconds are valid`() {
    var rig = ReceiverRig()
    for (second, valid) in [(1, 3), (2, 5), (3, 7), (4, 7)] as [(Int, UInt8)] {
      let fraction: Int32 = second == 4 ? -400_000 : 0
      rig.send(UBX.posllh(second * 1000) + UBX.sol(second * 1000))
      rig.send(UBX.timegps(second * 1000, fraction: fraction, valid: valid))
      rig.wait(.seconds(1))
    }
    rig.end()
    #expect(rig.outcomes == Array(repeating: "fix", count: 4))
    let times = [nil, nil, UTCInstant(iso: (2026, 3, 19), 12, 35, 3), UTCInstant(iso: (2026, 3, 19), 12, 35, 4)]
    #expect(rig.fixes.map(\.measured) == times)
    #expect(rig.fixes[1].timeOfDay == TimeOfDay(hour: 12, minute: 35, second: 2))
    #expect(abs((rig.fixes[3].timeAccuracy ?? 0) - 25e-9 * 1.959964) < 1e-12)
  }

  @Test(
    "Jamming is the worst of the bands, spoofing that of NAV-STATUS; a fix is published all the same"
  )
  func interference() {
    let setup = SourceSetup(id: 0)
    var engine = LocationEngine(sources: [setup], at: .zero)
    var events = EngineEvents()
    let rest = [UInt8](repeating: 0, count: 18)
    let bands: [UInt8] = [0, 1] + rest + [1, 3] + rest
    let status = UBX.status(1000, spoofing: 2)
    let bytes = UBX.frame(0x0A38, [0, 2, 0, 0] + bands) + UBX.pvt(1000) + status + UBX.eoe(1000)
    for _ in 0..<2 {
      bytes.withUnsafeBytes { engine.receive(.bytes($0), from: 0, at: .zero, into: &events) }
    }
    var changes = 0
    var fixes = 0
    for entry in events.list {
      if case .interference = entry.event { changes += 1 }
      if case .fix = entry.event { fixes += 1 }
    }
    #expect(changes == 1)
    #expect(fixes == 1)
    let interference = engine.leadStatus(at: .zero).interference
    #expect(interference.jamming?.state == .critical)
    #expect(interference.jamming?.source == "MON-RF")
    #expect(interference.spoofing?.state == .indicated)
    #expect(interference.spoofing?.source == "NAV-STATUS")
  }

  @Test func `Dilutions are in the sky with a list of satellites and without`() {
    for hasList in [false, true] {
      var rig = ReceiverRig()
      for second in 0..<3 {
        let time = second * 1000
        rig.send(
          UBX.pvt(time) + UBX.dop(time) + (hasList ? UBX.sat(time, [(2, 11, 35, 41, 238, true)]) : []) + UBX.eoe(time))
        rig.wait(.seconds(1))
      }
      let skies = rig.epochs.compactMap(\.sky)
      // A list that comes behind its epoch goes with the next.
      #expect(skies.count == (hasList ? 2 : 3))
      let fix = rig.fixes.last
      #expect(skies.allSatisfy { $0.hdop == fix?.hdop && $0.vdop == fix?.vdop && $0.pdop == fix?.pdop })
      #expect(skies.allSatisfy { $0.hdop != nil && $0.satellites.count == (hasList ? 1 : 0) && $0.used > 0 })
    }
  }

  private static func statement(_ frames: [UInt8]...) -> Interference {
    var rig = ReceiverRig()
    for frame in frames { rig.send(frame) }
    return rig.receiver.interference
  }

  @Test(
    "MON-HW states jamming",
    arguments: [(0, .unknown), (1, .ok), (2, .warning), (3, .critical)] as [(UInt8, Interference.Jamming)])
  func hardware(_ flags: UInt8, _ state: Interference.Jamming) {
    for count in [60, 68] {
      var payload = [UInt8](repeating: 0, count: count)
      payload[22] = 1 | flags << 2
      let stated = Self.statement(UBX.frame(0x0A09, payload))
      #expect(stated.jamming?.state == state && stated.jamming?.source == "MON-HW")
      #expect(stated.spoofing == nil)
    }
  }

  @Test func `SEC-SIG in both forms states jamming and spoofing; the worse statement counts`() {
    var old = [UInt8](repeating: 0, count: 12)
    (old[0], old[4], old[8]) = (1, 1 | 2 << 1, 1 | 3 << 1)
    let first = Self.statement(UBX.frame(0x2709, old))
    #expect(first.jamming?.state == .warning && first.jamming?.source == "SEC-SIG")
    #expect(first.spoofing?.state == .multiple && first.spoofing?.source == "SEC-SIG")
    let new = UBX.frame(0x2709, [2, 1 | 1 << 1 | 1 << 4, 0, 1] + [0, 0, 0, 0])
    let second = Self.statement(UBX.frame(0x0A38, [0, 1, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 22)), new)
    #expect(second.jamming?.state == .critical && second.jamming?.source == "MON-RF")
    #expect(second.spoofing?.state == Interference.Spoofing.none && second.spoofing?.source == "SEC-SIG")
  }

  @Test func `The short NAV-PVT of protocols before 15 gives the same fix`() throws {
    var rig = ReceiverRig()
    let payload = Array(UBX.pvt(2000).dropFirst(6).dropLast(2).prefix(84))
    rig.send(UBX.pvt(1000) + UBX.eoe(1000) + UBX.frame(0x0107, payload) + UBX.eoe(2000))
    #expect(rig.outcomes == ["fix", "fix"])
    let (long, short) = (try #require(rig.fixes.first), try #require(rig.fixes.last))
    #expect(short.position == long.position && short.horizontalAccuracy == long.horizontalAccuracy)
    #expect(short.measured == UTCInstant(iso: (2026, 3, 19), 12, 35, 2))
  }
}

@Suite("Values of UBX messages")
struct UBXValuesTests {
  private static func values(_ bytes: [UInt8]) -> UBXValues? {
    bytes.withUnsafeBytes { UBXFrame($0).flatMap { UBXValues($0) } }
  }

  @Test func `NAV-PVT has gpsd's names and units`() throws {
    let message = try #require(Self.values(UBX.pvt(1000)))
    let named = Dictionary(uniqueKeysWithValues: message.values.map { ($0.name.description, $0.value) })
    #expect(named["iTOW"] == .decimal(390_919, places: 3))
    #expect(named["lat"] == .coordinate(48.1173))
    #expect(named["hAcc"] == .decimal(2, places: 4))
    #expect(named["track"] == .decimal(84.4, places: 5))
    #expect(named["gnssFixOK"] == .flag(true))
    #expect(message.malformed.isEmpty)
  }

  @Test func `A wrong length and a value out of range are problems`() {
    #expect(Self.values(UBX.frame(0x0107, [1, 2, 3]))?.malformed == ["length"])
    #expect(Self.values(UBX.pvt(1000, latitude: 900_000_001))?.malformed == ["lat"])
    #expect(Self.values(UBX.frame(0x0213, [1]))?.values == nil)
  }
}
