import GPSDProtocol

/// What a parser makes of a connection's bytes.
func outcomes(_ chunks: [[UInt8]]) -> [Result<Request, RequestError>] {
  var parser = RequestParser()
  var result: [Result<Request, RequestError>] = []
  for chunk in chunks {
    var index = 0
    while true {
      do throws(RequestError) {
        guard let request = try parser.next(in: chunk.span, from: &index) else { break }
        result.append(.success(request))
      } catch {
        result.append(.failure(error))
      }
    }
  }
  return result
}

func outcomes(_ text: String) -> [Result<Request, RequestError>] { outcomes([Array(text.utf8)]) }
