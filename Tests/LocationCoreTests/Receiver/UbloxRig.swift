import Testing

@testable import LocationCore

extension ReceiverWish {
  init(output: Output? = nil, rate: Int? = nil, model: Model? = nil, accuracy: Bool? = nil, speed: Int? = nil) {
    self.init()
    (self.output, self.rate, self.model, self.accuracy, self.speed) = (output, rate, model, accuracy, speed)
  }
}

/// A u-blox M8 in virtual time, and the set-up that talks to it.
struct UbloxRig {
  var setup: ReceiverSetup
  private let applies: Bool
  private let isAided: Bool
  var lineSpeed = 9600
  var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  /// The receiver's own speed.
  var speed = 9600
  var period = 1000
  var measurements = 1
  var model = 0
  var accuracy = 0
  /// Settings that are refused, by message id, with the refused value; -1 for any.
  var refused: [UInt8: Int] = [:]
  /// Message ids whose acknowledgements are lost.
  var silent: Set<UInt8> = []
  /// Whether it takes another speed.
  var takesSpeed = true
  /// The speed that it takes in place of the wanted one.
  var falseSpeed: Int?
  /// Whether it acknowledges aiding messages.
  var acknowledges = false
  /// Whether it answers at all.
  var isDead = false
  /// Whether it answers nothing any more once it was sent a speed, and goes on with its sentences.
  var fallsMute = false
  var isMute = false
  /// Whether it sends sentences, and the rates of its messages of the class NAV.
  var sendsNMEA = true
  var rates: [UInt8: Int] = [0x07: 0, 0x04: 0, 0x35: 0]
  /// Whether it sends the epochs that it acknowledges, and still does without sentences.
  var sendsEpochs = true
  var sendsEpochsAlone = true
  var refusesUBXAlone = false
  /// What precedes each answer.
  var garbage: [UInt8] = []
  var commands: [[UInt8]] = []
  var speeds: [Int] = []
  /// The line's speed and the receiver's time between epochs, milliseconds, when it could be helped to its first fix.
  var help: (speed: Int, period: Int)?

  init(_ wish: ReceiverWish, applies: Bool = true, isAided: Bool = false) {
    (self.applies, self.isAided) = (applies, isAided)
    setup = ReceiverSetup(wish, speeds: [38_400, 9600, 115_200, 4800])
  }

  /// Runs the set-up to its end; returns how long it took.
  mutating func run() -> Duration {
    let begin = now
    var actions = setup.start(lineSpeed: lineSpeed, isUSB: false, applies: applies, isAided: isAided, at: now)
    for _ in 0..<1000 where !setup.isFinished {
      var answers: [UInt8] = []
      for action in actions {
        switch action {
        case .write(let bytes): if setup.lineSpeed == speed, !isDead, !isMute { answers += answer(bytes) }
        case .setSpeed(let newSpeed):
          speeds.append(newSpeed)
          // One is on its way when the line changes its speed.
          if isMute { _ = ReceiverCommand.sentence("GNRMC,0").withUnsafeBytes { setup.receive($0, at: now) } }
        case .aid: help = (setup.lineSpeed, period)
        case .prepare, .finish: break
        }
      }
      actions = actions.contains(.aid) ? setup.proceed(at: now) : []
      if !actions.isEmpty { continue }
      if answers.isEmpty {
        guard let deadline = setup.deadline else { break }
        if now + .milliseconds(period) < deadline, let epoch = nextEpoch() {
          now = now + .milliseconds(period)
          actions = epoch.withUnsafeBytes { setup.receive($0, at: now) }
          continue
        }
        if isMute, setup.lineSpeed == speed, now + .milliseconds(500) < deadline {
          now = now + .milliseconds(500)
          actions = ReceiverCommand.sentence("GNRMC,1").withUnsafeBytes { setup.receive($0, at: now) }
          continue
        }
        now = deadline
        actions = setup.expire(at: now)
        continue
      }
      now = now + .milliseconds(50)
      // Split anywhere, with sentences around.
      let stream = garbage + Array("$GNRMC,1*00\r\n".utf8) + answers + Array("$GNGLL".utf8)
      for start in stride(from: 0, to: stream.count, by: 7) {
        let piece = Array(stream[start..<min(start + 7, stream.count)])
        actions += piece.withUnsafeBytes { setup.receive($0, at: now) }
      }
    }
    return now - begin
  }

  /// The message of an epoch's position, if it sends one.
  private mutating func nextEpoch() -> [UInt8]? {
    let isPVT = rates[0x07] ?? 0 > 0
    guard isPVT || rates[0x06] ?? 0 > 0, sendsEpochs, sendsNMEA || sendsEpochsAlone, setup.lineSpeed == speed else {
      return nil
    }
    let time = ReceiverCommand.littleEndian(Int(now.nanoseconds / 1_000_000), 4)
    let length = isPVT ? 92 : 52
    return ReceiverCommand.ubx(0x01, isPVT ? 0x07 : 0x06, time + [UInt8](repeating: 0, count: length - 4))
  }

  private mutating func answer(_ frame: [UInt8]) -> [UInt8] {
    guard frame.count >= 8, frame[0] == 0xB5 else { return [] }
    commands.append(frame)
    let payload = Array(frame[6..<(frame.count - 2)])
    func text(_ text: String, _ count: Int) -> [UInt8] {
      Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
    }
    if frame[2] == 0x0A {
      return ReceiverCommand.ubx(
        0x0A, 0x04,
        text("ROM CORE 3.01", 30) + text("00080000", 10) + text("PROTVER=18.00", 30) + text("MOD=NEO-M8N", 30))
    }
    let id = frame[3]
    func settled(_ value: Int) -> (isAccepted: Bool, [UInt8]) {
      let isRefused = refused[id].map { $0 < 0 || $0 == value } ?? false
      let answer = silent.contains(id) ? [] : ReceiverCommand.ubx(0x05, isRefused ? 0 : 1, [0x06, id])
      return (!isRefused, answer)
    }
    switch (id, payload.count) {
    case (0x00, 0):
      return ReceiverCommand.ubx(
        0x06, 0x00,
        [1, 0, 0, 0, 0xD0, 0x08, 0, 0] + ReceiverCommand.littleEndian(speed, 4)
          + [7, 0, sendsNMEA ? 3 : 1, 0, 0, 0, 0, 0])
    case (0x00, _) where (payload[14] & 2 != 0) != sendsNMEA:
      #expect(payload[14] & 1 == 1, "its answers are UBX")
      if refusesUBXAlone { return ReceiverCommand.ubx(0x05, 0, [0x06, id]) }
      sendsNMEA.toggle()
      return ReceiverCommand.ubx(0x05, 1, [0x06, id])
    case (0x00, _):
      let wanted = ReceiverCommand.number(payload, at: 8, 4) ?? 0
      let (isAccepted, answer) = settled(wanted)
      if isAccepted, takesSpeed { speed = falseSpeed ?? wanted }
      isMute = fallsMute
      return answer
    case (0x08, 0):
      return ReceiverCommand.ubx(
        0x06, 0x08, ReceiverCommand.littleEndian(period, 2) + ReceiverCommand.littleEndian(measurements, 2) + [1, 0])
    case (0x08, _):
      let (isAccepted, answer) = settled(ReceiverCommand.number(payload, at: 0, 2) ?? 0)
      if isAccepted {
        period = ReceiverCommand.number(payload, at: 0, 2) ?? 0
        measurements = ReceiverCommand.number(payload, at: 2, 2) ?? 0
      }
      return answer
    case (0x24, 0):
      return ReceiverCommand.ubx(0x06, 0x24, [0, 0, UInt8(model)] + [UInt8](repeating: 0, count: 33))
    case (0x24, _):
      let (isAccepted, answer) = settled(Int(payload[2]))
      if isAccepted { model = Int(payload[2]) }
      return answer
    case (0x23, 0):
      var state = [2, 0] + [UInt8](repeating: 7, count: 38)
      state[17] = acknowledges ? 1 : 0
      return ReceiverCommand.ubx(0x06, 0x23, state) + ReceiverCommand.ubx(0x05, 1, [0x06, 0x23])
    case (0x23, _):
      #expect(payload[2..<8].elementsEqual([0, 4, 0, 0, 0, 0]) && payload[17] == 1, "only the acknowledgements change")
      let (isAccepted, answer) = settled(1)
      if isAccepted { acknowledges = true }
      return answer
    case (0x01, _) where payload[0] == 0x01:
      guard let rate = rates[payload[1]] else { return ReceiverCommand.ubx(0x05, 0, [0x06, id]) }
      if payload.count == 2 { return ReceiverCommand.ubx(0x06, 0x01, payload + [0, UInt8(rate), 0, 0, 0, 0]) }
      rates[payload[1]] = Int(payload[2])
      return ReceiverCommand.ubx(0x05, 1, [0x06, id])
    case (0x01, 2): return ReceiverCommand.ubx(0x06, 0x01, payload + [0, UInt8(accuracy), 0, 0, 0, 0])
    case (0x01, _):
      let (isAccepted, answer) = settled(Int(payload[2]))
      if isAccepted { accuracy = Int(payload[2]) }
      return answer
    default: return []
    }
  }

  var outcomes: [ReceiverStatus.Outcome] { setup.status.settings.map(\.outcome) }
}
