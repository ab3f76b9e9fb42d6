import GPSDProtocol
import LocationCore

/// One source of a recording, sentence by sentence: an object for each, rejected lines too.
final class SentenceLane {
  private(set) var decoder = NMEADecoder()

  func take(_ bytes: [UInt8], into output: inout JSONLine) {
    bytes.withUnsafeBytes { buffer in
      decoder.decode(buffer) { Self.write($0, into: &output) }
    }
  }

  func finish(into output: inout JSONLine) {
    decoder.finish { Self.write($0, into: &output) }
  }

  private static func write(_ event: borrowing NMEAEvent, into output: inout JSONLine) {
    SentenceLine.write(event, into: &output)
    output.endLine()
  }
}
