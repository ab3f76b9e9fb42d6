/// A line from the daemon that is no report.
public enum ReportError: Error, Hashable, Sendable {
  /// Longer than any line of the protocol.
  case tooLong
  /// Not what the protocol says, with what is wrong.
  case malformed(String)
}
