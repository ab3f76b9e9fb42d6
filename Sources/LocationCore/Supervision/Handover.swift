/// Keeps the published track in order when another source takes the lead: two sources measure the same instants, and
/// the one that comes in may tell one that the other has told already.
package struct Handover: Sendable {
  /// A clock that is further behind is another clock: its fixes are not held back for ever.
  static let longestOverlap = Duration.seconds(10)

  /// Fixes that were left out because the source before had told their instant, or a later one.
  package private(set) var overlapping: UInt64 = 0
  private var newest: (source: Int, measured: UTCInstant)?

  package init() {}

  /// Whether a fix of the leading source is to be published.
  package mutating func passes(_ measured: UTCInstant?, source: Int) -> Bool {
    guard let measured else { return true }
    if let newest, newest.source != source, measured <= newest.measured,
      newest.measured - measured <= Self.longestOverlap
    {
      overlapping &+= 1
      return false
    }
    newest = (source, measured)
    return true
  }
}
