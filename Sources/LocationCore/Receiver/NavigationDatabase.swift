/// The name and the firmware of a receiver: what a database must agree in.
package struct ReceiverKey: Hashable, Sendable {
  /// Its number in hexadecimal digits; of a receiver that states none, the name of its line.
  package var id: String
  package var firmware: String
}

/// Satellites, clock and place of a u-blox receiver (UBX-MGA-DBD), and when read. Only the receiver itself can use it.
package struct NavigationDatabase: Hashable, Sendable {
  /// The age from which on it is useless.
  package static let validity = Duration.seconds(14 * 86_400)
  /// Most messages, and bytes, that a receiver's database may have.
  static let maximumCount = 1000
  static let maximumSize = 128 << 10

  package var receiver: ReceiverKey
  /// UTC by the receiver's own fixes.
  package var time: UTCInstant
  /// The kernel's boot, and the instant on its clock.
  package var boot: String
  package var instant: MonotonicInstant
  package var frames: [[UInt8]]

  package init(
    _ frames: [[UInt8]], of receiver: ReceiverKey, time: UTCInstant, boot: String, instant: MonotonicInstant
  ) {
    self.receiver = receiver
    self.time = time
    self.boot = boot
    self.instant = instant
    self.frames = frames
  }

  /// Why it is of no use to a receiver; `nil` if it can be sent. `age` is `nil` if it is not known.
  package func objection(of receiver: ReceiverKey, age: Duration?) -> String? {
    if self.receiver.id != receiver.id { return "it is of another receiver" }
    if self.receiver.firmware != receiver.firmware { return "the receiver's firmware was \(self.receiver.firmware)" }
    guard let age, age > Self.validity else { return nil }
    return "it is \(age.components.seconds / 86_400) days old"
  }

  // MARK: - Lines of text

  /// The receiver, its firmware, `UTC BOOT INSTANT`, a line of hexadecimal digits for each frame, and a checksum.
  package var lines: [String] {
    let stamp = "\(time.nanosecondsSince1970) \(boot) \(instant.nanoseconds)"
    let lines = [receiver.id, receiver.firmware, stamp] + frames.map { Hexadecimal.text($0) }
    return lines + [Self.checksum(lines[...])]
  }

  /// `nil` if a line is damaged or missing.
  package init?(lines: [some StringProtocol]) {
    let lines = lines.map { String($0) }
    guard lines.count >= 4, lines.count <= Self.maximumCount + 4, lines.last == Self.checksum(lines.dropLast()) else {
      return nil
    }
    let stamp = lines[2].split(separator: " ")
    guard stamp.count == 3, let time = Int64(stamp[0]), let instant = Int64(stamp[2]) else { return nil }
    let frames = lines[3...].dropLast().compactMap { Hexadecimal.bytes($0.utf8) }
      .filter { frame in frame.withUnsafeBytes { UBXFrame(whole: $0)?.code == 0x1380 } }
    guard frames.count == lines.count - 4 else { return nil }
    self.init(
      frames, of: ReceiverKey(id: lines[0], firmware: lines[1]), time: UTCInstant(nanosecondsSince1970: time),
      boot: String(stamp[1]), instant: MonotonicInstant(nanoseconds: instant))
  }

  /// FNV-1a of the lines.
  private static func checksum(_ lines: ArraySlice<String>) -> String {
    let sum = lines.reduce(0xCBF2_9CE4_8422_2325) { (sum: UInt64, line) in
      (line + "\n").utf8.reduce(sum) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
    return String(sum, radix: 16)
  }
}
