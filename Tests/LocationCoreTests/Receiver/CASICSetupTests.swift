import Testing

@testable import LocationCore

/// An AT6558 in virtual time, and the set-up that talks to it: it states what it is, acknowledges nothing, and needs a
/// while for what it does.
private struct CASICRig {
  var setup: ReceiverSetup
  private let applies: Bool
  var lineSpeed = 9600
  var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  var speed = 9600
  var period = 1000
  var model = 0
  var sendsGST = false
  /// Commands without effect, `PCAS02`.
  var ignored: Set<String> = []
  /// Time from a command to its effect.
  var lag = Duration.milliseconds(50)
  var hasTime = true
  /// Whether it sends epochs, and answers.
  var isSilent = false
  var isMute = false
  /// Whether it answers CASIC's own protocol.
  var hasFrames = false
  /// Whether it sends back what it receives.
  var echoes = false
  /// What it sends before it is asked, and before the answer to the first query.
  var start: [String] = []
  var greeting: [String] = []
  /// What it sends in each epoch beside its own sentences.
  var others: [String] = []
  var commands: [String] = []
  var speeds: [Int] = []
  private var due: [(at: MonotonicInstant, command: String)] = []
  private var nextEpoch = MonotonicInstant(nanoseconds: 1_000_300_000_000)
  private var clock = 43_200_000

  init(_ wish: ReceiverWish, applies: Bool = true) {
    self.applies = applies
    setup = ReceiverSetup(wish, speeds: [38_400, 9600, 115_200, 4800])
  }

  /// Runs the set-up to its end; returns how long it took.
  mutating func run() -> Duration {
    let begin = now
    let stated = start.flatMap { ReceiverCommand.sentence($0) }
    perform(stated.withUnsafeBytes { setup.receive($0, at: now) })
    perform(setup.start(lineSpeed: lineSpeed, isUSB: false, applies: applies, at: now))
    for _ in 0..<10_000 where !setup.isFinished {
      now = now + .milliseconds(10)
      while let (at, command) = due.first, at <= now {
        due.removeFirst()
        take(command)
      }
      if now >= nextEpoch {
        nextEpoch = nextEpoch + .milliseconds(period)
        clock += period
        send(epoch)
      }
      if let deadline = setup.deadline, deadline <= now { perform(setup.expire(at: now)) }
    }
    return now - begin
  }

  private var epoch: [String] {
    if isSilent { return [] }
    let seconds = clock / 1000
    let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }
    let time = hasTime ? parts.joined() + "." + String(1000 + clock % 1000).dropFirst() : ""
    return ["GNGGA,\(time),,,,,0,00,25.5,,,,,,", "GNRMC,\(time),V,,,,,,,,,,M", "GPTXT,01,01,01,ANTENNA OPEN"]
      + others + (sendsGST ? ["GNGST,\(time),,,,,,,"] : [])
  }

  private mutating func perform(_ actions: [ReceiverAction]) {
    for action in actions {
      switch action {
      case .write(let bytes):
        if setup.lineSpeed == speed, bytes == [0xBA, 0xCE, 0, 0, 6, 7, 0, 0, 6, 7] {
          due.append((now + lag, "CFG-NAVX"))
        }
        guard setup.lineSpeed == speed, let text = String(validating: bytes, as: UTF8.self) else { continue }
        let command = String(text.dropFirst().prefix { $0 != "*" })
        commands.append(command)
        due.append((now + lag, command))
      case .setSpeed(let speed):
        speeds.append(speed)
        // One is on its way when the line changes its speed.
        _ = ReceiverCommand.sentence("GPTXT,01,01,01,ANTENNA OPEN").withUnsafeBytes { setup.receive($0, at: now) }
      case .aid, .prepare, .finish: break
      }
    }
  }

  /// Sends sentences, split anywhere; at another speed than the line's they are not read.
  private mutating func send(_ sentences: [String]) {
    send(sentences.flatMap { ReceiverCommand.sentence($0) })
  }

  private mutating func send(_ stream: [UInt8]) {
    guard setup.lineSpeed == speed else { return }
    for start in stride(from: 0, to: stream.count, by: 11) {
      let piece = Array(stream[start..<min(start + 11, stream.count)])
      perform(piece.withUnsafeBytes { setup.receive($0, at: now) })
    }
  }

  private mutating func take(_ command: String) {
    if echoes { return send([command]) }
    let fields = command.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    if ignored.contains(fields[0]) { return }
    switch fields[0] {
    case "PCAS06":
      if isMute { return }
      send(
        greeting + [
          fields[1] == "0" ? "GPTXT,01,01,02,SW=URANUS5,V5.3.0.0" : "GPTXT,01,01,02,HW=ATGM336H,0001170603610"
        ])
    case "PCAS01": speed = [4800, 9600, 19_200, 38_400, 57_600, 115_200][Int(fields[1]) ?? 0]
    case "PCAS02": if let wanted = Int(fields[1]), wanted >= 200 || speed > 9600 { period = wanted }
    case "PCAS03":
      #expect(fields.count == 15 && fields[1..<14].allSatisfy(\.isEmpty), "other sentences are changed")
      sendsGST = fields.last == "1"
    case "PCAS11": model = Int(fields[1]) ?? -1
    case "CFG-NAVX" where hasFrames:
      // Its checksum is the sum of its words; the rest of them is 0 here.
      let words: [UInt8] = [0, 0, 0, 0, UInt8(model)] + [UInt8](repeating: 0, count: 39)
      send([0xBA, 0x24, 0xBA, 0xBA, 0xCE, 44, 0, 6, 7] + words + [44 + UInt8(model), 0, 6, 7])
    default: break
    }
  }

  var outcomes: [ReceiverStatus.Outcome] { setup.status.settings.map(\.outcome) }
}

@Suite("Set-up of CASIC receivers")
struct CASICSetupTests {
  private let wish = ReceiverWish(rate: 10, model: .bike, accuracy: true, speed: 115_200)

  @Test func `Every setting is sent, the speed first, and seen in what arrives`() {
    var rig = CASICRig(wish)
    let time = rig.run()
    let status = rig.setup.status
    #expect(status.phase == .done && status.identity?.family == .casic)
    #expect(status.identity?.model == "ATGM336H" && status.identity?.firmware == "URANUS5 V5.3.0.0")
    #expect(status.settings.map(\.name) == [.speed, .period, .model, .accuracy])
    #expect(rig.outcomes == [.set, .set, .sent, .set])
    #expect((rig.speed, rig.period, rig.model, rig.sendsGST) == (115_200, 100, 3, true))
    // Nothing else is sent: no systems, nothing into the flash.
    let queries: Set = ["PMTK605", "PAIR020", "PQTMVERNO", "PCAS06,0", "PCAS06,1"]
    #expect(
      rig.commands.filter { !queries.contains($0) } == ["PCAS01,5", "PCAS02,100", "PCAS11,3", "PCAS03,,,,,,,,,,,,,,1"])
    #expect(time < .seconds(12))
    // Again, nothing is left to do but what nobody sees.
    var again = CASICRig(wish)
    (again.speed, again.lineSpeed) = (115_200, 115_200)
    again.setup = ReceiverSetup(wish, speeds: [])
    (again.period, again.sendsGST) = (100, true)
    _ = again.run()
    #expect(again.outcomes == [.same, .same, .sent, .same])
  }

  @Test(arguments: [false, true])
  func `A model is read back by the receiver's own protocol, between its sentences`(isRefused: Bool) {
    var rig = CASICRig(ReceiverWish(rate: 5, model: .car, accuracy: true, speed: 38_400))
    rig.hasFrames = true
    if isRefused { rig.ignored = ["PCAS11"] }
    _ = rig.run()
    #expect(rig.outcomes == [.set, .set, isRefused ? .refused : .set, .set])
    #expect(rig.setup.status.settings[2].current == (isRefused ? 0 : 3))
    #expect(rig.commands.filter { $0.hasPrefix("PCAS11") }.count == (isRefused ? 2 : 1))
    // What is right is not sent again.
    var again = CASICRig(ReceiverWish(model: .car))
    (again.hasFrames, again.model) = (true, 3)
    _ = again.run()
    #expect(again.outcomes == [.same] && !again.commands.contains { $0.hasPrefix("PCAS11") })
  }

  @Test func `The number of each model is CASIC's`() {
    let models = ReceiverWish.Model.allCases.map { ReceiverDialect.casic.number(of: $0).first }
    #expect(models == [3, 3, 2])
  }

  @Test func `Before it knows the time, its rate is seen in the arrivals`() {
    var rig = CASICRig(wish)
    rig.hasTime = false
    _ = rig.run()
    #expect(rig.outcomes == [.set, .set, .sent, .set] && rig.period == 100)
    var plan = CASICRig(ReceiverWish(rate: 1, accuracy: false), applies: false)
    plan.hasTime = false
    _ = plan.run()
    #expect(plan.outcomes == [.same, .same])
  }

  @Test(arguments: [("PCAS01", 0), ("PCAS02", 1), ("PCAS03", 3)])
  func `A setting that it does not take is refused alone, also without an answer`(command: String, index: Int) {
    var rig = CASICRig(ReceiverWish(rate: 5, model: .car, accuracy: true, speed: 38_400))
    rig.ignored = [command]
    _ = rig.run()
    var expected: [ReceiverStatus.Outcome] = [.set, .set, .sent, .set]
    expected[index] = .refused
    #expect(rig.outcomes == expected && rig.setup.status.phase == .done)
    #expect(rig.setup.lineSpeed == rig.speed)
    #expect(rig.setup.status.settings[index].current == [9600, 1000, nil, 0][index])
  }

  @Test func `At the speed that it keeps, a rate that does not fit is refused`() {
    var rig = CASICRig(wish)
    rig.ignored = ["PCAS01"]
    _ = rig.run()
    #expect(rig.outcomes == [.refused, .refused, .sent, .set] && rig.setup.lineSpeed == 9600)
  }

  @Test func `One that needs two seconds for each command is set up all the same`() {
    var rig = CASICRig(ReceiverWish(rate: 5, model: .pedestrian, accuracy: true))
    rig.lag = .seconds(2)
    _ = rig.run()
    // At the new speed it is found when it has changed to it.
    #expect(rig.setup.lineSpeed == rig.speed && rig.speed == 38_400)
    #expect(rig.outcomes == [.set, .set, .sent, .set] && (rig.period, rig.model) == (200, 2))
  }

  @Test func `A plan sends no command`() {
    var rig = CASICRig(wish, applies: false)
    _ = rig.run()
    #expect(rig.outcomes == [.planned, .planned, .planned, .planned])
    #expect(rig.commands.allSatisfy { !$0.hasPrefix("PCAS0") || $0.hasPrefix("PCAS06") } && rig.speed == 9600)
  }

  @Test func `A rate for which it has no speed gets the highest one`() {
    var rig = CASICRig(ReceiverWish(rate: 20))
    _ = rig.run()
    #expect(rig.speed == 115_200 && rig.outcomes.first == .set)
  }

  @Test func `A speed for which it has no word is refused, and nothing sent for it`() {
    var rig = CASICRig(ReceiverWish(speed: 230_400))
    _ = rig.run()
    #expect(rig.outcomes == [.refused] && !rig.commands.contains { $0.hasPrefix("PCAS01") })
  }

  @Test func `What neither answers nor epochs show was sent`() {
    var rig = CASICRig(ReceiverWish(rate: 5, accuracy: true, speed: 9600))
    rig.isSilent = true
    _ = rig.run()
    #expect(rig.outcomes == [.same, .sent, .sent] && rig.setup.status.phase == .done)
  }

  @Test func `It is recognized by what it states when it starts`() {
    for (text, model, firmware) in [
      ("IC=AT6558-5N-31-0C510800,BM05CKJ-F2-015708", "AT6558", nil), ("HW=ATGM332D,0000000000000", "ATGM332D", nil),
      ("MA=CASIC", nil, nil), ("SW=URANUS5,V5.1.0.0", nil, "URANUS5 V5.1.0.0"),
    ] as [(String, String?, String?)] {
      let fields = "GPTXT,01,01,02,\(text)".split(separator: ",").map(String.init)
      let found = ReceiverDialect.identify(.sentence(fields), isUSB: false)
      #expect(found?.0 == .casic && found?.1.model == model && found?.1.firmware == firmware)
    }
    for text in ["ANTENNA OPEN", "ANTSTATUS=OK", "u-blox AG - www.u-blox.com", "HW UBX-M8030 00080000", "MO=GB", "SW="]
    {
      #expect(ReceiverDialect.identify(.sentence(["GNTXT", "01", "01", "02", text]), isUSB: false) == nil)
    }
    var rig = CASICRig(ReceiverWish())
    rig.greeting = ["GPTXT,01,01,02,MA=CASIC", "GPTXT,01,01,02,IC=AT6558-5N-31-0C510800"]
    _ = rig.run()
    #expect(rig.setup.status.identity?.firmware == "URANUS5 V5.3.0.0")
  }

  /// As published by users of ATGM332D.
  private static let start = [
    "MA=CASIC", "HW=ATGM332D,0001190723621", "IC=AT6558-5N-31-0C510800,BMDHCKJ-F1-000285", "SW=URANUS5,V5.3.0.0",
    "TB=2020-04-28,13:43:10", "MO=GB", "BS=SOC_BootLoader,V6.2.0.2", "FI=00856014",
  ].map { "GPTXT,01,01,02,\($0)" }

  @Test func `What it states before it is asked names one that cannot receive, which keeps its speed`() {
    var rig = CASICRig(wish)
    (rig.start, rig.isMute, rig.ignored) = (Self.start, true, ["PCAS01", "PCAS02", "PCAS03", "PCAS11"])
    _ = rig.run()
    let identity = rig.setup.status.identity
    #expect(identity?.family == .casic && identity?.model == "ATGM332D" && identity?.firmware == "URANUS5 V5.3.0.0")
    #expect(rig.outcomes == [.unanswered, .refused, .sent, .refused])
    #expect(rig.speeds.isEmpty && !rig.commands.contains { $0.hasPrefix("PMTK") || $0.hasPrefix("PCAS01") })
  }

  @Test func `One of another family that states it before it is asked is named`() {
    var rig = CASICRig(wish)
    (rig.start, rig.isMute) = (["GNTXT,02,01,02,ALLYSTAR,8221"], true)
    _ = rig.run()
    #expect(rig.setup.status.phase == .unsupported && rig.setup.status.identity?.family == .allystar)
  }

  @Test(
    arguments: [
      ("GNTXT,02,01,02,ALLYSTAR,8221", .allystar), ("PSTI,030,044606.000", .skytraq), ("PSRF150,1", .sirf),
      ("command,VERSIONA,response: OK", .unicore), ("command,VERSIONA,response: PARSING FAILD", nil),
      ("PDTINFO,UM621-02,G1B1L1E1,V1.2,R6.0.0.0Build2810,2310414000033,PC12B4231700429", .firebird),
      ("PDTINFO", nil),
      ("GNTXT,01,01,02,OK", nil),
    ] as [(String, ReceiverIdentity.Family?)])
  func `Others are named by what they send, and sent nothing but queries`(
    sentence: String, family: ReceiverIdentity.Family?
  ) {
    var rig = CASICRig(wish)
    (rig.isMute, rig.others) = (true, [sentence])
    _ = rig.run()
    #expect(rig.setup.status.phase == .unsupported && rig.setup.status.identity?.family == family)
    #expect(rig.setup.status.settings.isEmpty && rig.speeds.isEmpty)
    #expect(Set(rig.commands) == ["PMTK605", "PAIR020", "PQTMVERNO", "PCAS06,0", "ERSIONA\r\n$PDTINFO"])
  }

  @Test func `One that sends back what it gets is no receiver of this family`() {
    var rig = CASICRig(wish)
    rig.echoes = true
    _ = rig.run()
    #expect(rig.setup.status.phase == .unsupported && rig.speed == 9600)
  }

  @Test func `The time between epochs holds over midnight, and a time that is none does not count`() {
    var watch = EpochWatch()
    var now = MonotonicInstant.zero
    for (text, period) in [
      ("235959.80", nil), ("000000.00", 200), ("000000.40", 400), ("x", 400), ("nan", 400), ("999999", 400),
      ("000001.00", 400), ("000001.100", 100),
    ] as [(String, Int?)] {
      now = now + .milliseconds(400)
      #expect(watch.take(["GNRMC", text], at: now) && watch.period == period, "\(text)")
    }
    #expect(!watch.take(["GNGGA", "000002.00"], at: now) && watch.accuracy == 0)
  }
}
