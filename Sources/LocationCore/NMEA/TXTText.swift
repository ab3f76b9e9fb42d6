/// The text of a TXT sentence: the bytes as sent, with `^hh` decoded, so any byte may appear.
/// The standard allows 61 characters; 128 are kept.
package struct TXTText: Hashable, Sendable {
  /// The bytes; only the first `count` mean something.
  private var bytes: [128 of UInt8]
  /// How many there are.
  package private(set) var count: Int
  /// Whether the sentence had more.
  package private(set) var isCut: Bool

  /// The bytes.
  package subscript(index: Int) -> UInt8 { bytes[index] }

  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && (0..<left.count).allSatisfy { left.bytes[$0] == right.bytes[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in 0..<count { hasher.combine(bytes[index]) }
  }
}

extension TXTText {
  /// Decodes a text; a `^` without two hexadecimal digits behind it stands for itself.
  init(_ field: FieldCursor.Field) {
    let raw = field.start
    bytes = .init(repeating: 0)
    count = 0
    isCut = false
    var at = 0
    while at < field.count, count < bytes.count {
      if raw[at] == 0x5E, at + 2 < field.count, let high = Hexadecimal.value(raw[at + 1]),
        let low = Hexadecimal.value(raw[at + 2])
      {
        bytes[count] = high << 4 | low
        at += 3
      } else {
        bytes[count] = raw[at]
        at += 1
      }
      count += 1
    }
    isCut = at < field.count
  }
}
