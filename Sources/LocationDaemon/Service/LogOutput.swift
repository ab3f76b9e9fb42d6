import Glibc
import Logging
import Synchronization
import SystemPackage

/// Destination of log entries: the journal, with fields, if standard error is connected to it; otherwise lines on
/// standard error.
///
/// It never blocks: an entry that is not accepted at once is dropped and counted, and the count is logged.
package final class LogOutput: Sendable {
  private static let journalPath = "/run/systemd/journal/socket"

  private let descriptor: FileDescriptor
  private let isJournal: Bool
  private let journal: DatagramSender?
  private let lost = Mutex(0)

  /// The output of this process.
  package convenience init(environment: [String: String]) {
    self.init(environment: environment, descriptor: STDERR_FILENO, journal: Self.journalPath)
  }

  /// An output with `descriptor` as standard error and `path` as the journal's socket.
  init(environment: [String: String], descriptor: Int32, journal path: String) {
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
      _ = put(Array("handlebard: \(message)\n".utf8))
    }
  }

  /// Returns whether the entry was accepted.
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

  /// Whether the descriptor is the journal's stream, which `JOURNAL_STREAM` identifies by device and inode
  /// (systemd.exec(5)).
  private static func isStream(_ name: String?, _ descriptor: FileDescriptor) -> Bool {
    guard let name, let status = try? descriptor.stat() else { return false }
    return name == "\(status.deviceID.rawValue):\(status.inode.rawValue)"
  }
}
