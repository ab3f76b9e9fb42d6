package enum ReceiverAid: String, Hashable, Sendable, CaseIterable {
  case time
  case position
  case database
  /// Orbits from files of the user's.
  case assistance
}

/// The messages that read the state of a u-blox receiver and send it what it lacks for a first fix. Sources:
/// u-blox M8 receiver description (UBX-13003221); interface descriptions of u-blox M9, M10 and F9.
enum AidingMessage {
  static let uniqueID = ReceiverCommand.ubx(0x27, 0x03)
  static let status = ReceiverCommand.ubx(0x01, 0x03)
  static let database = ReceiverCommand.ubx(0x13, 0x80)
  static let backupStatus = ReceiverCommand.ubx(0x09, 0x14)
  static let createBackup = ReceiverCommand.ubx(0x09, 0x14, [0, 0, 0, 0])
  static let clearBackup = ReceiverCommand.ubx(0x09, 0x14, [1, 0, 0, 0])
  /// Ends and begins the reception of satellites; the receiver keeps its data. Without an acknowledgement.
  static let stopReception = ReceiverCommand.ubx(0x06, 0x04, [0, 0, 8, 0])
  static let startReception = ReceiverCommand.ubx(0x06, 0x04, [0, 0, 9, 0])

  /// The first version of the protocol with MGA messages: u-blox 8.
  static let firstProtocol = 15

  /// MGA-INI-TIME_UTC, true on receipt.
  static func time(_ utc: UTCInstant, accuracy: Duration) -> [UInt8] {
    let (date, rest) = (utc.date, utc.nanosecondsOfDay)
    let seconds = Int(rest / 1_000_000_000)
    let error = max(accuracy.nanoseconds, 0)
    // Leap seconds: unknown.
    var payload: [UInt8] = [0x10, 0, 0, 0x80]
    payload += ReceiverCommand.littleEndian(date.year, 2)
    payload += [date.month, date.day, seconds / 3600, seconds / 60 % 60, seconds % 60, 0].map { UInt8($0 & 0xFF) }
    payload += ReceiverCommand.littleEndian(Int(rest % 1_000_000_000), 4)
    payload += ReceiverCommand.littleEndian(Int(min(error / 1_000_000_000, 0xFFFF)), 2) + [0, 0]
    payload += ReceiverCommand.littleEndian(Int(error % 1_000_000_000), 4)
    return ReceiverCommand.ubx(0x13, 0x40, payload)
  }

  /// MGA-INI-POS_LLH at sea level; `accuracy`, in metres, includes the height.
  static func position(_ place: Coordinate, accuracy: Double) -> [UInt8] {
    let degrees = [place.latitude, place.longitude].flatMap {
      ReceiverCommand.littleEndian(Int(($0 * 1e7).rounded()), 4)
    }
    let centimetres = Int(min(max(accuracy, 0) * 100, Double(UInt32.max)))
    return ReceiverCommand.ubx(
      0x13, 0x40, [0x01, 0, 0, 0] + degrees + [0, 0, 0, 0] + ReceiverCommand.littleEndian(centimetres, 4))
  }

  static func payload(of frame: [UInt8]) -> ArraySlice<UInt8> { frame.dropFirst(6).dropLast(2) }
}

/// An acknowledgement of an aiding message (UBX-MGA-ACK).
struct AidingAcknowledgement: Hashable {
  let isAccepted: Bool
  let messageID: UInt8
  /// The first bytes of the message; of a database that was sent, its number of messages.
  let start: [UInt8]

  init?(_ answer: ReceiverAnswer) {
    guard case .ubx(0x13, 0x60, let payload) = answer, payload.count >= 8, payload[0] <= 1 else { return nil }
    isAccepted = payload[0] == 1
    messageID = payload[3]
    start = Array(payload[4..<8])
  }

  var number: Int { ReceiverCommand.number(start, at: 0, 4) ?? 0 }

  func concerns(_ frame: [UInt8]) -> Bool {
    frame.count > 3 && frame[3] == messageID && AidingMessage.payload(of: frame).starts(with: start)
  }
}

/// The orbits of an assistance file. A time or place in it is that of its download, a database is one receiver's.
package struct AssistanceFile: Sendable {
  /// GPS, Galileo, BeiDou, QZSS, GLONASS.
  private static let orbits: Set<UInt8> = [0x00, 0x02, 0x03, 0x05, 0x06]
  private static let daily: UInt8 = 0x20
  /// Longest time for which the orbits of a moment are useful.
  private static let validity = Duration.seconds(86_400)

  private let frames: [[UInt8]]
  private let modified: UTCInstant
  /// Number of bytes outside of whole messages.
  package let damaged: Int
  package let others: Int

  package init(_ bytes: [UInt8], modified: UTCInstant) {
    var (frames, damaged, others, at) = ([[UInt8]](), 0, 0, 0)
    bytes.withUnsafeBufferPointer { bytes in
      while at < bytes.count {
        guard bytes[at] == 0xB5, case .complete(let length) = BinaryFrame.scan(bytes, at: at) else {
          damaged += 1
          at += 1
          continue
        }
        let isOrbit = length >= 12 && bytes[at + 2] == 0x13
        if isOrbit, Self.orbits.contains(bytes[at + 3]) || bytes[at + 3] == Self.daily && length >= 15 {
          frames.append(Array(bytes[at..<at + length]))
        } else {
          others += 1
        }
        at += length
      }
    }
    (self.frames, self.modified, self.damaged, self.others) = (frames, modified, damaged, others)
  }

  package var isEmpty: Bool { frames.isEmpty }

  /// The messages for a moment: of orbits for many days those of its day, others if the file is of the day before it.
  package func messages(at utc: UTCInstant) -> [[UInt8]] {
    let today = utc.date
    let age = utc - modified
    return frames.filter { frame in
      guard frame[3] == Self.daily else { return age < Self.validity && age > .zero - Self.validity }
      let (year, month, day) = (2000 + Int(frame[10]), Int(frame[11]), Int(frame[12]))
      return CalendarDate(year: year, month: month, day: day) == today
    }
  }
}
