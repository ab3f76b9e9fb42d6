import GPSDProtocol
import Testing

@Suite("First lines of other protocols")
struct ForeignProtocolTests {
  private static let body = "Host: a\r\n\r\n?RECORD={\"enable\":false};\n?VERSION;\n"

  /// The opening of a connection, and the protocol it belongs to.
  static let openings: [(bytes: [UInt8], name: String)] =
    ["GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH", "CONNECT", "TRACE"].map { method in
      (Array("\(method) /?VERSION; HTTP/1.1\r\n\(body)".utf8), "HTTP")
    } + [
      (Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\(body)".utf8), "HTTP"),
      (Array("\r\nPOST / HTTP/1.1\r\n\(body)".utf8), "HTTP"),
      (Array("SSH-2.0-OpenSSH_9.2p1\r\n\(body)".utf8), "SSH"),
      ([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03] + Array("\n\(body)".utf8), "TLS"),
    ]

  @Test(arguments: openings.indices)
  func `Each is one error, and nothing behind it is a request, wherever it is split`(index: Int) throws {
    let (bytes, name) = Self.openings[index]
    for split in 0...bytes.count {
      let result = outcomes([Array(bytes[..<split]), Array(bytes[split...]), Array("\n?POLL;".utf8)])
      let error = try #require(
        result.count == 1 ? error(of: result.first) : nil, "\(name) split at \(split): \(result)")
      #expect(error.isForeignProtocol)
      #expect(error.message.contains(name))
    }
    #expect(outcomes(bytes.map { [$0] }).count == 1)
  }

  @Test(
    arguments: [
      "FOO / HTTP/1.1", "patch /a HTTP/1.1", "GETS / HTTP/1.1", "P  HTTP HTTP/1.1", "G HTTP/1.0", "~ HTTP/1.1",
    ]
  )
  func `A method of a page's own invention is one error of a line that is no request, and then the end`(line: String) {
    let bytes = Array("\(line)\r\n\(Self.body)".utf8)
    for split in 0...bytes.count {
      let result = outcomes([Array(bytes[..<split]), Array(bytes[split...])])
      #expect(result.map { error(of: $0)?.isForeignProtocol } == [false, true], "split at \(split)")
      #expect(error(of: result.first)?.message.hasPrefix("A request starts with") == true, "split at \(split)")
    }
  }

  @Test func `A request before it is read; a request that holds such words is one`() {
    #expect(outcomes("?VERSION;GET / HTTP/1.1\r\n?POLL;").first == .success(.version))
    #expect(outcomes("?VERSION;GET / HTTP/1.1\r\n?POLL;").count == 2)
    #expect(outcomes("?WATCH={\"device\":\"GET / HTTP/1.1\"};?POLL;").last == .success(.poll))
  }

  private func error(of outcome: Result<Request, RequestError>?) -> RequestError? {
    guard case .failure(let error)? = outcome else { return nil }
    return error
  }
}
