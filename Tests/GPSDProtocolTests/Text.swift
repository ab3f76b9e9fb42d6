import GPSDProtocol

extension JSONLine {
  /// What was written, as text.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// What a closure writes, as text.
  static func text(_ write: (inout JSONLine) -> Void) -> String {
    var line = JSONLine()
    write(&line)
    return line.text
  }
}

/// A small generator with a seed, so that random tests repeat (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The requests and errors in the bytes of a connection.
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
