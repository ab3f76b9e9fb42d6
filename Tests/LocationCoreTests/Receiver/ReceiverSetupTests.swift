import Testing

@testable import LocationCore

private enum ReceiverTrouble: CaseIterable { case noEpochs, noEpochsAlone, refusedAlone, unknownMessages }

@Suite("Receiver set-up")
struct ReceiverSetupTests {
  private let wish = ReceiverWish(output: .nmea, rate: 5, model: .bike, accuracy: true, speed: 115_200)

  @Test(arguments: [[], [0xB5, 0x62, 0x06, 0xFF, 0x24]])
  func `Every setting is read, sent and read back, the speed first`(garbage: [UInt8]) {
    var rig = UbloxRig(wish)
    rig.garbage = garbage
    let time = rig.run()
    #expect(rig.setup.status.phase == .done)
    #expect(rig.setup.status.settings.map(\.name) == [.speed, .period, .model, .accuracy])
    #expect(rig.outcomes == [.set, .set, .set, .set])
    #expect((rig.speed, rig.period, rig.model, rig.accuracy) == (115_200, 200, 10, 1))
    #expect(rig.setup.lineSpeed == 115_200 && rig.speeds == [115_200])
    #expect(rig.setup.status.identity?.model == "NEO-M8N" && rig.setup.status.identity?.protocolVersion == "18.00")
    #expect(time < .seconds(3))
    // What is right is not sent again.
    var again = UbloxRig(wish)
    (again.speed, again.period, again.model, again.accuracy) = (9600, 200, 10, 1)
    _ = again.run()
    #expect(again.outcomes == [.set, .same, .same, .same])
  }

  @Test(arguments: [ReceiverWish.Output.auto, .nmea])
  func `A receiver is helped to its first fix when there is room on the line, before its rate is set`(
    output: ReceiverWish.Output
  ) {
    let wish = ReceiverWish(output: output, rate: 5, speed: 115_200)
    var rig = UbloxRig(wish, isAided: true)
    _ = rig.run()
    #expect(rig.setup.status.phase == .done && rig.period == 200)
    #expect(rig.help.map { $0 == (115_200, 1000) } == true)
    #expect(rig.acknowledges && rig.setup.acknowledgesAiding)
    var plan = UbloxRig(wish, applies: false, isAided: true)
    _ = plan.run()
    #expect(plan.help == nil && plan.setup.status.phase == .done && !plan.setup.acknowledgesAiding)
    #expect(rig.setup.proceed(at: rig.now).isEmpty, "only once")
  }

  @Test(arguments: [(refused: [0x23: -1], silent: []), ([:], [0x23])] as [([UInt8: Int], Set<UInt8>)])
  func `Acknowledgements of aiding messages that are refused are no part of the state`(
    refused: [UInt8: Int], silent: Set<UInt8>
  ) {
    var rig = UbloxRig(ReceiverWish(output: .nmea, rate: 5), isAided: true)
    (rig.refused, rig.silent) = (refused, silent)
    _ = rig.run()
    // One whose acknowledgement is lost is read back.
    #expect(rig.setup.acknowledgesAiding == refused.isEmpty && rig.help != nil)
    #expect(rig.setup.status.settings.contains { $0.name == .aiding } == refused.isEmpty)
    #expect(rig.setup.status.phase == .done && rig.period == 200)
  }

  @Test func `A plan sends no command`() {
    var rig = UbloxRig(wish, applies: false)
    _ = rig.run()
    #expect(rig.outcomes == [.planned, .planned, .planned, .planned])
    #expect((rig.speed, rig.period, rig.model, rig.accuracy) == (9600, 1000, 0, 0))
    #expect(rig.setup.status.settings.allSatisfy { !$0.command.isEmpty })
  }

  @Test func `A refused setting is skipped alone, and the bike is a car where it is refused`() {
    var rig = UbloxRig(wish)
    rig.refused = [0x24: 10]
    _ = rig.run()
    #expect(rig.outcomes == [.set, .set, .set, .set] && rig.model == 4)
    for id: UInt8 in [0x00, 0x08, 0x24, 0x01] {
      var rig = UbloxRig(wish)
      rig.refused = [id: -1]
      _ = rig.run()
      #expect(rig.setup.status.phase == .done)
      #expect(rig.outcomes.count { $0 == .refused } == 1 && rig.outcomes.count { $0 == .set } == 3)
    }
  }

  @Test func `A position after five measurements is another rate`() {
    var rig = UbloxRig(wish)
    (rig.period, rig.measurements) = (200, 5)
    _ = rig.run()
    #expect(rig.outcomes == [.set, .set, .set, .set] && rig.period == 200 && rig.measurements == 1)
  }

  @Test(arguments: [("0", true), ("1", nil), ("4", false)])
  func `Airoha: while a command is being processed, its result is awaited`(result: String, wanted: Bool?) {
    let command = ReceiverCommand.sentence("PAIR050,200")
    #expect(ReceiverDialect.airoha.acknowledges(.sentence(["PAIR001", "050", result]), of: command) == wanted)
  }

  @Test func `A lost acknowledgement costs time, but no setting`() {
    var rig = UbloxRig(wish)
    rig.silent = [0x00, 0x01, 0x08, 0x24]
    #expect(rig.run() < .seconds(8))
    #expect(rig.outcomes == [.set, .set, .set, .set])
  }

  @Test func `A receiver that keeps its speed is found again, and set up at that`() {
    var rig = UbloxRig(wish)
    rig.takesSpeed = false
    #expect(rig.run() < .seconds(15))
    #expect(rig.outcomes == [.refused, .set, .set, .set])
    #expect(rig.setup.lineSpeed == 9600 && rig.speeds.last == 9600)
  }

  @Test func `A receiver that answers nothing is asked what it is, and sent nothing else`() {
    var rig = UbloxRig(wish)
    rig.isDead = true
    #expect(rig.run() < .seconds(15))
    #expect(rig.setup.status.phase == .unsupported && rig.setup.status.settings.isEmpty && rig.speeds.isEmpty)
  }

  @Test func `A receiver that falls silent with the change of speed is looked for at every speed, then given up`() {
    var rig = UbloxRig(wish)
    rig.falseSpeed = 57_600
    #expect(rig.run() < .seconds(20))
    #expect(rig.setup.status.phase == .lost)
    #expect(Set(rig.speeds) == [115_200, 9600, 38_400, 4800])
    var other = UbloxRig(wish)
    other.falseSpeed = 38_400
    _ = other.run()
    #expect(other.outcomes == [.refused, .set, .set, .set] && other.setup.lineSpeed == 38_400)
  }

  @Test(arguments: [(true, 115_200, [115_200]), (false, 9600, [115_200, 9600])])
  func `Of a receiver that answers nothing any more, sentences at a speed are enough`(
    takesSpeed: Bool, speed: Int, speeds: [Int]
  ) {
    var rig = UbloxRig(wish)
    rig.fallsMute = true
    rig.takesSpeed = takesSpeed
    #expect(rig.run() < .seconds(20))
    #expect(rig.setup.status.phase == .done)
    #expect(rig.outcomes == [takesSpeed ? .set : .refused, .unanswered, .unanswered, .unanswered])
    #expect(rig.setup.lineSpeed == speed && rig.speeds == speeds)
  }

  @Test func `A slow line is raised for the rate without being asked to`() {
    var rig = UbloxRig(ReceiverWish(output: .nmea, rate: 5))
    _ = rig.run()
    #expect(rig.setup.status.settings.map(\.wanted) == [38_400, 200])
    var slow = UbloxRig(ReceiverWish(output: .nmea, rate: 1))
    _ = slow.run()
    #expect(slow.setup.status.settings.map(\.name) == [.period])
    var fast = UbloxRig(ReceiverWish(output: .nmea, rate: 25))
    _ = fast.run()
    #expect(fast.setup.status.settings.map(\.wanted) == [230_400, 40] && fast.speed == 230_400)
  }

  @Test func `What a rate needs is at most 80 % of the line, where the receiver has the speed`() {
    let speeds = ReceiverWish.rates.map { ReceiverWish(rate: $0).speed(of: 4800) ?? 0 }
    #expect(zip(ReceiverWish.rates, speeds).allSatisfy { $0 * 6000 <= $1 * 8 / 10 })
    #expect(ReceiverWish(rate: 15).speed(of: 4800) == 115_200)
    #expect(ReceiverWish.rates.allSatisfy { ReceiverWish(rate: $0).speed(of: 4800, isUblox: false) ?? 0 <= 115_200 })
  }

  @Test func `Sentences of MediaTek and PAIR identify, acknowledge and hold values`() throws {
    var answers = ReceiverAnswers()
    let text =
      [
        "PMTK705,AXN_2.31,5632,PA6H,1.0", "PMTK001,220,3", "PMTK001,220,2", "PMTK500,200,0,0,0.0,0.0", "PAIR001,050,0",
        "PAIR051,200",
      ]
      .map(ReceiverRig.line).joined()
    let found = Array((text + "$PMTK001,220,3*00\r\n").utf8).withUnsafeBytes { answers.receive($0) }
    #expect(found.count == 6)
    let (stated, identity) = try #require(ReceiverDialect.identify(found[0], isUSB: false))
    let dialect = try #require(stated)
    #expect(dialect == .mediaTek && identity.model == "PA6H")
    let command = dialect.command(.period, 200, read: nil)
    #expect(command == Array("$PMTK220,200*2C\r\n".utf8))
    #expect(dialect.acknowledges(found[1], of: command) == true)
    #expect(dialect.acknowledges(found[2], of: command) == false)
    #expect(dialect.acknowledges(found[4], of: command) == nil)
    #expect(dialect.value(of: .period, in: found[3], port: 1, lineSpeed: 9600) == 200)
    let airoha = ReceiverDialect.airoha
    #expect(airoha.acknowledges(found[4], of: airoha.command(.period, 200, read: nil)) == true)
    #expect(airoha.value(of: .period, in: found[5], port: 1, lineSpeed: 9600) == 200)
  }

  @Test func `UBX is switched on and seen before NMEA ends, the rate and the satellites follow`() {
    var rig = UbloxRig(ReceiverWish(rate: 10, model: .bike, accuracy: true))
    let time = rig.run()
    #expect(rig.setup.status.phase == .done && rig.setup.status.output == .ubx && !rig.sendsNMEA)
    #expect(rig.rates == [0x07: 1, 0x04: 1, 0x35: 10], "satellites once a second")
    #expect((rig.speed, rig.period, rig.model, rig.accuracy) == (38_400, 100, 10, 0))
    // It does not know NAV-EOE.
    #expect(rig.setup.status.settings.map(\.name) == [.speed, .pvt, .nmea, .period, .dop, .sat, .model])
    #expect(rig.outcomes.allSatisfy { $0 == .set } && time < .seconds(8))
    // Again, nothing is left to do.
    var again = UbloxRig(ReceiverWish(rate: 10, model: .bike))
    (again.sendsNMEA, again.rates, again.period, again.model) = (false, rig.rates, 100, 10)
    (again.speed, again.lineSpeed) = (38_400, 38_400)
    again.setup = ReceiverSetup(ReceiverWish(rate: 10), speeds: [9600])
    _ = again.run()
    #expect(again.setup.status.output == .ubx && again.outcomes.allSatisfy { $0 == .same })
  }

  @Test func `A receiver without NAV-PVT sends the messages that were before it`() {
    var rig = UbloxRig(ReceiverWish(rate: 5))
    rig.rates = [0x06: 0, 0x02: 0, 0x12: 0, 0x21: 0, 0x04: 0, 0x30: 0]
    _ = rig.run()
    #expect(rig.setup.status.output == .ubx && !rig.sendsNMEA)
    #expect(rig.rates == [0x06: 1, 0x02: 1, 0x12: 1, 0x21: 1, 0x04: 1, 0x30: 5])
  }

  @Test(arguments: ReceiverTrouble.allCases)
  fileprivate func `Where UBX does not work, NMEA stays or returns, as fast as wanted`(trouble: ReceiverTrouble) {
    for output in [ReceiverWish.Output.auto, .ubx] {
      var rig = UbloxRig(ReceiverWish(output: output, rate: 5, accuracy: true))
      switch trouble {
      case .noEpochs: rig.sendsEpochs = false
      case .noEpochsAlone: rig.sendsEpochsAlone = false
      case .refusedAlone: rig.refusesUBXAlone = true
      case .unknownMessages: rig.rates = [:]
      }
      #expect(rig.run() < .seconds(40))
      #expect(rig.setup.status.phase == .done && rig.setup.status.output == .nmea && rig.sendsNMEA)
      #expect(rig.rates.values.allSatisfy { $0 == 0 }, "no message is left on")
      #expect((rig.speed, rig.period, rig.accuracy) == (38_400, 200, 1))
      // Only who asks for UBX by name reads that it is refused.
      #expect(rig.outcomes.contains(.refused) == (output == .ubx))
    }
  }

  @Test func `A receiver that was left in UBX comes back to NMEA`() {
    var rig = UbloxRig(wish)
    (rig.sendsNMEA, rig.rates) = (false, [0x07: 1, 0x04: 1, 0x35: 5])
    rig.speed = 9600
    let epoch = ReceiverCommand.ubx(0x01, 0x07, [UInt8](repeating: 1, count: 92))
    rig.garbage = epoch
    _ = rig.run()
    #expect(rig.sendsNMEA && rig.rates == [0x07: 0, 0x04: 0, 0x35: 0] && rig.setup.status.output == .nmea)
    #expect((rig.period, rig.accuracy) == (200, 1))
  }

  @Test func `A plan of UBX sends no command`() {
    var rig = UbloxRig(ReceiverWish(rate: 10), applies: false)
    _ = rig.run()
    #expect(rig.setup.status.settings.map(\.name) == [.speed, .pvt, .nmea, .period, .dop, .sat])
    #expect(rig.outcomes.allSatisfy { $0 == .planned } && rig.sendsNMEA && rig.rates.values.allSatisfy { $0 == 0 })
  }

  @Test func `By keys, a rate also sets one measurement per epoch`() {
    var setup = ReceiverSetup(ReceiverWish(output: .nmea, rate: 5), speeds: [9600])
    var values = [0x3021_0001: 200, 0x3021_0002: 5, 0x1078_0002: 1]
    var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    var actions = setup.start(lineSpeed: 0, isUSB: true, applies: true, at: now)
    for _ in 0..<20 where !setup.isFinished {
      var answer: [UInt8] = []
      for case .write(let frame) in actions {
        let payload = Array(frame[6..<(frame.count - 2)])
        if frame[2] == 0x0A {
          let texts = [("EXT CORE 1.00", 30), ("00190000", 10), ("PROTVER=34.10", 30)]
          answer += ReceiverCommand.ubx(
            0x0A, 0x04, texts.flatMap { Array($0.0.utf8) + [UInt8](repeating: 0, count: $0.1 - $0.0.utf8.count) })
        } else if let key = ReceiverCommand.number(payload, at: 4, 4) {
          if frame[3] == 0x8A {
            #expect(payload[1] == 1, "RAM only")
            values[key] = ReceiverCommand.number(payload, at: 8, 2)
            answer += ReceiverCommand.ubx(0x05, 0x01, [0x06, 0x8A])
          } else {
            answer += ReceiverCommand.ubx(
              0x06, 0x8B, [1, 0, 0, 0] + payload[4..<8] + ReceiverCommand.littleEndian(values[key] ?? 0, 2))
          }
        }
      }
      now = now + .milliseconds(50)
      actions = answer.withUnsafeBytes { setup.receive($0, at: now) }
    }
    #expect(setup.status.settings.map(\.name) == [.period, .navigation])
    #expect(setup.status.settings.map(\.outcome) == [.same, .set])
    #expect(values == [0x3021_0001: 200, 0x3021_0002: 1, 0x1078_0002: 1])
  }

  @Test func `Keys are written into the RAM layer only`() {
    let dialect = ReceiverDialect.ubloxKeys(isUSB: false)
    let command = dialect.command(.period, 200, read: nil)
    #expect(command.dropLast(2) == [0xB5, 0x62, 0x06, 0x8A, 10, 0, 0, 1, 0, 0, 1, 0, 0x21, 0x30, 200, 0])
    let aiding = ReceiverCommand.ubx(0x06, 0x8A, [0, 1, 0, 0, 0x25, 0, 0x11, 0x10, 1])
    #expect(dialect.command(.aiding, 1, read: nil) == aiding)
  }
}
