import Testing

@testable import LocationCore

@Suite("Bad UBX input")
struct UBXBadInputTests {
  /// Epochs with all kinds of messages, and sentences of the same times.
  private static let stream = (1...4).map { second -> [UInt8] in
    let time = second * 1000
    let sky: [UBX.Satellite] = [(0, 4, 16, 2, 85, false), (2, 11, 35, 41, 238, true)]
    return UBX.pvt(time) + Array(ReceiverRig.line(Sentences.rmc(Double(second))).utf8) + UBX.dop(time)
      + UBX.sat(time, sky) + Array(ReceiverRig.line(Sentences.gga(Double(second))).utf8) + UBX.eoe(time)
  }

  @Test func `The epochs do not depend on how the bytes are split`() {
    let bytes = Array(Self.stream[0...1].joined())
    for cut in 0...bytes.count {
      var rig = ReceiverRig()
      rig.send(Array(bytes[..<cut]))
      rig.send(Array(bytes[cut...]))
      #expect(rig.outcomes == ["fix", "fix"])
      #expect(rig.receiver.frameCount == 8 && rig.receiver.sentenceCount == 4)
    }
    var rig = ReceiverRig()
    for byte in bytes { rig.send([byte]) }
    #expect(rig.outcomes == ["fix", "fix"])
  }

  @Test func `A byte that is lost, added or changed anywhere costs one frame or sentence at most`() {
    let bytes = Array(Self.stream.joined())
    for place in bytes.indices {
      let damages: [(String, [UInt8])] = [
        ("lost", []), ("added", [bytes[place], 0x24]), ("changed", [~bytes[place]]),
      ]
      for (kind, replacement) in damages {
        var damaged = bytes
        damaged.replaceSubrange(place...place, with: replacement)
        var rig = ReceiverRig()
        rig.send(damaged)
        rig.end()
        let messages = rig.receiver.frameCount + rig.receiver.sentenceCount
        #expect(messages >= 23, "byte \(place) \(kind)")
        #expect(rig.fixes.count == 4, "byte \(place) \(kind)")
      }
    }
  }

  @Test func `A lost NAV-PVT costs its epoch only`() {
    let solution = UBX.pvt(2000)
    for lost in solution.indices {
      var damaged = solution
      damaged.remove(at: lost)
      var rig = ReceiverRig()
      rig.send(UBX.pvt(1000) + UBX.eoe(1000) + damaged + UBX.eoe(2000) + UBX.pvt(3000) + UBX.eoe(3000))
      rig.end()
      #expect(rig.outcomes == ["fix", "fix"])
    }
  }

  @Test func `A length that lies costs its frame only`() {
    for length in stride(from: 0, through: 0xFFFF, by: 13) where length != UBX.pvt(0).count - 8 {
      var lying = UBX.pvt(2000)
      (lying[4], lying[5]) = (UInt8(length & 0xFF), UInt8(length >> 8))
      var rig = ReceiverRig()
      rig.send(UBX.pvt(1000) + UBX.eoe(1000) + lying + UBX.pvt(3000) + UBX.eoe(3000) + UBX.pvt(4000) + UBX.eoe(4000))
      // It is not waited for longer than for the next one.
      #expect(rig.fixes.count == 3, "\(length)")
      rig.end()
      #expect(rig.outcomes == ["fix", "fix", "fix"], "\(length)")
    }
  }

  @Test(arguments: [0, 3, 4, 83, 85, 91])
  func `A wrong length with a valid checksum publishes nothing`(_ count: Int) {
    var rig = ReceiverRig()
    let payload = Array(UBX.pvt(1000).dropFirst(6).dropLast(2))
    rig.send(UBX.frame(0x0107, Array(payload.prefix(count))) + UBX.eoe(1000))
    rig.end()
    #expect(rig.outcomes.isEmpty)
    #expect(rig.receiver.counters.malformedMessages == 1)
  }

  @Test(arguments: 0..<16)
  func `A pause ends a frame whose length is damaged: each second has its fix`(_ bit: Int) {
    var rig = ReceiverRig()
    for second in 1...8 {
      var burst = UBX.pvt(second * 1000) + Self.sky(second * 1000) + UBX.dop(second * 1000) + UBX.eoe(second * 1000)
      if second == 3 { burst[UBX.pvt(0).count + 4 + bit / 8] ^= 1 << (bit % 8) }
      rig.send(burst)
      rig.wait(.milliseconds(50))
      #expect(rig.outcomes.count == second)
      rig.wait(.milliseconds(950))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 8))
    #expect(rig.fixes.map(\.measured) == (1...8).map { UTCInstant(iso: (2026, 3, 19), 12, 35, $0) })
    #expect(rig.receiver.frameCount == 8 * 4 - 1)
  }

  @Test(
    "A pause ends a frame that bytes of noise have begun",
    arguments: [
      [0xB5, 0x62, 0x01, 0x35, 0xF4, 0x0B], [0xB5, 0x62, 0x02, 0x15], [0xBA, 0xCE, 0xF0, 0x03], [0xD3, 3, 0xFF],
    ])
  func noiseBeginsFrame(_ noise: [UInt8]) {
    var rig = ReceiverRig()
    for second in 1...8 {
      rig.send((second == 3 ? noise : []) + UBX.pvt(second * 1000))
      rig.send(Array(ReceiverRig.line(Sentences.gga(Double(second))).utf8) + UBX.eoe(second * 1000))
      rig.wait(.milliseconds(50))
      #expect(rig.outcomes.count == second)
      rig.wait(.milliseconds(950))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 8))
    #expect(rig.receiver.frameCount == 16 && rig.receiver.sentenceCount == 8)
  }

  @Test func `A pause does not end a frame whose rest is late`() {
    let sky = Self.sky(1000)
    for cut in sky.indices {
      var rig = ReceiverRig()
      rig.send(UBX.pvt(1000) + sky[..<cut])
      rig.wait(.milliseconds(200))
      rig.send(sky[cut...] + UBX.eoe(1000))
      #expect(rig.receiver.frameCount == 3 && rig.receiver.counters.nmea.noise == 0)
    }
  }

  private static func sky(_ time: Int) -> [UInt8] {
    UBX.sat(time, (1...24).map { (0, $0, 30, Int8($0), Int16($0) * 10, true) })
  }

  @Test func `Messages that end before their last value are malformed`() {
    let whole: [[UInt8]] = [
      UBX.posllh(1000), UBX.status(1000, spoofing: 1), UBX.dop(1000), UBX.sol(1000), UBX.velned(1000),
      UBX.timegps(1000), UBX.timeutc(1000), UBX.sat(1000, [(0, 4, 16, 2, 85, false)]),
      UBX.svinfo(1000, [(4, 16, 2, 85, false)]), UBX.eoe(1000), UBX.frame(0x0A09, Array(repeating: 1, count: 60)),
      UBX.frame(0x0A38, [0, 1, 0, 0] + Array(repeating: 1, count: 20)),
      UBX.frame(0x2709, [1] + Array(repeating: 1, count: 11)), UBX.frame(0x2709, [2, 0, 0, 1] + [1, 1, 1, 1]),
    ]
    for frame in whole {
      let payload = Array(frame[6..<(frame.count - 2)])
      for count in payload.indices {
        var rig = ReceiverRig()
        rig.send(UBX.frame(UInt16(frame[2]) << 8 | UInt16(frame[3]), Array(payload.prefix(count))))
        rig.end()
        #expect(rig.outcomes.isEmpty)
        #expect(rig.receiver.counters.malformedMessages == 1)
      }
    }
  }

  @Test func `A time of week that jumps back opens an epoch; the fix is judged by its UTC`() {
    var rig = ReceiverRig()
    for (second, week) in [(1, 1000), (2, 2000), (3, 500_000_000), (4, 4000), (5, 0), (6, 6000)] {
      rig.send(UBX.pvt(second * 1000, timeOfWeek: UInt32(week)) + UBX.eoe(second * 1000))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 6))
    #expect(rig.fixes.map(\.measured) == (1...6).map { UTCInstant(iso: (2026, 3, 19), 12, 35, $0) })
  }

  @Test(arguments: [604_800_000, 700_000_000, .max] as [UInt32])
  func `A time of week beyond a week's end is malformed`(_ week: UInt32) {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000, timeOfWeek: week) + UBX.eoe(1000))
    rig.end()
    #expect(rig.outcomes.isEmpty)
    #expect(rig.receiver.counters.malformedMessages == 1)
  }

  @Test func `A fix of the past is not published`() {
    var rig = ReceiverRig()
    for second in [101, 102, 103, 4, 105, 106] {
      rig.send(UBX.pvt(second * 1000) + UBX.eoe(second * 1000))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == ["fix", "fix", "fix", "held", "fix", "fix"])
    #expect(rig.receiver.counters.judge.outOfOrder == 1)
  }

  @Test(arguments: [true, false])
  func `The week ends within an epoch's time, and no epoch is lost or doubled`(_ hasEnd: Bool) {
    var rig = ReceiverRig()
    // Saturday, 21 March 2026, 23:59:42 UTC is the start of the GPS week.
    for tenth in -12...12 {
      let week = UInt32((604_800_000 + tenth * 100) % 604_800_000)
      let second = 42 + (tenth < 0 ? (tenth - 9) / 10 : tenth / 10)
      let nano = Int32((tenth + 20) % 10) * 100_000_000
      let utc = UBX.bytes(UInt16(2026)) + [3, 21, 23, 59, UInt8(second)]
      rig.send(UBX.pvt(0, nano: nano, timeOfWeek: week, utc: utc))
      if hasEnd { rig.send(UBX.frame(0x0161, UBX.bytes(week))) }
      rig.wait(.milliseconds(100))
    }
    rig.end()
    #expect(rig.outcomes == Array(repeating: "fix", count: 25))
    let times = rig.fixes.compactMap(\.measured?.nanosecondsSince1970)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 100_000_000 })
  }

  @Test func `A date 1024 weeks in the past is marked`() {
    var rig = ReceiverRig()
    let utc = UBX.bytes(UInt16(2006)) + [8, 3, 12, 35, 1]
    rig.send(UBX.pvt(1000, utc: utc) + UBX.eoe(1000))
    #expect(rig.epochs.map(\.rolloverSuspect) == [true])
    #expect(rig.receiver.counters.rolloverSuspects == 1)
  }

  @Test(
    "Nanoseconds beyond a second are no time", arguments: [.min, -1_000_000_001, 1_000_000_001, .max] as [Int32])
  func nanoseconds(_ nano: Int32) {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000, nano: nano) + UBX.eoe(1000))
    #expect(rig.outcomes == ["fix"])
    #expect(rig.fixes.first?.measured == nil)
    #expect(rig.receiver.counters.malformedMessages == 1)
  }

  @Test(
    "A GPS time whose fraction or week is out of range is no time",
    arguments: [(.min, 2410), (.max, 2410), (0, -1)] as [(Int32, Int16)])
  func gpsTime(_ fraction: Int32, _ week: Int16) {
    var rig = ReceiverRig()
    rig.send(UBX.posllh(1000) + UBX.sol(1000) + UBX.timegps(1000, fraction: fraction, week: week))
    rig.end()
    #expect(rig.outcomes == ["fix"])
    #expect(rig.fixes.first?.measured == nil)
    #expect(rig.receiver.counters.malformedMessages == 1)
  }

  @Test(
    "A place out of range is no position",
    arguments: [
      (900_000_001, 0), (-900_000_001, 0), (.min, 0), (.max, 0), (0, 1_800_000_001), (0, -1_800_000_001), (0, .min),
    ] as [(Int32, Int32)])
  func outOfRange(_ latitude: Int32, _ longitude: Int32) {
    var rig = ReceiverRig()
    rig.send(UBX.pvt(1000, latitude: latitude, longitude: longitude) + UBX.eoe(1000))
    #expect(rig.outcomes == ["outOfRange"])
    #expect(rig.receiver.counters.malformedMessages == 1)
  }

  @Test func `A latitude out of range in NAV-POSLLH is not replaced by an older position`() {
    var rig = ReceiverRig()
    rig.send(UBX.posllh(1000) + UBX.sol(1000))
    rig.send(UBX.posllh(2000, latitude: .max) + UBX.sol(2000))
    rig.end()
    #expect(rig.outcomes == ["fix", "outOfRange"])
  }

  @Test func `A NAV-SAT with 255 satellites is bounded and hides no message around it`() {
    var rig = ReceiverRig()
    let satellites = (0..<255).map { (UInt8(6), UInt8(1 + $0 % 32), UInt8(40), Int8(30), Int16(90), true) }
    rig.send(UBX.pvt(1000) + UBX.sat(1000, satellites) + UBX.eoe(1000))
    #expect(rig.outcomes == ["fix"])
    #expect(rig.receiver.counters.nmea.noise == 0)
    #expect(rig.epochs.first?.sky?.satellites.count == SkyCollector.satelliteBound)
  }

  @Test func `A NAV-SAT that states more satellites than it holds has none`() {
    var rig = ReceiverRig()
    var payload = Array(UBX.sat(1000, [(0, 4, 16, 2, 85, false)]).dropFirst(6).dropLast(2))
    payload[5] = 255
    rig.send(UBX.pvt(1000) + UBX.frame(0x0135, payload) + UBX.eoe(1000))
    #expect(rig.outcomes == ["fix"])
    #expect(rig.epochs.first?.sky?.satellites == [])
    #expect(rig.receiver.counters.malformedMessages == 1)
  }

  @Test func `Acknowledgements that were not requested are counted, and disturb no epoch`() {
    var rig = ReceiverRig()
    for second in 1...6 {
      for _ in 0..<100 { rig.send(UBX.frame(0x0501, [6, 1]) + UBX.frame(0x0500, [6, 0x8A])) }
      rig.send(UBX.pvt(second * 1000) + UBX.frame(0x0501, [6, 1]) + UBX.eoe(second * 1000))
      rig.wait(.seconds(1))
    }
    #expect(rig.outcomes == Array(repeating: "fix", count: 6))
    #expect(rig.receiver.counters.unknownMessages == 1206)
    #expect(rig.receiver.counters.malformedMessages == 0)
  }

  @Test(arguments: 1...12)
  func `A set-up ends and sends little, whatever a receiver answers for ever`(_ seed: Int) {
    var random = SeededNoise(seed: UInt64(seed))
    func byte(_ below: Int) -> UInt8 { UInt8(Int.random(in: 0..<below, using: &random)) }
    func answer() -> [UInt8] {
      let kind = byte(8)
      let settings: [UInt8] = [0x00, 0x01, 0x08, 0x24, 0x8A, 0x8B]
      let payload = (0..<20).map { _ in byte(256) }
      switch kind {
      case 0: return UBX.frame(0x0A04, Array(repeating: 0x20, count: 40) + payload)
      case 1, 2, 3: return UBX.frame(UInt16(0x0500) + UInt16(byte(2)), [6, settings[Int(byte(6))]])
      case 4: return UBX.pvt(Int(byte(200)) * 1000)
      default: return UBX.frame(0x0600 + UInt16(settings[Int(byte(6))]), [1, byte(8)] + payload.prefix(Int(byte(20))))
      }
    }
    var setup = ReceiverSetup(
      ReceiverWish(rate: 10, model: .bike, accuracy: true), speeds: [9600, 38_400, 115_200])
    var now = MonotonicInstant.zero
    var actions = setup.start(lineSpeed: 9600, isUSB: false, applies: true, at: now)
    var count = 0
    while !setup.isFinished, now < .zero + .seconds(300) {
      count += actions.count
      now = now + .milliseconds(20)
      actions = (0..<3).flatMap { _ in answer() }.withUnsafeBytes { setup.receive($0, at: now) }
      if setup.deadline.map({ $0 <= now }) ?? false { actions += setup.expire(at: now) }
    }
    #expect(setup.isFinished && now < .zero + .seconds(120))
    #expect(count < 150)
  }

  @Test func `A frame inside a sentence costs the sentence, a sentence inside a frame is none`() {
    let rmc = Array(ReceiverRig.line(Sentences.rmc(1)).utf8)
    var rig = ReceiverRig()
    rig.send(Array(rmc.prefix(30)) + UBX.pvt(1000) + Array(rmc.dropFirst(30)) + UBX.eoe(1000))
    #expect(rig.outcomes == ["fix"])
    #expect(rig.fixes.first?.horizontalBasis == .ubx)
    #expect(rig.receiver.sentenceCount == 0)
    rig = ReceiverRig()
    rig.send(UBX.frame(0x0405, rmc) + UBX.eoe(1000))
    rig.end()
    #expect(rig.outcomes.isEmpty && rig.receiver.sentenceCount == 0)
    #expect(rig.receiver.counters.unknownMessages == 1)
  }

  @Test func `A receiver's first malformed message is reported, further ones are counted`() {
    var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
    var events = EngineEvents()
    let short = UBX.frame(0x0107, [1, 2, 3])
    let wrong = UBX.pvt(2000, latitude: .max)
    for bytes in [UBX.pvt(1000) + UBX.eoe(1000), short, wrong + UBX.eoe(2000), short] {
      bytes.withUnsafeBytes { engine.receive(.bytes($0), from: 0, at: .zero, into: &events) }
    }
    let reported = events.list.compactMap { entry -> (String?, SourceID)? in
      if case .oddity(.malformed, let facts, let source) = entry.event { (facts["MESSAGE"], source) } else { nil }
    }
    #expect(reported.count == 1)
    #expect(reported.first?.0 == "NAV-PVT" && reported.first?.1 == 0)
    #expect(engine.lead.counters.malformedMessages == 3)
  }
}
