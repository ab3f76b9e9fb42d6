import GPSDProtocol

/// The request parser on arbitrary bytes, whole and cut in two: both must give the same requests and errors.
///
/// The first byte is the position of the cut.
enum RequestTarget {
  private enum Outcome: Equatable {
    case request(Request)
    case failure(RequestError)
  }

  static func run(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard let first = bytes.first else { return 0 }
    let input = Array(bytes.dropFirst())
    let cut = min(Int(first), input.count)
    precondition(outcomes(of: [input]) == outcomes(of: [Array(input[..<cut]), Array(input[cut...])]))
    return 0
  }

  private static func outcomes(of pieces: [[UInt8]]) -> [Outcome] {
    var parser = RequestParser()
    var outcomes: [Outcome] = []
    for piece in pieces {
      var index = 0
      reading: while true {
        do {
          guard let request = try parser.next(in: piece.span, from: &index) else { break reading }
          outcomes.append(.request(request))
        } catch {
          outcomes.append(.failure(error))
        }
      }
    }
    return outcomes
  }
}
