import NIOCore
import Testing

@testable import LocationDaemon

@Suite("Line framing")
struct LineFramerTests {
  private func lines(_ pieces: [String], limit: Int = 64) -> (lines: [String], overlong: UInt64) {
    var framer = LineFramer(limit: limit)
    var lines: [String] = []
    for piece in pieces {
      framer.take(ByteBuffer(string: piece)) { lines.append(String(decoding: $0, as: UTF8.self)) }
    }
    return (lines, framer.overlong)
  }

  @Test func `Every split gives the same lines`() {
    let text = "{\"a\":1}\r\n\r\n{\"b\":2}\n{\"c\":3}\r\n"
    for cut in 0...text.count {
      let (lines, overlong) = lines([String(text.prefix(cut)), String(text.dropFirst(cut))])
      #expect(lines == ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"])
      #expect(overlong == 0)
    }
  }

  @Test func `An overlong line is dropped and counted`() {
    let long = String(repeating: "x", count: 20_000)
    let (lines, overlong) = lines(["a\n", long, long, "\nb\n"])
    #expect(lines == ["a", "b"])
    #expect(overlong == 1)
  }

  @Test func `A reset drops an incomplete line`() {
    var framer = LineFramer(limit: 64)
    var lines: [String] = []
    framer.take(ByteBuffer(string: "half a li")) { lines.append(String(decoding: $0, as: UTF8.self)) }
    framer.reset()
    framer.take(ByteBuffer(string: "whole\n")) { lines.append(String(decoding: $0, as: UTF8.self)) }
    #expect(lines == ["whole"])
  }
}
