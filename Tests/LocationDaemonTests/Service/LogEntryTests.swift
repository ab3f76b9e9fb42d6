import Logging
import Testing

@testable import LocationDaemon

@Suite("Log entries")
struct LogEntryTests {
  private func entry(
    _ level: Logger.Level, _ message: String, _ fields: [(String, String)] = []
  ) -> LogEntry {
    LogEntry(level: level, message: message, fields: fields.map { (name: $0.0, value: $0.1) })
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test(
    arguments: [(.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2)]
      as [(Logger.Level, Int)]
  )
  func `The journal's priority is that of sd-daemon(3)`(level: Logger.Level, priority: Int) {
    #expect(text(entry(level, "ready").streamLine) == "<\(priority)>ready\n")
    #expect(text(entry(level, "ready").datagram).hasPrefix("PRIORITY=\(priority)\n"))
  }

  @Test func `A line for a terminal starts with program and level`() {
    #expect(text(entry(.warning, "careful").line) == "handlebard: warning: careful\n")
  }

  @Test func `An entry is one line, whatever it quotes`() {
    let quoting = entry(.info, "a\nb\r\nc", [("DEVICE", "/dev/x\n<0>panic")])
    #expect(text(quoting.streamLine) == "<6>a b c DEVICE=/dev/x <0>panic\n")
  }

  @Test func `What a peer has sent steers no terminal`() {
    let quoting = entry(.info, "\u{1B}[31mred\u{202E}", [("LINE", "\u{9B}2J\u{2028}é")])
    #expect(text(quoting.line) == "handlebard: info: ?[31mred? LINE=?2J é\n")
  }

  @Test func `The journal's native protocol has each field separately`() {
    let bytes = entry(.notice, "client disconnected", [("CLIENT_PID", "812"), ("REASON", "read nothing")]).datagram
    #expect(
      text(bytes) == """
        PRIORITY=5
        SYSLOG_IDENTIFIER=handlebard
        MESSAGE=client disconnected CLIENT_PID=812 REASON=read nothing
        CLIENT_PID=812
        REASON=read nothing

        """)
  }

  @Test func `A value with line breaks cannot inject a field`() {
    let bytes = entry(.info, "m", [("DEVICE", "x\nPRIORITY=0")]).datagram
    let expected =
      Array("PRIORITY=6\nSYSLOG_IDENTIFIER=handlebard\nMESSAGE=m DEVICE=x PRIORITY=0\nDEVICE\n".utf8)
      + [12, 0, 0, 0, 0, 0, 0, 0] + Array("x\nPRIORITY=0\n".utf8)
    #expect(bytes == expected)
  }

  @Test func `The size of an entry is bounded`() {
    let long = entry(
      .info, String(repeating: "m", count: 100_000), [("DEVICE", String(repeating: "d", count: 100_000))])
    #expect(long.line.count == 4096)
    #expect(long.line.last == UInt8(ascii: "\n"))
    #expect(long.streamLine.count == 4096)
    #expect(long.datagram.count < 9000)
  }
}

@Suite("Log handler")
struct JournalLogHandlerTests {
  private func event(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata? = nil) -> LogEvent {
    LogEvent(
      level: level, message: "\(message)", metadata: metadata, source: nil, file: #fileID, function: #function,
      line: #line)
  }

  private func handler(_ threshold: LogThreshold = LogThreshold(.trace)) -> JournalLogHandler {
    JournalLogHandler(threshold: threshold, output: LogOutput(environment: [:]))
  }

  @Test func `Fields are sorted by name, and those of the event override the logger's`() {
    var handler = handler()
    handler[metadataKey: "Z"] = "1"
    handler[metadataKey: "A"] = "logger"
    let entry = handler.entry(for: event(.info, "m", ["M": "2", "A": "event"]))
    #expect(entry.text == "m A=event M=2 Z=1")
    #expect(handler[metadataKey: "Z"] == "1")
    handler[metadataKey: "Z"] = nil
    #expect(handler.entry(for: event(.info, "m")).text == "m A=logger")
  }

  @Test func `A new threshold applies to all loggers at once`() {
    let threshold = LogThreshold(.info)
    let loggers = (0..<2).map { _ in Logger(label: "test") { _ in handler(threshold) } }
    #expect(loggers.allSatisfy { $0.logLevel == .info })
    threshold.level = .debug
    #expect(loggers.allSatisfy { $0.logLevel == .debug })
  }
}
