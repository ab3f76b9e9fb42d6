/// Filter for changes of the lead: the new source may deliver an instant that the previous one has already covered.
package struct Handover: Sendable {
  /// Longest overlap that is filtered. A source further behind has a different clock, and its fixes pass.
  static let longestOverlap = Duration.seconds(10)

  /// Number of fixes filtered because the previous source had delivered the same or a later instant.
  package private(set) var overlapping: UInt64 = 0
  private var newest: (source: SourceID, measured: UTCInstant)?

  package mutating func passes(_ measured: UTCInstant?, source: SourceID) -> Bool {
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
