/// The fields of a sentence that were present and malformed or out of range.
package struct SentenceProblems: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }
}
