/// The fields of a sentence that were present and malformed or out of range, by their wire numbers.
package struct SentenceProblems: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The field with that number, 1 for the one behind the address; those from 63 on share a bit.
  package init(field number: Int) {
    rawValue = 1 &<< UInt64(min(max(number, 0), 63))
  }
}
