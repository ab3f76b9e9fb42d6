/// TXT, a message for people.
package struct TXT: Hashable, Sendable {
  /// How many sentences the message has.
  @Compact package var parts: Int?
  /// This sentence's number, from 1.
  @Compact package var part: Int?
  /// What kind of message; u-blox: 0 error, 1 warning, 2 notice.
  @Compact package var identifier: Int?
  /// The text, `^hh` escapes decoded.
  package var text: TXTText
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension TXT {
  /// Fewest fields on the wire.
  static let fieldCount = 4

  init(_ field: inout FieldCursor) {
    parts = field.integer(upTo: 99)
    part = field.integer(upTo: 99)
    identifier = field.integer(upTo: 99)
    let rest = field.rest()
    text = TXTText(rest)
    if text.isCut { _ = field.fail(rest, TXTText.self) }
    problems = field.problems
  }
}
