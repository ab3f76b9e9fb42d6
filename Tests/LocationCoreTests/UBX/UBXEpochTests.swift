import Testing

@testable import LocationCore

@Suite("Epochs of UBX messages")
struct UBXEpochTests {
  @Test("An epoch is published at NAV-EOE with the values of NAV-PVT")
  func values() throws {
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

  @Test("Errors at 95 % follow from the standard deviations")
  func errors() throws {
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

  @Test("Without NAV-EOE the learned order closes an epoch at its last message")
  func order() {
    var rig = ReceiverRig()
    for second in 1...8 {
      rig.send(UBX.pvt(second * 1000))
      rig.send(UBX.dop(second * 1000))
      rig.wait(.seconds(1))
    }
    #expect(rig.fixes.count == 8)
    #expect(rig.fixes.last?.hdop == 0.82)
    #expect(rig.receiver.counters.closedByOrder >= 4)
    #expect(rig.receiver.counters.late == 0)
  }

  @Test("Sentences and UBX of the same epoch are one fix, with the errors of UBX")
  func mixed() {
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

  @Test("A switch from sentences to UBX and back loses no epoch and doubles none")
  func switching() {
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

  @Test("A fix that is not marked OK, or has an invalid position, is not published")
  func notOK() {
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

  @Test("A course without a usable accuracy is absent")
  func course() {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000, headAcc: 4_700_000) + UBX.eoe(1000))
    #expect(rig.fixes.count == 1)
    #expect(rig.fixes.first?.course == nil)
  }

  @Test("A latitude out of range is no position")
  func outOfRange() {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000, latitude: 900_000_001) + UBX.eoe(1000))
    #expect(rig.outcomes == ["outOfRange"])
    #expect(rig.receiver.counters.malformedMessages == 1)
  }

  @Test("Messages of a receiver before M7 make one fix")
  func old() {
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

  @Test("The number of epochs does not depend on how the bytes are split")
  func splits() {
    let bytes = UBX.pvt(1000) + UBX.eoe(1000) + UBX.pvt(2000) + UBX.eoe(2000)
    for cut in 0...bytes.count {
      var rig = ReceiverRig()
      rig.send(Array(bytes[..<cut]))
      rig.send(Array(bytes[cut...]))
      #expect(rig.outcomes == ["fix", "fix"])
    }
  }

  @Test("A byte lost anywhere costs the frame that it belongs to only")
  func lostByte() {
    let frame = UBX.pvt(2000)
    for lost in frame.indices {
      var damaged = frame
      damaged.remove(at: lost)
      var rig = ReceiverRig()
      rig.send(UBX.pvt(1000) + damaged + UBX.pvt(3000))
      rig.end()
      #expect(rig.fixes.count == 2)
    }
  }

  @Test("Unknown messages and wrong lengths are counted and publish nothing")
  func counted() {
    var rig = ReceiverRig()
    rig.send(UBX.frame(0x0501, [6, 1]) + UBX.frame(0x0107, Array(repeating: 1, count: 83)))
    rig.send(UBX.pvt(700_000_000) + UBX.eoe(700_000_000))
    rig.end()
    #expect(rig.outcomes.isEmpty)
    #expect(rig.receiver.counters.unknownMessages == 1)
    #expect(rig.receiver.counters.malformedMessages == 2)
  }

  @Test("A NAV-SAT with 255 satellites is bounded and hides no message around it")
  func longest() {
    var rig = ReceiverRig()
    let satellites = (0..<255).map {
      (UInt8(6), UInt8(1 + $0 % 32), UInt8(40), Int8(30), Int16(90), true)
    }
    rig.send(UBX.pvt(1000) + UBX.sat(1000, satellites) + UBX.eoe(1000))
    #expect(rig.outcomes == ["fix"])
    #expect(rig.receiver.counters.nmea.noise == 0)
    #expect(rig.epochs.first?.sky?.satellites.count == SkyCollector.satelliteBound)
  }

  @Test("NAV-SAT gives the satellites of its epoch in gpsd's numbering")
  func satellites() throws {
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
}

@Suite("Values of UBX messages")
struct UBXValuesTests {
  private static func values(_ bytes: [UInt8]) -> UBXValues? {
    bytes.withUnsafeBytes { UBXFrame($0).flatMap { UBXValues($0) } }
  }

  @Test("NAV-PVT has gpsd's names and units")
  func solution() throws {
    let message = try #require(Self.values(UBX.pvt(1000)))
    let named = Dictionary(uniqueKeysWithValues: message.values.map { ($0.name.description, $0.value) })
    #expect(named["iTOW"] == .decimal(390_919, places: 3))
    #expect(named["lat"] == .coordinate(48.1173))
    #expect(named["hAcc"] == .decimal(2, places: 4))
    #expect(named["track"] == .decimal(84.4, places: 5))
    #expect(named["gnssFixOK"] == .flag(true))
    #expect(message.malformed.isEmpty)
  }

  @Test("A wrong length and a value out of range are problems")
  func problems() {
    #expect(Self.values(UBX.frame(0x0107, [1, 2, 3]))?.malformed == ["length"])
    #expect(Self.values(UBX.pvt(1000, latitude: 900_000_001))?.malformed == ["lat"])
    #expect(Self.values(UBX.frame(0x0213, [1]))?.values == nil)
  }
}

/// UBX messages of a rider in Munich, at a GPS time of week in milliseconds from 12:35:00 UTC on.
enum UBX {
  static func frame(_ code: UInt16, _ payload: [UInt8]) -> [UInt8] {
    let body =
      [
        UInt8(code >> 8), UInt8(code & 0xFF), UInt8(payload.count & 0xFF),
        UInt8(payload.count >> 8),
      ] + payload
    var (a, b): (UInt8, UInt8) = (0, 0)
    for byte in body {
      a &+= byte
      b &+= a
    }
    return [0xB5, 0x62] + body + [a, b]
  }

  /// GPS is 18 s ahead of UTC; 2026-03-19 is a Thursday.
  private static func timeOfWeek(_ milliseconds: Int) -> UInt32 {
    milliseconds < 604_800_000
      ? UInt32(4 * 86_400_000 + 45_300_000 + 18_000 + milliseconds) : UInt32(milliseconds)
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  private static func clock(_ milliseconds: Int) -> [UInt8] {
    let second = milliseconds % 604_800_000 / 1000
    return bytes(UInt16(2026)) + [3, 19, 12, UInt8(35 + second / 60 % 20), UInt8(second % 60)]
  }

  static func pvt(
    _ time: Int, fixType: UInt8 = 3, flags: UInt8 = 1, flags3: UInt8 = 0, nano: Int32 = 0,
    latitude: Int32 = 481_173_000, headAcc: UInt32 = 500_000
  ) -> [UInt8] {
    var payload = bytes(timeOfWeek(time)) + clock(time) + [0x07] + bytes(UInt32(25)) + bytes(nano)
    payload += [fixType, flags, 0, 12] + bytes(Int32(115_166_667)) + bytes(latitude)
    payload +=
      bytes(Int32(592_300)) + bytes(Int32(545_400)) + bytes(UInt32(2000)) + bytes(UInt32(3000))
    payload += bytes(Int32(0)) + bytes(Int32(0)) + bytes(Int32(-250)) + bytes(Int32(11_524))
    payload += bytes(Int32(8_440_000)) + bytes(UInt32(200)) + bytes(headAcc) + bytes(UInt16(142))
    payload += [flags3, 0, 0, 0, 0, 0] + Array(repeating: 0, count: 8)
    return frame(0x0107, payload)
  }

  static func eoe(_ time: Int) -> [UInt8] { frame(0x0161, bytes(timeOfWeek(time))) }

  static func dop(_ time: Int) -> [UInt8] {
    frame(
      0x0104,
      bytes(timeOfWeek(time)) + [163, 142, 80, 117, 82, 74, 34].flatMap { bytes(UInt16($0)) })
  }

  typealias Satellite = (
    system: UInt8, number: UInt8, level: UInt8, elevation: Int8, azimuth: Int16, isUsed: Bool
  )

  static func sat(_ time: Int, _ satellites: [Satellite]) -> [UInt8] {
    frame(
      0x0135,
      bytes(timeOfWeek(time)) + [1, UInt8(satellites.count), 0, 0]
        + satellites.flatMap { seen -> [UInt8] in
          let position = bytes(seen.elevation) + bytes(seen.azimuth)
          let flags: [UInt8] = [0, 0, seen.isUsed ? 8 : 0, 0, 0, 0]
          return [seen.system, seen.number, seen.level] + position + flags
        })
  }

  static func status(_ time: Int, spoofing: UInt8) -> [UInt8] {
    frame(
      0x0103, bytes(timeOfWeek(time)) + [3, 0x0D, 0, spoofing << 3] + Array(repeating: 0, count: 8))
  }

  static func posllh(_ time: Int) -> [UInt8] {
    frame(
      0x0102,
      bytes(timeOfWeek(time)) + bytes(Int32(115_166_667)) + bytes(Int32(481_173_000))
        + bytes(Int32(592_300))
        + bytes(Int32(545_400)) + bytes(UInt32(2000)) + bytes(UInt32(3000)))
  }

  static func sol(_ time: Int) -> [UInt8] {
    frame(
      0x0106,
      bytes(timeOfWeek(time)) + bytes(Int32(0)) + bytes(Int16(2410)) + [3, 0x0D]
        + Array(repeating: 0, count: 32) + bytes(UInt16(142)) + [0, 12, 0, 0, 0, 0])
  }

  static func velned(_ time: Int) -> [UInt8] {
    frame(
      0x0112,
      bytes(timeOfWeek(time)) + Array(repeating: 0, count: 12) + bytes(UInt32(1152))
        + bytes(UInt32(1152))
        + bytes(Int32(8_440_000)) + bytes(UInt32(20)) + bytes(UInt32(500_000)))
  }

  static func timeutc(_ time: Int) -> [UInt8] {
    frame(
      0x0121, bytes(timeOfWeek(time)) + bytes(UInt32(25)) + bytes(Int32(0)) + clock(time) + [0x07])
  }
}

extension UTCInstant {
  init?(iso date: (Int, Int, Int), _ hour: Int, _ minute: Int, _ second: Int) {
    guard let date = CalendarDate(year: date.0, month: date.1, day: date.2),
      let time = TimeOfDay(hour: hour, minute: minute, second: second)
    else { return nil }
    self.init(date: date, time: time)
  }
}
