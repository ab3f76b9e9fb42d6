extension FieldCursor {
  /// A number without a sign, of which `scale` units make one of the unit wanted, up to `limit`.
  @inline(__always)
  mutating func unsigned(scale: Double = 1, upTo limit: Double = 1e15) -> Double? {
    let field = next()
    if field.count == 0 { return nil }
    guard let number = Decimal(field.start, field.count) else { return fail(field) }
    let value = number.value * scale
    return value <= limit ? value : fail(field)
  }

  /// A number with or without a minus, between `-limit` and `limit`.
  @inline(__always)
  mutating func signed(upTo limit: Double = 1e15) -> Double? {
    let field = next()
    if field.count == 0 { return nil }
    guard let value = Self.signed(field.start, field.count), abs(value) <= limit else { return fail(field) }
    return value
  }

  /// The value of a number with or without a minus; `count` ≥ 1.
  @inline(__always)
  static func signed(_ start: UnsafePointer<UInt8>, _ count: Int) -> Double? {
    let minus = start[0] == 0x2D ? 1 : 0
    guard let number = Decimal(start + minus, count &- minus) else { return nil }
    return minus == 1 ? -number.value : number.value
  }

  /// Digits only, from `lowest` to `limit`.
  @inline(__always)
  mutating func integer(from lowest: Int = 0, upTo limit: Int = 1_000_000_000) -> Int? {
    let field = next()
    if field.count == 0 { return nil }
    guard let value = Digits.value(field.start, field.count), value >= lowest, value <= limit else {
      return fail(field)
    }
    return Int(truncatingIfNeeded: value)
  }

  /// A number to three decimals between `lowest` and `highest`; a minus is legal when `lowest` is negative.
  @inline(__always)
  mutating func thousandths(from lowest: Int, to highest: Int) -> Thousandths {
    let field = next()
    if field.count == 0 { return .none }
    let minus = lowest < 0 && field.start[0] == 0x2D ? 1 : 0
    guard let number = Decimal(field.start + minus, field.count &- minus),
      let value = Thousandths(number, isNegative: minus == 1), value.isIn(lowest, highest)
    else { return fail(field) ?? .none }
    return value
  }

  /// One hexadecimal digit, or two.
  @inline(__always)
  mutating func hexadecimal() -> Int? {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count <= 2, let first = Hexadecimal.value(field.start[0]) else { return fail(field) }
    if field.count == 1 { return Int(first) }
    guard let second = Hexadecimal.value(field.start[1]) else { return fail(field) }
    return Int(first << 4 | second)
  }

  /// One character that stands for a value.
  @inline(__always)
  mutating func letter<Letter: RawRepresentable>(_: Letter.Type = Letter.self) -> Letter?
  where Letter.RawValue == UInt8 {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 1, let letter = Letter(rawValue: field.start[0]) else { return fail(field) }
    return letter
  }

  /// One digit that stands for a value.
  @inline(__always)
  mutating func digit<Digit: RawRepresentable>(_: Digit.Type = Digit.self) -> Digit? where Digit.RawValue == UInt8 {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 1, let digit = Digit(rawValue: field.start[0] &- 0x30) else { return fail(field) }
    return digit
  }
}
