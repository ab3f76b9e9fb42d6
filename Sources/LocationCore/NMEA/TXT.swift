/// TXT, text message.
package struct TXT: Hashable, Sendable {
  /// Number of sentences in the message.
  @Compact package var parts: Int?
  /// Number of this sentence, from 1.
  @Compact package var part: Int?
  /// Kind of message; u-blox: 0 error, 1 warning, 2 notice.
  @Compact package var identifier: Int?
  /// Malformed or out-of-range fields.
  package var problems: SentenceProblems
}

extension TXT {
  /// Minimum number of fields.
  static let fieldCount = 4

  init(_ fields: SentenceFields) {
    var field = FieldCursor(fields)
    parts = field.integer(upTo: 99)
    part = field.integer(upTo: 99)
    identifier = field.integer(upTo: 99)
    problems = field.problems
  }

  /// The text of a TXT: everything after the third field, with `^hh` decoded, so it can contain any byte. A `^` without
  /// two hexadecimal digits is literal.
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
