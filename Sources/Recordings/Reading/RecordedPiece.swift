import GPSDProtocol
import Glibc
import LocationCore

/// A part of a burst of a recording: sentences as received, or one line of a gpsd's JSON.
///
/// The lines are read by this project's own reader and not by libgps, so that a replay gives the same on a board
/// without gpsd and with any release of it.
package enum RecordedPiece {
  case sentences(UnsafeRawBufferPointer)
  /// A report about positions, and its line with the end.
  case report(GPSDReport, line: UnsafeBufferPointer<UInt8>)
  case otherReport(line: UnsafeBufferPointer<UInt8>)
  /// A line that begins like a report and is none.
  case malformedReport(line: UnsafeBufferPointer<UInt8>)

  /// Calls `body` with each piece of a burst received at `instant`, in order.
  package static func forEach(
    of bytes: UnsafeRawBufferPointer, at instant: MonotonicInstant, _ body: (RecordedPiece) -> Void
  ) {
    guard let base = bytes.baseAddress else { return }
    // No sentence has a brace, and a search for one costs next to nothing.
    guard memchr(base, Int32(UInt8(ascii: "{")), bytes.count) != nil else { return body(.sentences(bytes)) }
    let text = bytes.assumingMemoryBound(to: UInt8.self)
    var sentences = 0
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.count
      let line = UnsafeBufferPointer(rebasing: text[start..<end])
      defer { start = end }
      guard Report.begins(line), let report = RecordedPiece(line: line, at: instant) else { continue }
      if sentences < start { body(.sentences(UnsafeRawBufferPointer(rebasing: bytes[sentences..<start]))) }
      body(report)
      sentences = end
    }
    if sentences < text.count { body(.sentences(UnsafeRawBufferPointer(rebasing: bytes[sentences...]))) }
  }

  /// A line that begins with a brace; `nil` when that is a byte of a binary frame followed by a sentence.
  private init?(line: UnsafeBufferPointer<UInt8>, at instant: MonotonicInstant) {
    if let report = Report(anyRelease: line) {
      self = GPSDReport(report, at: instant).map { .report($0, line: line) } ?? .otherReport(line: line)
    } else {
      guard !line.contains(UInt8(ascii: "$")) else { return nil }
      self = .malformedReport(line: line)
    }
  }
}
