import Glibc
import Logging
import Synchronization

/// Where log entries go: into the journal with their fields when standard error is the journal, as lines to standard
/// error otherwise.
///
/// Nothing here waits: what is not taken at once is dropped, and counted, and the loss is told.
package final class LogOutput: Sendable {
  private static let journalPath = "/run/systemd/journal/socket"

  private let descriptor: Int32
  private let isJournal: Bool
  private let journal: JournalSocket?
  private let lost = Mutex(0)

  /// The output of this process.
  package convenience init(environment: [String: String]) {
    self.init(environment: environment, descriptor: STDERR_FILENO, journal: Self.journalPath)
  }

  /// `descriptor` stands for standard error, `path` for the journal's socket.
  init(environment: [String: String], descriptor: Int32, journal path: String) {
    self.descriptor = descriptor
    isJournal = Self.isStream(environment["JOURNAL_STREAM"], descriptor)
    journal = isJournal ? JournalSocket(path: path) : nil
  }

  /// Writes an entry, after word of those that were lost before it.
  func write(_ entry: LogEntry) {
    lost.withLock { lost in
      if lost > 0 {
        let word = LogEntry(
          level: .warning, message: "\(lost) log entries are lost: they were not taken in time",
          fields: [("REASON", "log")])
        if put(word) { lost = 0 }
      }
      if !put(entry) { lost += 1 }
    }
  }

  /// Says why the program ends, in one line: an error for the journal, the bare cause for a person.
  package func complain(_ message: String) {
    if isJournal {
      write(LogEntry(level: .critical, message: message, fields: []))
    } else {
      _ = put(Array("handlebard: \(message)\n".utf8))
    }
  }

  /// Whether it was taken.
  private func put(_ entry: LogEntry) -> Bool {
    guard isJournal else { return put(entry.line) }
    switch journal?.send(entry.datagram) {
    case .taken?: return true
    case .full?: return false
    case .gone?, nil: return put(entry.streamLine)
    }
  }

  private func put(_ line: [UInt8]) -> Bool {
    let sent = send(descriptor, line, line.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    if sent >= 0 { return true }
    guard errno == ENOTSOCK else { return false }
    // A pipe with room has it for a whole line. (Its flags are not ours to change: others write there as well.)
    var target = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&target, 1, 0) == 1, target.revents & Int16(POLLOUT) != 0 else { return false }
    return Glibc.write(descriptor, line, line.count) >= 0
  }

  /// Whether the descriptor is the stream that the journal made: its device and inode are told (systemd.exec(5)).
  private static func isStream(_ told: String?, _ descriptor: Int32) -> Bool {
    var status = stat()
    guard let told, fstat(descriptor, &status) == 0 else { return false }
    return told == "\(status.st_dev):\(status.st_ino)"
  }
}
