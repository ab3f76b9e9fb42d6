import Glibc
import Libc
import Logging
import Synchronization
import SystemPackage

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

  package func log(event: LogEvent) { output.write(entry(for: event)) }

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

  package init(_ level: Logger.Level) { value = Mutex(level) }

  package var level: Logger.Level {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

struct LogEntry {
  /// Maximum size in bytes, which a pipe takes whole or not at all (PIPE_BUF).
  static let limit = 4096

  let level: Logger.Level
  let message: String
  /// The names are as the journal accepts them: upper-case letters, digits and underscores, a letter first.
  let fields: [(name: String, value: String)]

  /// The message and its fields on one line; line breaks become spaces, and what a peer has sent steers no terminal.
  var text: String {
    var line = message
    for (name, value) in fields { line += " \(name)=\(value)" }
    return line.split(whereSeparator: \.isNewline).joined(separator: " ").printable
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
    for (name, value) in fields { append(name, value) }
    return bytes
  }

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
}

/// Destination of log entries: the journal, with fields, if standard error is connected to it; else standard error. It
/// never blocks: an entry that is not accepted at once is dropped and counted, and the count is logged.
package final class LogOutput: Sendable {
  private let descriptor: FileDescriptor
  private let isJournal: Bool
  private let journal: DatagramSender?
  private let lost = Mutex(0)

  /// An output with `descriptor` as standard error and `path` as the journal's socket.
  package init(
    environment: [String: String], descriptor: Int32 = STDERR_FILENO,
    journal path: String = "/run/systemd/journal/socket"
  ) {
    self.descriptor = FileDescriptor(rawValue: descriptor)
    isJournal = Self.isStream(environment["JOURNAL_STREAM"], self.descriptor)
    // The socket stays open as long as the process.
    journal = isJournal ? UnixAddress(path).flatMap { DatagramSender(to: $0) } : nil
  }

  /// Writes an entry, preceded by the number of entries lost before it.
  func write(_ entry: LogEntry) {
    lost.withLock { lost in
      if lost > 0 {
        let notice = LogEntry(
          level: .warning, message: "\(lost) log entries were lost: the reader was too slow",
          fields: [("REASON", "log")])
        if put(notice) { lost = 0 }
      }
      if !put(entry) { lost += 1 }
    }
  }

  /// Writes why the program ends: a critical entry in the journal, a bare line elsewhere.
  package func writeFatal(_ message: String) {
    if isJournal {
      write(LogEntry(level: .critical, message: message, fields: []))
    } else {
      _ = put(Array("handlebard: \(message.printable)\n".utf8))
    }
  }

  private func put(_ entry: LogEntry) -> Bool {
    guard isJournal else { return put(entry.line) }
    guard let journal else { return put(entry.streamLine) }
    do throws(Errno) {
      try journal.send(entry.datagram)
      return true
    } catch .resourceTemporarilyUnavailable, .noBufferSpace {
      return false
    } catch {
      // The journal is not listening.
      return put(entry.streamLine)
    }
  }

  private func put(_ line: [UInt8]) -> Bool {
    let number = descriptor.rawValue
    if send(number, line, line.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) >= 0 { return true }
    guard errno == ENOTSOCK else { return false }
    // A writable pipe has room for a whole line. Its flags are shared with other processes and stay as they are.
    var target = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    guard poll(&target, 1, 0) == 1, target.revents & Int16(POLLOUT) != 0 else { return false }
    return Glibc.write(number, line, line.count) >= 0
  }

  /// Whether the descriptor is the journal's stream, which has the device and inode of that name (systemd.exec(5)).
  private static func isStream(_ name: String?, _ descriptor: FileDescriptor) -> Bool {
    guard let name, let status = try? descriptor.stat() else { return false }
    return name == "\(status.deviceID.rawValue):\(status.inode.rawValue)"
  }
}
