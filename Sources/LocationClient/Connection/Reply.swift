import GPSDProtocol

/// A report and the line that it came in.
package struct Reply: Hashable, Sendable {
  /// What the line says.
  package var report: Report
  /// The line without its end.
  package var line: [UInt8]

  init(line: [UInt8]) throws(ReportError) {
    report = try Report(line: line[...])
    self.line = line
  }
}
