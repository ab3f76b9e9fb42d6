import CLibFuzzer
import GPSDProtocol
import Glibc

/// Feeds what libFuzzer invents to the request parser, whole and cut in two: both must say the same.
@main
enum FuzzRequests {
  /// What the parser made of one request.
  enum Outcome: Equatable {
    case request(Request)
    case fault(RequestError)
  }

  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        guard count > 0 else { return 0 }
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        // The first byte says where to cut the others.
        let input = Array(bytes.dropFirst())
        let cut = min(Int(bytes[0]), input.count)
        precondition(
          FuzzRequests.outcomes(of: [input]) == FuzzRequests.outcomes(of: [Array(input[..<cut]), Array(input[cut...])]))
        return 0
      })
  }

  static func outcomes(of pieces: [[UInt8]]) -> [Outcome] {
    var parser = RequestParser()
    var outcomes: [Outcome] = []
    for piece in pieces {
      var index = 0
      reading: while true {
        do {
          guard let request = try parser.next(in: piece.span, from: &index) else { break reading }
          outcomes.append(.request(request))
        } catch {
          outcomes.append(.fault(error))
        }
      }
    }
    return outcomes
  }
}
