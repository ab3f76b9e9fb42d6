/// Up to eight characters of a field.
package struct ShortText: Hashable, Sendable, CustomStringConvertible {
  /// The ASCII characters packed big-endian, right-aligned.
  package let code: UInt64

  package init(code: UInt64) {
    self.code = code
  }

  /// The characters.
  package var description: String {
    var text = ""
    for shift in stride(from: 56, through: 0, by: -8) {
      let byte = UInt8(truncatingIfNeeded: code >> UInt64(shift))
      if byte != 0 { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    }
    return text
  }
}

extension FieldCursor {
  /// A field of one to eight characters.
  mutating func shortText() -> ShortText? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count <= 8 else { return fail(field) }
    return ShortText(code: SentenceAddress.pack(UnsafeRawBufferPointer(start: field.start, count: field.count)))
  }
}
