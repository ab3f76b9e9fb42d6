import Logging

/// Writes log events where `LogOutput` says.
package struct JournalLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:]
  private let threshold: LogThreshold
  private let output: LogOutput

  /// A handler for this process.
  package init(threshold: LogThreshold, output: LogOutput) {
    self.threshold = threshold
    self.output = output
  }

  /// The process's, whatever the logger: a reload changes all of them.
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

  /// What an event says; its metadata outweighs the logger's.
  func entry(for event: LogEvent) -> LogEntry {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    return LogEntry(
      level: event.level, message: "\(event.message)",
      fields: all.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") })
  }
}
