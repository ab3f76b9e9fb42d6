import Testing

@testable import LocationCore

/// A u-blox 8 or later in virtual time that can be helped to its first fix, and can be asked for its database.
struct AidedReceiver {
  enum Trouble: CaseIterable {
    case silent, refusesAcknowledgements, acknowledgesNothing, losesEveryThird, refusesMessages, garbles,
      acknowledgesOthers
  }

  static let identity = ReceiverIdentity(
    family: .ublox, model: "NEO-M8N", firmware: "SPG 3.01", protocolVersion: "18.00")
  static let key = ReceiverKey(id: "0102030405", firmware: "NEO-M8N SPG 3.01 18.00")

  var trouble: Trouble?
  var hasNumber = true
  var hasFix = false
  /// Milliseconds since it was switched on.
  var running = 5000
  /// UPD-SOS: 2 restored, 3 no backup; `nil` if it has no flash memory.
  var backup: UInt8?
  /// What it sends as its database, and the number of messages that it states.
  var database: [[UInt8]] = []
  var stated: Int?
  private(set) var commands: [[UInt8]] = []
  /// Whether its set-up has switched on the acknowledgements of MGA messages.
  var acknowledges: Bool { trouble != .refusesAcknowledgements }
  /// The MGA messages that it has used.
  private(set) var used: [[UInt8]] = []
  var isReceiving = true
  private var count = 0
  /// The most bytes that were on their way at once.
  private(set) var mostBytes = 0

  /// A database message with 12 reserved bytes.
  static func entry(_ number: Int, size: Int = 60) -> [UInt8] {
    ReceiverCommand.ubx(0x13, 0x80, [UInt8](repeating: 0, count: 12) + (0..<size).map { UInt8(($0 + number) & 0xFF) })
  }

  /// Takes what was written at once; returns the answers.
  mutating func answer(_ frames: [[UInt8]]) -> [UInt8] {
    mostBytes = max(mostBytes, frames.reduce(0) { $0 + $1.count })
    let answers = frames.flatMap { answer($0) }
    return trouble == .garbles ? [0xB5, 0x62, 0x13, 0xFF, 0x03] + answers : answers
  }

  private mutating func answer(_ frame: [UInt8]) -> [UInt8] {
    commands.append(frame)
    if trouble == .silent { return [] }
    let payload = Array(AidingMessage.payload(of: frame))
    switch (frame[2], frame[3]) {
    case (0x27, 0x03):
      return hasNumber ? ReceiverCommand.ubx(0x27, 0x03, [1, 0, 0, 0, 1, 2, 3, 4, 5]) : acknowledge(frame, false)
    case (0x01, 0x03):
      let flags: UInt8 = hasFix ? 1 : 0
      return ReceiverCommand.ubx(
        0x01, 0x03, [0, 0, 0, 0, 3, flags, 0, 0, 0, 0, 0, 0] + ReceiverCommand.littleEndian(running, 4))
    case (0x09, 0x14) where payload.isEmpty:
      return backup.map { ReceiverCommand.ubx(0x09, 0x14, [3, 0, 0, 0, $0, 0, 0, 0]) } ?? acknowledge(frame, false)
    case (0x09, 0x14):
      if payload[0] == 0 { #expect(!isReceiving, "the backup is made at rest") }
      backup = payload[0] == 0 ? 2 : 3
      return ReceiverCommand.ubx(0x09, 0x14, [2, 0, 0, 0, 1, 0, 0, 0])
    case (0x06, 0x04):
      isReceiving = payload[2] == 9
      return []
    case (0x13, 0x80) where payload.isEmpty:
      return database.flatMap { $0 }
        + (acknowledges ? Self.acknowledgement(0x80, ReceiverCommand.littleEndian(stated ?? database.count, 4)) : [])
    case (0x13, let id):
      count += 1
      if trouble == .losesEveryThird, count.isMultiple(of: 3) { return [] }
      let isUsed = trouble != .refusesMessages
      if isUsed { used.append(frame) }
      if trouble == .acknowledgesNothing || !acknowledges { return [] }
      let start = trouble == .acknowledgesOthers ? [9, 9, 9, 9] : Array(payload.prefix(4))
      return Self.acknowledgement(id, start, isAccepted: isUsed)
    default: return []
    }
  }

  static func acknowledgement(_ id: UInt8, _ start: [UInt8], isAccepted: Bool = true) -> [UInt8] {
    ReceiverCommand.ubx(0x13, 0x60, [isAccepted ? 1 : 0, 0, isAccepted ? 0 : 5, id] + start)
  }

  private func acknowledge(_ frame: [UInt8], _ isAccepted: Bool) -> [UInt8] {
    ReceiverCommand.ubx(0x05, isAccepted ? 1 : 0, [frame[2], frame[3]])
  }
}
