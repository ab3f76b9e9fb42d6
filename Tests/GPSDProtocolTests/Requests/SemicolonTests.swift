import Testing

@testable import GPSDProtocol

/// A client that ends its requests with semicolons and sends no line end is heard again after a mistake.
@Suite struct SemicolonTests {
  private func outcomes(_ text: String) -> [String] {
    var parser = RequestParser()
    let bytes = Array(text.utf8)
    var index = 0
    var outcomes: [String] = []
    while index < bytes.count {
      do throws(RequestError) {
        guard let request = try parser.next(in: bytes.span, from: &index) else { break }
        outcomes.append(request == .poll ? "poll" : "other")
      } catch {
        outcomes.append("error")
      }
    }
    return outcomes
  }

  @Test(
    "A malformed request with a semicolon is one error, and the next request is read",
    arguments: [
      "?WATCH=1;", "?WATCH=[1,2];", "?WA\0TCH;", #"?WATCH={"enable":true; "json":true};"#, "?WATCH{};",
      "?WATCH={" + String(repeating: " ", count: 5000) + "};",
    ])
  func errorThenRequest(malformed: String) {
    #expect(outcomes(malformed + "?POLL;") == ["error", "poll"])
  }

  @Test("A line that is not a request is one error")
  func notARequest() {
    #expect(outcomes("hello; ?POLL; world\n?POLL;") == ["error", "poll"])
  }
}
