import Logging
import Synchronization

/// A log handler that writes to a `LogOutput`.
package struct JournalLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:]
  private let threshold: LogThreshold
  private let output: LogOutput

  package init(threshold: LogThreshold, output: LogOutput) {
    self.threshold = threshold
    self.output = output
  }

  /// The level of the process: a reload changes it for all loggers.
  package var logLevel: Logger.Level {
    get { threshold.level }
    set { threshold.level = newValue }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    output.write(entry(for: event))
  }

  /// The entry for an event, whose metadata overrides the logger's.
  func entry(for event: LogEvent) -> LogEntry {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    return LogEntry(
      level: event.level, message: "\(event.message)",
      fields: all.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") })
  }
}

/// The lowest level that is logged. It can change while loggers are in use.
package final class LogThreshold: Sendable {
  private let value: Mutex<Logger.Level>

  package init(_ level: Logger.Level) {
    value = Mutex(level)
  }

  package var level: Logger.Level {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

/// A log entry with its encodings.
struct LogEntry {
  /// Maximum size in bytes, which a pipe takes whole or not at all (PIPE_BUF).
  static let limit = 4096

  let level: Logger.Level
  let message: String
  let fields: [(name: String, value: String)]

  /// The message and its fields on one line; line breaks become spaces.
  var text: String {
    var line = message
    for (name, value) in fields { line += " \(name)=\(value)" }
    return line.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// A line for a terminal, prefixed with program and level.
  var line: [UInt8] { Self.line("handlebard: \(level): ", text) }

  /// A line for the journal's stream, prefixed with the priority (sd-daemon(3)).
  var streamLine: [UInt8] { Self.line("<\(priority)>", text) }

  /// A datagram in the journal's native protocol, with each field separate.
  var datagram: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ name: String, _ value: String) {
      bytes += name.utf8
      let value = value.utf8.prefix(Self.limit)
      if value.contains(UInt8(ascii: "\n")) {
        // A value with line breaks is preceded by its length: 64 bits, little-endian.
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

  /// The priority of syslog(3).
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

  private static func line(_ prefix: String, _ text: String) -> [UInt8] {
    Array((prefix + text).utf8.prefix(limit - 1)) + [UInt8(ascii: "\n")]
  }

  /// Whether the journal accepts a field name: upper-case letters, digits and underscores, a letter first.
  private static func isFieldName(_ name: String) -> Bool {
    guard let first = name.utf8.first, (1...64).contains(name.utf8.count) else { return false }
    let isCapital = { (byte: UInt8) in (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    return isCapital(first)
      && name.utf8.allSatisfy { byte in
        isCapital(byte) || byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }
}
