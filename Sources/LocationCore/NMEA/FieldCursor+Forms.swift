/// Forms of a field that differ from the usual one and leave no doubt about the value: blanks around it; a plus sign
/// before a number that may be negative; zeros before a digit that codes a word (a quality of `05`); decimals of
/// zero after a whole number; a small letter for a capital one. All others are malformed: blanks inside, signs of
/// numbers that cannot be negative, exponents, hexadecimal digits, words. A well-formed word that no table has
/// states nothing, and is no problem of the other fields.
extension FieldCursor {
  /// Reads a field that is not in the usual form again, in its plain form.
  @inline(never) func again<Value>(
    _ field: Field, isSigned: Bool = false, isWhole: Bool = false, isWord: Bool = false, _ read: (Field) -> Value?
  ) -> Value? {
    var plain = Self.trimmed(field)
    if plain.count == 0 { return nil }
    if isSigned, plain.start[0] == 0x2B, plain.count > 1, plain.start[1] != 0x2D {
      plain = Field(start: plain.start + 1, count: plain.count - 1)
    }
    if isWhole { plain = Self.withoutDecimals(plain) }
    while isWord, plain.count > 1, plain.start[0] == 0x30 {
      plain = Field(start: plain.start + 1, count: plain.count - 1)
    }
    return read(plain) ?? fail(field)
  }

  static func trimmed(_ field: Field) -> Field {
    var (start, count) = (field.start, field.count)
    while count > 0, start[0] == 0x20 { (start, count) = (start + 1, count - 1) }
    while count > 0, start[count - 1] == 0x20 { count -= 1 }
    return Field(start: start, count: count)
  }

  /// A field without decimals, if they are zeros.
  private static func withoutDecimals(_ field: Field) -> Field {
    var count = field.count
    while count > 1, field.start[count - 1] == 0x30 { count -= 1 }
    return count > 1 && field.start[count - 1] == 0x2E ? Field(start: field.start, count: count - 1) : field
  }

  static func capital(_ letter: UInt8) -> UInt8 { (0x61...0x7A).contains(letter) ? letter & 0xDF : letter }
}
