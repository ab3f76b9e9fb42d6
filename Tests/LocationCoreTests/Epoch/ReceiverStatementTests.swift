import Testing

@testable import LocationCore

@Suite("What receivers state about themselves")
struct ReceiverStatementTests {
  typealias Statement = (sentence: String, state: Interference.Antenna?, source: String)

  static let statements: [Statement] = [
    ("GPTXT,01,01,01,ANTENNA OPEN", .open, "TXT"), ("GPTXT,01,01,01,ANTENNAOPEN", .open, "TXT"),
    ("GPTXT,01,01,01,ANTENNA OK", .ok, "TXT"), ("GPTXT,01,01,01,ANTENNA SHORT", .short, "TXT"),
    ("GNTXT,01,01,02,ANTSTATUS=OK", .ok, "TXT"), ("GNTXT,01,01,02,ANTSTATUS=OPEN", .open, "TXT"),
    ("GNTXT,01,01,02,ANTSTATUS=SHORT", .short, "TXT"), ("GNTXT,01,01,02,ANTSTATUS=INIT", .unknown, "TXT"),
    ("GNTXT,01,01,02,ANTSTATUS=DONTKNOW", .unknown, "TXT"),
    ("GNTXT,02,02,02,ANT_OPEN", .open, "TXT"), ("GNTXT,02,02,02,ANT_OK", .ok, "TXT"),
    ("PGTOP,11,1", .short, "PGTOP"), ("PGTOP,11,2", .ok, "PGTOP"), ("PGTOP,11,3", .ok, "PGTOP"),
    ("PCD,11,1", .ok, "PCD"), ("PCD,11,2", .ok, "PCD"), ("PCD,11,3", .short, "PCD"),
    ("PQTMANTENNASTATUS,3,2,1,1", .open, "PQTMANTENNASTATUS"),
    ("PQTMANTENNASTATUS,2,1,2,2,2", .ok, "PQTMANTENNASTATUS"),
    ("PQTMANTENNASTATUS,1,3", .short, "PQTMANTENNASTATUS"), ("PQTMANTENNASTATUS,1,0", .unknown, "PQTMANTENNASTATUS"),
    ("PSTMANTENNASTATUS,0,0,0,0", .ok, "PSTMANTENNASTATUS"), ("PSTMANTENNASTATUS,1,0,0,0", .open, "PSTMANTENNASTATUS"),
    ("PSTMANTENNASTATUS,2,0,0,0", .short, "PSTMANTENNASTATUS"), ("PSTMANTENNASTATUS,3,0,0,0", nil, ""),
    // About something else, or nothing.
    ("GNTXT,01,01,02,ANTSUPERV=AC SD PDoS SR", nil, ""), ("GNTXT,01,01,02,ANTENNA", .unknown, "TXT"),
    ("GNTXT,01,01,02,", nil, ""), ("GNTXT,01,01,02,OPEN", nil, ""), ("PGTOP,12,1", nil, ""), ("PGTOP,11,7", nil, ""),
    ("PGTOP,11", nil, ""), ("PGTOP", nil, ""), ("PCD,11,", nil, ""), ("PCD,21,3", nil, ""),
    ("PQTMANTENNASTATUS", nil, ""),
    ("PQTMANTENNASTATUS,3,9", nil, ""), ("PQTMANTENNASTATUS,3,11", nil, ""),
  ]

  private static func interference(_ sentences: String...) -> Interference {
    var rig = ReceiverRig()
    for sentence in sentences { rig.send(sentence) }
    return rig.receiver.interference
  }

  @Test(arguments: statements.indices)
  func `The antenna is as each family states it`(index: Int) {
    let (sentence, state, source) = Self.statements[index]
    let antenna = Self.interference(sentence).antenna
    #expect(antenna?.state == state && antenna?.source ?? "" == source, "\(sentence)")
  }

  @Test func `The newest statement about the antenna counts, also one of UBX`() {
    var rig = ReceiverRig()
    rig.send("GPTXT,01,01,01,ANTENNA OPEN")
    for (number, state) in [(0, .unknown), (1, .unknown), (2, .ok), (3, .short), (4, .open), (9, .unknown)]
      as [(UInt8, Interference.Antenna)]
    {
      var payload = [UInt8](repeating: 0, count: 60)
      payload[20] = number
      rig.send(UBX.frame(0x0A09, payload))
      #expect(rig.receiver.interference.antenna.map { $0 == (state, "MON-HW") } == true, "\(number)")
    }
    // The worst of the bands.
    let rest = [UInt8](repeating: 0, count: 21)
    rig.send(UBX.frame(0x0A38, [0, 2, 0, 0] + [0, 0, 3] + rest + [1, 0, 2] + rest))
    #expect(rig.receiver.interference.antenna.map { $0 == (.short, "MON-RF") } == true)
    rig.send("GPTXT,01,01,01,ANTENNA OK")
    #expect(rig.receiver.interference.antenna.map { $0 == (.ok, "TXT") } == true)
    rig.send(UBX.frame(0x0402, Array("ANTSTATUS=OPEN".utf8)))
    #expect(rig.receiver.interference.antenna.map { $0 == (.open, "INF") } == true)
    #expect(rig.receiver.counters.unknownMessages == 0)
  }

  @Test func `Jamming is as Airoha's receivers state it, the worse of two bands`() {
    var rig = ReceiverRig()
    for (sentence, state, source) in [
      ("PAIRSPF,7", nil, ""), ("PAIRSPF,", nil, ""), ("PAIRSPF5,2", .warning, "PAIRSPF"),
      ("PAIRSPF,1", .warning, "PAIRSPF"), ("PAIRSPF5,0", .ok, "PAIRSPF"), ("PAIRSPF,3", .critical, "PAIRSPF"),
      ("PQTMJAMMINGSTATUS,1,2", .warning, "PQTMJAMMINGSTATUS"), ("PQTMJAMMINGSTATUS,1", .warning, "PQTMJAMMINGSTATUS"),
    ] as [(String, Interference.Jamming?, String)] {
      rig.send(sentence)
      let jamming = rig.receiver.interference.jamming
      #expect(jamming?.state == state && jamming?.source ?? "" == source, "\(sentence)")
    }
  }

  @Test func `The newest datum other than WGS 84 is stated`() {
    var rig = ReceiverRig()
    #expect(rig.receiver.interference.datum == nil)
    for (code, datum) in [("W84", nil), ("P90", "P90"), ("999", "999"), ("W84", nil), ("W72", "W72"), ("", nil)]
      as [(String, String?)]
    {
      rig.send("GPDTM,\(code),,0.0,N,0.0,E,0.0,W84")
      #expect(rig.receiver.interference.datum == datum, "\(code)")
    }
  }

  @Test func `Starts and overflows of the line are counted`() {
    var rig = ReceiverRig()
    rig.send("GNTXT,01,01,00,txbuf alloc", "GNTXT,01,01,00,txbuf alloc", "GNTXT,01,01,00,txbuf allocation")
    rig.send(
      "GNTXT,01,01,02,u-blox AG - www.u-blox.com", "GPTXT,01,01,02,MA=CASIC", "PMTK010,001", "PMTK010,002",
      "PMTK011,001", "devicename,COM1")
    rig.send(UBX.frame(0x0402, Array("u-blox AG - www.u-blox.com".utf8)) + UBX.frame(0x0401, Array("txbuf alloc".utf8)))
    #expect(rig.receiver.counters.overflows == 3 && rig.receiver.counters.starts == 5)
  }

  /// MON-SYS with a reason.
  private static func monSYS(_ reason: UInt8, version: UInt8 = 1, length: Int = 24) -> [UInt8] {
    UBX.frame(0x0A39, Array(([version, reason] + [UInt8](repeating: 7, count: 40)).prefix(length)))
  }

  @Test func `Why a receiver has started is as it states it, until it starts again`() {
    var rig = ReceiverRig()
    for (number, reason) in [
      (1, .coldStart), (2, .watchdog), (3, .hardwareReset), (4, .hardwareBackup), (5, .softwareBackup),
      (6, .softwareReset), (7, .vioFailure), (8, .vddxFailure), (9, .vddrfFailure), (10, .coreFailure),
      (11, .systemReset), (0, nil), (12, nil), (255, nil),
    ] as [(UInt8, Interference.ResetReason?)] {
      rig.send(Self.monSYS(number))
      #expect(rig.receiver.interference.resetReason == reason, "\(number)")
    }
    rig.send(Self.monSYS(2, length: 30))
    // Of another version, or too short.
    rig.send(
      Self.monSYS(3, version: 2) + Self.monSYS(3, length: 23) + Self.monSYS(3, length: 1) + Self.monSYS(3, length: 0))
    #expect(rig.receiver.interference.resetReason == .watchdog && rig.receiver.counters.malformedMessages == 3)
    rig.send("GNTXT,01,01,02,u-blox AG - www.u-blox.com")
    #expect(rig.receiver.interference.resetReason == nil && rig.receiver.counters.unknownMessages == 0)
    let values = Self.monSYS(2).withUnsafeBytes { UBXFrame($0).flatMap { UBXValues($0)?.values } }
    #expect(values?.map { "\($0.name)" } == ["resetReason"])
  }

  @Test func `An engine reports a change once, a restart behind a fix once, and drops no fix`() {
    var engine = LocationEngine(sources: [SourceSetup(id: 0)], at: .zero)
    var events = EngineEvents()
    var second = 0
    func send(_ sentences: [String], _ frames: [UInt8], _ engine: inout LocationEngine) {
      second += 1
      let time = "1235\(second + 10).00"
      let fix = [
        "GNRMC,\(time),A,4807.038,N,01131.000,E,2.4,84.4,190326,,,A",
        "GNGGA,\(time),4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
      ]
      let bytes = frames + (sentences + fix).flatMap { ReceiverCommand.sentence($0) }
      let instant = MonotonicInstant.zero + .seconds(second)
      bytes.withUnsafeBytes { engine.receive(.bytes($0), from: 0, at: instant, into: &events) }
    }
    let start = "GNTXT,01,01,02,u-blox AG - www.u-blox.com"
    let (open, short, overflow) = (
      "GPTXT,01,01,01,ANTENNA OPEN", "GPTXT,01,01,01,ANTENNA SHORT", "GNTXT,01,01,00,txbuf alloc"
    )
    let datum = "GPDTM,P90,,0.0,N,0.0,E,0.0,W84"
    for sentences in [
      [start, datum], [open, datum], [open], [overflow, open], [overflow, short], [start], [start], [],
    ] {
      send(sentences, [], &engine)
    }
    for (sentences, reason) in [([], 2), ([], 2), ([start], 1), ([], 2), ([], 1)] as [([String], UInt8)] {
      send(sentences, Self.monSYS(reason), &engine)
    }
    var (changes, datums, overflows, fixes) = (0, 0, 0, 0)
    var restarts: [String?] = []
    for entry in events.list {
      switch entry.event {
      case .interference: changes += 1
      case .oddity(.datum, _, _): datums += 1
      case .oddity(.overflow, _, _): overflows += 1
      case .oddity(.restart, _, _): restarts.append(nil)
      case .oddity(.reset, let facts, _): restarts.append(facts["REASON"])
      case .fix: fixes += 1
      default: break
      }
    }
    #expect((changes, datums, overflows) == (2, 1, 1) && fixes >= 12)
    // The reason before a start is not that of the start.
    #expect(restarts == [nil, "watchdog", "coldStart"])
    #expect(engine.leadStatus(at: .zero).interference.antenna?.state == .short)
  }
}
