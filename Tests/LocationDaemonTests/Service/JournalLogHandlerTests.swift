import Logging
import Testing

@testable import LocationDaemon

@Suite("Log lines")
struct JournalLogHandlerTests {
  private func event(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata? = nil) -> LogEvent {
    LogEvent(
      level: level, message: "\(message)", metadata: metadata, source: nil, file: #fileID, function: #function,
      line: #line)
  }

  private static let journal = ["JOURNAL_STREAM": "8:12345"]

  @Test(
    "the journal gets the priority of sd-daemon(3)",
    arguments: [(.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2)]
      as [(Logger.Level, Int)])
  func priorities(level: Logger.Level, priority: Int) {
    let handler = JournalLogHandler(level: .trace, environment: Self.journal)
    #expect(handler.line(for: event(level, "ready")) == "<\(priority)>ready\n")
  }

  @Test("a terminal gets the program and the level")
  func terminal() {
    let handler = JournalLogHandler(level: .info, environment: [:])
    #expect(handler.line(for: event(.warning, "careful")) == "handlebard: warning: careful\n")
  }

  @Test("metadata follows in the order of its keys; the event's outweighs the logger's")
  func metadata() {
    var handler = JournalLogHandler(level: .info, environment: Self.journal)
    handler[metadataKey: "Z"] = "1"
    handler[metadataKey: "A"] = "logger"
    #expect(handler.line(for: event(.info, "m", ["M": "2", "A": "event"])) == "<6>m A=event M=2 Z=1\n")
    #expect(handler[metadataKey: "Z"] == "1")
    handler[metadataKey: "Z"] = nil
    #expect(handler.line(for: event(.info, "m")) == "<6>m A=logger\n")
  }

  @Test("one event is one line, whatever it quotes")
  func oneLine() {
    let handler = JournalLogHandler(level: .info, environment: Self.journal)
    let line = handler.line(for: event(.info, "a\nb\r\nc", ["DEVICE": "/dev/x\n<0>panic"]))
    #expect(line == "<6>a b c DEVICE=/dev/x <0>panic\n")
  }
}
