import Glibc
import LocationCore

/// What a burst of a recording consists of: sentences as they were received, and the reports of a gpsd line by line.
package enum RecordedPiece {
  /// Bytes of a receiver.
  case sentences(UnsafeRawBufferPointer)
  /// A line of JSON, with its end; `nil` when it cannot be read.
  case report(RecordedReport?, line: UnsafeBufferPointer<UInt8>)

  /// Tells of the pieces of a burst in their order.
  package static func forEach(
    of bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant, _ body: (RecordedPiece) -> Void
  ) {
    guard let base = bytes.baseAddress else { return }
    // No sentence has a brace: looking for one costs next to nothing.
    guard memchr(base, Int32(UInt8(ascii: "{")), bytes.count) != nil else { return body(.sentences(bytes)) }
    let text = bytes.assumingMemoryBound(to: UInt8.self)
    var sentences = 0
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
      let line = UnsafeBufferPointer(rebasing: text[start..<end])
      defer { start = end }
      guard RecordedReport.begins(line) else { continue }
      let report = RecordedReport(line: line, at: instant)
      // A brace may also be a byte of a receiver's binary frame, with a sentence behind it.
      if report == nil, line.contains(UInt8(ascii: "$")) { continue }
      if sentences < start { body(.sentences(UnsafeRawBufferPointer(rebasing: bytes[sentences..<start]))) }
      body(.report(report, line: line))
      sentences = end
    }
    if sentences < text.count { body(.sentences(UnsafeRawBufferPointer(rebasing: bytes[sentences...]))) }
  }
}
