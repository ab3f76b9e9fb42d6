import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Reading the code of an epoch ahead")
struct EpochCodeTests {
  private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
  }

  /// How much of `bytes` is read ahead, and what reading it at those instants comes to.
  private func read(_ bytes: [UInt8], _ instants: Int64...) -> (count: Int, sum: UInt8) {
    bytes.withUnsafeBytes { buffer in
      guard let begin = buffer.baseAddress else { return (0, 0) }
      var code = EpochCode(from: begin, to: begin + buffer.count)
      for instant in instants { code.willRun(at: at(instant)) }
      return (code.count, code.sum)
    }
  }

  /// As little as can have been put together, and a few bytes. What must not be read would be seen.
  private var lines: [UInt8] {
    var bytes = [UInt8](repeating: 0x10, count: EpochCode.sizes.lowerBound + 5)
    for line in stride(from: 0, to: bytes.count, by: EpochCode.cacheLine) { bytes[line] = 0 }
    return bytes
  }

  @Test("the first byte, one of each line and the last", arguments: [0, 64, 2048, 4096, 4100])
  func everyLine(place: Int) {
    var bytes = lines
    bytes[bytes.count - 1] = 0
    #expect(read(bytes, 0).sum == 0)
    bytes[place] = 7
    #expect(read(bytes, 0) == (bytes.count, 7))
  }

  @Test("within a burst it is there already; behind a silence it is read again")
  func silence() {
    #expect(read(lines, 0, 5, 24).sum == 0x10)
    #expect(read(lines, 0, 5, 25).sum == 0x20)
    #expect(read(lines, 0, 100, 200, 201).sum == 0x30)
  }

  @Test("what the linker has not put together is let alone", arguments: [0, 16, 4095, (256 << 10) + 1])
  func notTogether(count: Int) {
    #expect(read([UInt8](repeating: 1, count: count), 0) == (0, 0))
  }

  @Test("markers the other way round mark nothing")
  func otherWayRound() {
    lines.withUnsafeBytes { buffer in
      guard let begin = buffer.baseAddress else { return }
      #expect(EpochCode(from: begin + buffer.count, to: begin).count == 0)
    }
  }

  @Test("the markers of this program are two, and what they say of it can be read")
  func ownProgram() {
    #expect(epochCodeBegin() != epochCodeEnd())
    var code = EpochCode()
    #expect(code.count == 0 || EpochCode.sizes.contains(code.count))
    code.willRun(at: at(0))
  }
}
