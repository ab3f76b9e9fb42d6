import Glibc
import Libc
import Testing

@testable import LocationDaemon

@Suite("Log output", .timeLimit(.minutes(5)))
struct LogOutputTests {
  private static let noJournal = "/nowhere/journal"

  private func entry(_ message: String) -> LogEntry {
    LogEntry(level: .info, message: message, fields: [(name: "SOURCE", value: "serial")])
  }

  private func text(from descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  private func withPipe(_ body: (_ reading: Int32, _ writing: Int32) throws -> Void) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
    defer { for end in ends { close(end) } }
    try body(ends[0], ends[1])
  }

  /// The journal's stream for standard error, and its socket.
  private func withJournal(
    _ body: (_ stream: [Int32], _ identity: String, _ path: String, _ socket: Int32) throws -> Void
  )
    throws
  {
    let directory = try ScratchDirectory()
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw SystemFailure("socketpair") }
    defer { for end in ends { close(end) } }
    var status = stat()
    fstat(ends[0], &status)
    let address = try #require(UnixAddress(directory / "socket"))
    let journal = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(journal) }
    #expect(address.withSocketAddress { bind(journal, $0, $1) } == 0)
    _ = fcntl(journal, F_SETFL, O_NONBLOCK)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    try body(ends, "\(status.st_dev):\(status.st_ino)", directory / "socket", journal)
  }

  @Test func `Without a journal entries are lines`() throws {
    try withPipe { reading, writing in
      LogOutput(environment: [:], descriptor: writing, journal: Self.noJournal).write(entry("ready"))
      #expect(text(from: reading) == "handlebard: info: ready SOURCE=serial\n")
    }
  }

  @Test func `A redirected standard error is not the journal`() throws {
    try withJournal { _, identity, path, journal in
      try withPipe { reading, writing in
        let output = LogOutput(environment: ["JOURNAL_STREAM": identity], descriptor: writing, journal: path)
        output.write(entry("ready"))
        #expect(text(from: reading) == "handlebard: info: ready SOURCE=serial\n")
        #expect(text(from: journal) == "")
      }
    }
  }

  @Test func `The journal receives fields`() throws {
    try withJournal { stream, identity, path, journal in
      LogOutput(environment: ["JOURNAL_STREAM": identity], descriptor: stream[0], journal: path).write(entry("ready"))
      #expect(
        text(from: journal)
          == "PRIORITY=6\nSYSLOG_IDENTIFIER=handlebard\nMESSAGE=ready SOURCE=serial\nSOURCE=serial\n")
      #expect(text(from: stream[1]) == "")
    }
  }

  @Test func `A fatal error is a critical entry in the journal and a bare line elsewhere`() throws {
    try withJournal { stream, identity, path, journal in
      LogOutput(environment: ["JOURNAL_STREAM": identity], descriptor: stream[0], journal: path).writeFatal("f:1: x")
      #expect(text(from: journal) == "PRIORITY=2\nSYSLOG_IDENTIFIER=handlebard\nMESSAGE=f:1: x\n")
    }
    try withPipe { reading, writing in
      LogOutput(environment: [:], descriptor: writing, journal: Self.noJournal).writeFatal("f:1: x")
      #expect(text(from: reading) == "handlebard: f:1: x\n")
    }
  }

  @Test func `Without its socket the journal receives lines with priorities`() throws {
    try withJournal { stream, identity, _, _ in
      LogOutput(environment: ["JOURNAL_STREAM": identity], descriptor: stream[0], journal: Self.noJournal).write(
        entry("ready"))
      #expect(text(from: stream[1]) == "<6>ready SOURCE=serial\n")
    }
  }

  @Test func `A slow journal does not block, and receives the number of lost entries`() throws {
    try withJournal { stream, identity, path, journal in
      let output = LogOutput(environment: ["JOURNAL_STREAM": identity], descriptor: stream[0], journal: path)
      for number in 0..<10_000 { output.write(entry("entry \(number)")) }
      var taken = 0
      while !text(from: journal).isEmpty { taken += 1 }
      #expect(taken < 10_000)
      output.write(entry("after"))
      #expect(text(from: journal).contains("MESSAGE=\(10_000 - taken) log entries were lost"))
      #expect(text(from: journal).contains("MESSAGE=after"))
    }
  }

  @Test func `A full pipe does not block, and receives the number of lost entries`() throws {
    try withPipe { reading, writing in
      let output = LogOutput(environment: [:], descriptor: writing, journal: Self.noJournal)
      for number in 0..<10_000 { output.write(entry("entry \(number)")) }
      let lines = text(from: reading).split(separator: "\n")
      #expect(lines.count < 10_000)
      #expect(lines.allSatisfy { $0.hasSuffix("SOURCE=serial") })
      output.write(entry("after"))
      let rest = text(from: reading).split(separator: "\n")
      #expect(rest.first?.contains("\(10_000 - lines.count) log entries were lost") == true)
      #expect(rest.last == "handlebard: info: after SOURCE=serial")
    }
  }
}
