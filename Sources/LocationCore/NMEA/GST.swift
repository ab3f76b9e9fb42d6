/// GST, pseudorange noise statistics.
package struct GST: Hashable, Sendable {
  /// UTC time of day.
  package var time: TimeOfDay?
  /// 1 σ errors; `nil` when every value is absent.
  package var noise: PseudorangeNoise?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems

  package init() {
    problems = []
  }
}
