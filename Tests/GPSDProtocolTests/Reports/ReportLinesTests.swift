import GPSDProtocol
import Testing

@Suite struct ReportLinesTests {
  private func lines(_ chunks: [[UInt8]]) -> [Result<String, ReportError>] {
    var parser = ReportLines()
    var result: [Result<String, ReportError>] = []
    for chunk in chunks {
      var index = 0
      while true {
        do throws(ReportError) {
          guard let line = try parser.nextLine(in: chunk.span, from: &index) else { break }
          result.append(.success(String(decoding: line, as: UTF8.self)))
        } catch {
          result.append(.failure(error))
        }
      }
    }
    return result
  }

  @Test("Lines are the same at every split")
  func splitLines() {
    let bytes = Array("{\"a\":1}\r\n\r\n{\"b\":2}\n{\"c\":3}\r\n{\"d\"".utf8)
    let expected: [Result<String, ReportError>] = [.success("{\"a\":1}"), .success("{\"b\":2}"), .success("{\"c\":3}")]
    for split in 0...bytes.count {
      #expect(lines([Array(bytes[..<split]), Array(bytes[split...])]) == expected)
    }
    #expect(lines(bytes.map { [$0] }) == expected)
  }

  @Test("An overlong line is one error and is skipped")
  func overlongLine() {
    let long = [UInt8](repeating: 0x61, count: ReportLines.maximumLength + 1)
    let most = [UInt8](repeating: 0x62, count: ReportLines.maximumLength)
    let result = lines([long, long, Array("\nx\n".utf8), most, Array("\n".utf8)])
    #expect(result == [.failure(.tooLong), .success("x"), .success(String(decoding: most, as: UTF8.self))])
  }
}
