/// TXT, a message for people.
package struct TXT: Hashable, Sendable {
  /// How many sentences the message has.
  @Compact package var parts: Int?
  /// This sentence's number, from 1.
  @Compact package var part: Int?
  /// What kind of message; u-blox: 0 error, 1 warning, 2 notice.
  @Compact package var identifier: Int?
  /// The fields that were present and malformed or out of range.
  package var problems: SentenceProblems
}

extension TXT {
  /// Fewest fields on the wire.
  static let fieldCount = 4

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    parts = field.integer(upTo: 99)
    part = field.integer(upTo: 99)
    identifier = field.integer(upTo: 99)
    problems = field.problems
  }

  /// The text among a TXT's fields: all that follows the third comma, with `^hh` decoded, so any byte may appear. A `^`
  /// without two hexadecimal digits behind it stands for itself.
  package static func text(in fields: SentenceFields) -> [UInt8] {
    var cursor = FieldCursor(fields)
    cursor.skip(3)
    let field = cursor.rest()
    var text: [UInt8] = []
    text.reserveCapacity(field.count)
    var at = 0
    while at < field.count {
      if field.start[at] == 0x5E, at + 2 < field.count, let high = Hexadecimal.value(field.start[at + 1]),
        let low = Hexadecimal.value(field.start[at + 2])
      {
        text.append(high << 4 | low)
        at += 3
      } else {
        text.append(field.start[at])
        at += 1
      }
    }
    return text
  }
}
