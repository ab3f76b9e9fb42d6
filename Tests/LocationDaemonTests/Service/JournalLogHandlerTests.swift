import Logging
import Testing

@testable import LocationDaemon

@Suite("The log handler")
struct JournalLogHandlerTests {
  private func event(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata? = nil) -> LogEvent {
    LogEvent(
      level: level, message: "\(message)", metadata: metadata, source: nil, file: #fileID, function: #function,
      line: #line)
  }

  private func handler(_ threshold: LogThreshold = LogThreshold(.trace)) -> JournalLogHandler {
    JournalLogHandler(threshold: threshold, output: LogOutput(environment: [:]))
  }

  @Test("fields come in the order of their names; the event's outweighs the logger's")
  func fields() {
    var handler = handler()
    handler[metadataKey: "Z"] = "1"
    handler[metadataKey: "A"] = "logger"
    let entry = handler.entry(for: event(.info, "m", ["M": "2", "A": "event"]))
    #expect(entry.text == "m A=event M=2 Z=1")
    #expect(handler[metadataKey: "Z"] == "1")
    handler[metadataKey: "Z"] = nil
    #expect(handler.entry(for: event(.info, "m")).text == "m A=logger")
  }

  @Test("another threshold holds at once for every logger there is")
  func threshold() {
    let threshold = LogThreshold(.info)
    let loggers = (0..<2).map { _ in Logger(label: "test") { _ in handler(threshold) } }
    #expect(loggers.allSatisfy { $0.logLevel == .info })
    threshold.level = .debug
    #expect(loggers.allSatisfy { $0.logLevel == .debug })
  }
}
