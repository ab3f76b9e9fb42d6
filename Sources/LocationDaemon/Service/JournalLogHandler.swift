import Glibc
import Logging

/// Writes log lines to standard error: with the priority prefix that the journal reads (sd-daemon(3)) when the
/// journal listens, with the level's name otherwise.
package struct JournalLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:]
  package var logLevel: Logger.Level
  private let prefixesPriority: Bool

  /// A handler for this process.
  package init(level: Logger.Level, environment: [String: String]) {
    logLevel = level
    prefixesPriority = environment["JOURNAL_STREAM"] != nil
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let bytes = Array(line(for: event).utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// The whole line of an event. The journal makes an entry of each line, so an event has only one: line ends that
  /// it quotes become blanks.
  func line(for event: LogEvent) -> String {
    var line = prefixesPriority ? "<\(Self.priority(of: event.level))>" : "handlebard: \(event.level): "
    line += "\(event.message)"
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
    return line.split(whereSeparator: \.isNewline).joined(separator: " ") + "\n"
  }

  private static func priority(of level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
