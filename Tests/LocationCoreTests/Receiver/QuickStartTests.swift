import Testing

@testable import LocationCore

/// A quick start in virtual time, with a receiver.
private struct QuickStartRig {
  var receiver: AidedReceiver
  var start: QuickStart
  var aids = ReceiverAids()
  var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  /// Time from a message to its answers.
  var delay = Duration.milliseconds(20)

  init(_ receiver: AidedReceiver = AidedReceiver(), speed: Int? = 115_200, usesFlash: Bool = false) {
    self.receiver = receiver
    start = QuickStart(
      AidedReceiver.identity, line: "-dev-gps0", speed: speed, usesFlash: usesFlash, acknowledges: receiver.acknowledges
    )
  }

  /// Runs it to its end; returns how long it took.
  @discardableResult mutating func run() -> Duration {
    let begin = now
    var actions = start.start(at: now)
    for _ in 0..<5000 where !start.isFinished {
      var written: [[UInt8]] = []
      for action in actions {
        switch action {
        case .write(let bytes): written.append(bytes)
        case .prepare(let key):
          #expect(key.firmware == AidedReceiver.key.firmware)
          for case .write(let bytes) in start.send(aids, at: now) { written.append(bytes) }
        case .setSpeed, .aid, .finish: break
        }
      }
      let answers = written.isEmpty ? [] : receiver.answer(written)
      now = now + delay
      if answers.isEmpty {
        guard let deadline = start.deadline else { break }
        now = max(now, deadline)
        actions = start.expire(at: now)
        continue
      }
      actions = []
      // Split anywhere, with sentences around.
      let stream = Array("$GNRMC,1*00\r\n".utf8) + answers + Array("$GNGLL".utf8)
      for at in stride(from: 0, to: stream.count, by: 11) {
        let piece = Array(stream[at..<min(at + 11, stream.count)])
        actions += piece.withUnsafeBytes { start.receive($0, at: now) }
      }
    }
    #expect(start.isFinished && start.deadline == nil)
    return now - begin
  }

  var counts: [ReceiverAid: QuickStartResult.Count] { start.result.counts }
}

@Suite("Quick start of a receiver")
struct QuickStartTests {
  private static let utc = UTCInstant(nanosecondsSince1970: 1_773_923_719_250_000_000)
  private let place = Coordinate(latitude: 48.1173, longitude: -11.5)

  private func rig(
    _ change: (inout AidedReceiver) -> Void = { _ in }, speed: Int? = 115_200, usesFlash: Bool = false
  ) -> QuickStartRig {
    var receiver = AidedReceiver()
    change(&receiver)
    var rig = QuickStartRig(receiver, speed: speed, usesFlash: usesFlash)
    rig.aids.time = (Self.utc, rig.now, .milliseconds(30))
    rig.aids.position = place.map { ($0, 5000) }
    rig.aids.database = (0..<80).map { AidedReceiver.entry($0) }
    return rig
  }

  @Test func `Time, place and database are sent in this order, acknowledged one by one`() throws {
    var rig = rig()
    #expect(rig.run() < QuickStart.limit)
    #expect(rig.start.result.outcome == .sent && rig.start.result.aids == [.time, .position, .database])
    #expect(rig.counts[.database] == .init(sent: 80, accepted: 80))
    #expect(rig.start.result.receiver == AidedReceiver.key)
    #expect(rig.receiver.used.map { $0[3] } == [0x40, 0x40] + [UInt8](repeating: 0x80, count: 80))
    #expect(Array(rig.receiver.used.dropFirst(2)) == rig.aids.database)
    #expect(rig.receiver.mostBytes <= QuickStart.window, "its input buffer is not overrun")
    let powerOn = try #require(rig.start.result.powerOn)
    #expect(powerOn == MonotonicInstant(nanoseconds: 995_020_000_000))
  }

  @Test func `The time is that of its arrival, with its error, and the place has its own`() throws {
    var rig = rig(speed: 9600)
    rig.run()
    let time = AidingMessage.payload(of: try #require(rig.receiver.used.first))
    let fields = Array(time)
    #expect(fields[0...3].elementsEqual([0x10, 0, 0, 0x80]), "the leap seconds are not known")
    #expect(ReceiverCommand.number(fields, at: 4, 2) == 2026 && fields[6...7].elementsEqual([3, 19]))
    // 12:35:19.25 when it was read, 40 ms before it is written, and half of its way.
    let sent = Int(fields[8]) * 3600 + Int(fields[9]) * 60 + Int(fields[10])
    let nanoseconds = try #require(ReceiverCommand.number(fields, at: 12, 4))
    let written = Double(sent - (12 * 3600 + 35 * 60 + 19)) + Double(nanoseconds) * 1e-9
    #expect((0.29...0.38).contains(written))
    let error = try #require(ReceiverCommand.number(fields, at: 20, 4))
    #expect(ReceiverCommand.number(fields, at: 16, 2) == 0 && (80_000_000...150_000_000).contains(error))
    let position = Array(AidingMessage.payload(of: rig.receiver.used[1]))
    #expect(position[0] == 1 && ReceiverCommand.number(position, at: 4, 4) == 481_173_000)
    #expect(ReceiverCommand.number(position, at: 8, 4).map { Int32(truncatingIfNeeded: $0) } == -115_000_000)
    #expect(ReceiverCommand.number(position, at: 16, 4) == 500_000)
  }

  @Test func `A receiver with a fix is sent nothing`() {
    var rig = rig { $0.hasFix = true }
    rig.run()
    #expect(rig.start.result.outcome == .needless && rig.start.result.receiver == AidedReceiver.key)
    #expect(rig.receiver.commands == [AidingMessage.uniqueID, AidingMessage.status] && rig.start.result.aids.isEmpty)
  }

  @Test func `Without anything that is known, nothing is sent`() {
    var rig = rig()
    rig.aids = ReceiverAids()
    rig.run()
    #expect(rig.start.result.outcome == .nothing)
    #expect(rig.receiver.commands == [AidingMessage.uniqueID, AidingMessage.status])
  }

  @Test func `A receiver without a number has the name of its line`() {
    var rig = rig { $0.hasNumber = false }
    rig.run()
    #expect(rig.start.result.receiver?.id == "-dev-gps0" && rig.start.result.outcome == .sent)
  }

  @Test(arguments: AidedReceiver.Trouble.allCases)
  func `Trouble ends it in time, and counts only what was accepted`(trouble: AidedReceiver.Trouble) {
    var rig = rig { $0.trouble = trouble }
    #expect(rig.run() < .seconds(8))
    let aids = rig.start.result.aids
    switch trouble {
    case .silent: #expect(rig.start.result.outcome == .unanswered && aids.isEmpty)
    case .refusesAcknowledgements:
      #expect(rig.start.result.outcome == .refused && aids.isEmpty && rig.receiver.used.isEmpty)
    case .acknowledgesNothing, .acknowledgesOthers:
      #expect([.unanswered, .late].contains(rig.start.result.outcome) && aids.isEmpty)
      #expect(Set(rig.receiver.used).count < 15, "the rest stays where it is")
    case .losesEveryThird: #expect([.sent, .late].contains(rig.start.result.outcome) && aids.contains(.database))
    case .refusesMessages: #expect(rig.start.result.outcome == .sent && aids.isEmpty)
    case .garbles: #expect(rig.start.result.outcome == .sent && aids.count == 3)
    }
  }

  @Test func `A slow receiver takes two seconds, a slow line what its bytes take`() {
    var slow = rig()
    slow.delay = .milliseconds(300)
    #expect(slow.run() < .seconds(4))
    #expect(slow.start.result.outcome == .late && slow.start.result.aids.contains(.database))
    var line = rig(speed: 9600)
    line.delay = .milliseconds(420)
    #expect(line.run() < .seconds(11))
    #expect(line.counts[.database]?.accepted ?? 0 > slow.counts[.database]?.accepted ?? 0)
  }

  @Test(arguments: [(UInt8(2), true), (3, false)])
  func `What the receiver restored from its flash memory is not sent, and cleared`(backup: UInt8, isRestored: Bool) {
    var rig = rig({ $0.backup = backup }, usesFlash: true)
    rig.run()
    #expect(rig.start.result.isRestoredFromFlash == isRestored)
    #expect(rig.receiver.commands.contains(AidingMessage.clearBackup) == isRestored)
    #expect(rig.start.result.aids.contains(.database))
    var without = QuickStartTests().rig(usesFlash: true)
    without.run()
    #expect(without.start.result.outcome == .sent, "a receiver without flash memory")
  }

  @Test(arguments: [true, false])
  func `With flash memory, a reception that was left stopped begins again, also with a fix`(hasFix: Bool) {
    for usesFlash in [true, false] {
      var rig = rig({ ($0.hasFix, $0.backup, $0.isReceiving) = (hasFix, 3, false) }, usesFlash: usesFlash)
      rig.run()
      #expect(rig.receiver.isReceiving == usesFlash)
      #expect(rig.start.result.outcome == (hasFix ? .needless : .sent))
    }
  }

  @Test func `Answers for ever neither delay it nor grow it`() {
    var rig = rig()
    var actions = rig.start.start(at: rig.now)
    let flood = AidedReceiver.acknowledgement(0x80, [0, 0, 0, 0])
    for _ in 0..<2000 where !rig.start.isFinished {
      rig.now = rig.now + .milliseconds(10)
      actions = flood.withUnsafeBytes { rig.start.receive($0, at: rig.now) }
      actions += rig.start.expire(at: rig.now)
    }
    #expect(actions == [.finish] && rig.start.result.outcome == .unanswered)
  }

  @Test(arguments: [("14.00", false), ("15.00", true), ("18.00", true), ("34.10", true), (nil, false), ("x", false)])
  func `Receivers before u-blox 8 are not helped`(version: String?, isHelped: Bool) {
    let identity = ReceiverIdentity(family: .ublox, protocolVersion: version)
    #expect(QuickStart.supports(identity) == isHelped)
    #expect(!QuickStart.supports(ReceiverIdentity(family: .mediaTek, protocolVersion: version)))
  }

  @Test func `The error of a place grows with its age, until the place is useless`() {
    #expect(ReceiverAids.error(of: 3, after: .zero) == 5000)
    #expect(ReceiverAids.error(of: nil, after: .seconds(3600)) == 41_000)
    #expect(ReceiverAids.error(of: 20_000, after: .seconds(10)) == 20_100)
    #expect(ReceiverAids.error(of: 3, after: .seconds(86_400 * 4)) == nil)
    #expect(ReceiverAids.error(of: 3, after: .seconds(-1)) == nil)
  }
}

@Suite("Assistance files")
struct AssistanceFileTests {
  private static let today = UTCInstant(nanosecondsSince1970: 1_773_923_719_000_000_000)

  private static func daily(_ day: UInt8) -> [UInt8] {
    ReceiverCommand.ubx(0x13, 0x20, [0, 0, 7, 0, 26, 3, day, 0] + [UInt8](repeating: 1, count: 68))
  }

  @Test func `Only orbits for today are sent`() {
    let orbit = ReceiverCommand.ubx(0x13, 0x00, [1, 0, 7, 0] + [UInt8](repeating: 5, count: 64))
    let others: [[UInt8]] = [
      AidingMessage.time(Self.today, accuracy: .zero), AidedReceiver.entry(1),
      ReceiverCommand.ubx(0x06, 0x04, [0, 0, 0, 0]),
      ReceiverCommand.ubx(0x13, 0x21, [UInt8](repeating: 0, count: 8)),
    ]
    var broken = orbit
    broken[10] ^= 1
    let all: [[UInt8]] = [Self.daily(18), Self.daily(19), orbit, broken] + others + [[0xB5, 0x62]]
    let bytes = Array(all.joined())
    let fresh = AssistanceFile(bytes, modified: Self.today - .seconds(3600))
    #expect(fresh.messages(at: Self.today) == [Self.daily(19), orbit])
    #expect(fresh.others == 4 && fresh.damaged == broken.count + 2 && !fresh.isEmpty)
    let old = AssistanceFile(bytes, modified: Self.today - .seconds(2 * 86_400))
    #expect(old.messages(at: Self.today) == [Self.daily(19)])
    #expect(AssistanceFile(Array("no UBX".utf8), modified: Self.today).isEmpty)
  }
}
