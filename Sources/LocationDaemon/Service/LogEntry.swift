import Logging

/// One thing to be logged, in the forms in which it is written.
struct LogEntry {
  /// What an entry may take up: a pipe takes that much whole or not at all.
  static let limit = 4096

  let level: Logger.Level
  let message: String
  /// In the order in which they are written.
  let fields: [(name: String, value: String)]

  /// The message with its fields, in one line: line ends that it quotes become blanks.
  var text: String {
    var line = message
    for (name, value) in fields { line += " \(name)=\(value)" }
    return line.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// A line for a person: the program and the level in front.
  var line: [UInt8] { Self.line("handlebard: \(level): ", text) }

  /// A line for the journal's stream: the priority in front (sd-daemon(3)).
  var streamLine: [UInt8] { Self.line("<\(priority)>", text) }

  /// A datagram in the journal's own protocol: each field is one of the entry's.
  var datagram: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ name: String, _ value: String) {
      bytes += name.utf8
      let value = value.utf8.prefix(Self.limit)
      if value.contains(UInt8(ascii: "\n")) {
        // A value with line ends goes with its length in front, 64 bits, little-endian.
        bytes.append(UInt8(ascii: "\n"))
        withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
      } else {
        bytes.append(UInt8(ascii: "="))
      }
      bytes += value
      bytes.append(UInt8(ascii: "\n"))
    }
    append("PRIORITY", "\(priority)")
    append("SYSLOG_IDENTIFIER", "handlebard")
    append("MESSAGE", text)
    for (name, value) in fields.prefix(16) where Self.isFieldName(name) { append(name, value) }
    return bytes
  }

  /// The number of syslog(3).
  private var priority: Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  private static func line(_ head: String, _ text: String) -> [UInt8] {
    Array((head + text).utf8.prefix(limit - 1)) + [UInt8(ascii: "\n")]
  }

  /// What the journal takes: upper-case letters, digits, underscores, none of these two in front.
  private static func isFieldName(_ name: String) -> Bool {
    guard let first = name.utf8.first, (1...64).contains(name.utf8.count) else { return false }
    let isCapital = { (byte: UInt8) in (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    return isCapital(first)
      && name.utf8.allSatisfy { byte in
        isCapital(byte) || byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }
}
