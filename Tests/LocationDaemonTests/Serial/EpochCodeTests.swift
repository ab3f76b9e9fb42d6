import LocationCore
import Testing

@testable import LocationDaemon

@Suite("Reading the code of an epoch ahead")
struct EpochCodeTests {
  private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
  }

  /// What reading `bytes` ahead at those instants comes to.
  private func sum(_ bytes: [UInt8], _ instants: Int64...) -> UInt8 {
    bytes.withUnsafeBytes { buffer in
      guard let begin = buffer.baseAddress else { return 0 }
      var code = EpochCode(from: begin, to: begin + buffer.count)
      for instant in instants { code.willRun(at: at(instant)) }
      return code.sum
    }
  }

  /// A byte of its own in each cache line, the last of them not whole.
  private let lines: [UInt8] = (0..<200).map { $0.isMultiple(of: 64) ? 1 << ($0 / 64) : 0x10 }

  @Test("one byte of each line is read, the first and the last too")
  func everyLine() {
    #expect(sum(lines, 0) == 0b1111)
  }

  @Test("within a burst it is there already; behind a silence it is read again")
  func silence() {
    #expect(sum(lines, 0, 5, 24) == 0b1111)
    #expect(sum(lines, 0, 5, 25) == 2 * 0b1111)
    #expect(sum(lines, 0, 100, 200, 201) == 3 * 0b1111)
  }

  @Test("what the linker has not put together is let alone")
  func notTogether() {
    let large = [UInt8](repeating: 1, count: 300 << 10)
    #expect(sum(large, 0) == 0)
    large.withUnsafeBytes { buffer in
      guard let begin = buffer.baseAddress else { return }
      for end in [begin, begin - 64] {
        var code = EpochCode(from: begin, to: end)
        code.willRun(at: at(0))
        #expect(code.sum == 0)
      }
    }
  }

  @Test("the code of a program that was built in any order can be read")
  func ownProgram() {
    var code = EpochCode()
    code.willRun(at: at(0))
    code.willRun(at: at(100))
    #expect(epochCodeBegin() != epochCodeEnd())
  }
}
