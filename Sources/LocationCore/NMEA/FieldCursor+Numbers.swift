extension FieldCursor {
  /// A number without a sign, of which `scale` units make one of the unit wanted, up to `limit`.
  @inline(never)
  mutating func unsigned(scale: Double = 1, upTo limit: Double = 1e15) -> Double? {
    let field = next()
    if field.count == 0 { return nil }
    let value = Self.value(field) * scale
    return value <= limit ? value : fail(field)
  }

  /// A number with or without a minus, between `-limit` and `limit`.
  @inline(never)
  mutating func signed(upTo limit: Double = 1e15) -> Double? {
    let field = next()
    if field.count == 0 { return nil }
    let value = Self.signedValue(field)
    return abs(value) <= limit ? value : fail(field)
  }

  /// The value of a number without a sign, NaN when it is none.
  @inline(never)
  static func value(_ field: Field) -> Double {
    Decimal(field.start, field.count)?.value ?? .nan
  }

  /// The value of a number with or without a minus, NaN when it is none. `field` is not empty.
  @inline(never)
  static func signedValue(_ field: Field) -> Double {
    guard field.start[0] == 0x2D else { return value(field) }
    return -value(Field(start: field.start + 1, count: field.count &- 1))
  }

  /// Digits only, from `lowest` to `limit`.
  @inline(never)
  mutating func integer(from lowest: Int = 0, upTo limit: Int = 1_000_000_000) -> Int? {
    let field = next()
    if field.count == 0 { return nil }
    let value = Self.integer(field)
    return value >= lowest && value <= limit ? value : fail(field)
  }

  /// The value of digits, -1 when there are others. `field` is not empty.
  @inline(always)
  private static func integer(_ field: Field) -> Int {
    if field.count <= 4 { return Digits.short(field.start, field.count) ?? -1 }
    return Digits.value(field.start, field.count).map { Int(truncatingIfNeeded: $0) } ?? -1
  }

  /// A number to three decimals between `lowest` and `highest`; a minus is legal when `lowest` is negative.
  @inline(never)
  mutating func thousandths(from lowest: Int, to highest: Int) -> Thousandths {
    let field = next()
    if field.count == 0 { return .none }
    let value = Self.thousandths(field)
    return value.isIn(lowest, highest) ? value : fail(field) ?? .none
  }

  /// A number to three decimals, none when it is no number. `field` is not empty.
  @inline(always)
  private static func thousandths(_ field: Field) -> Thousandths {
    if field.count <= 3, let whole = Digits.short(field.start, field.count) { return Thousandths(whole: whole) }
    let minus = field.start[0] == 0x2D ? 1 : 0
    guard let number = Decimal(field.start + minus, field.count &- minus) else { return .none }
    return Thousandths(number, isNegative: minus == 1) ?? .none
  }

  /// One hexadecimal digit, or two.
  @inline(never)
  mutating func hexadecimal() -> Int? {
    let field = next()
    if field.count == 0 { return nil }
    let value = Self.hexadecimal(field)
    return value >= 0 ? value : fail(field)
  }

  /// The value of one or two hexadecimal digits, -1 for anything else. `field` is not empty.
  @inline(always)
  private static func hexadecimal(_ field: Field) -> Int {
    guard field.count <= 2, let first = Hexadecimal.value(field.start[0]) else { return -1 }
    if field.count == 1 { return Int(first) }
    guard let second = Hexadecimal.value(field.start[1]) else { return -1 }
    return Int(first << 4 | second)
  }

  /// One character that stands for a value.
  @inline(always)
  mutating func letter<Letter: RawRepresentable>(_: Letter.Type = Letter.self) -> Letter?
  where Letter.RawValue == UInt8 {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 1, let letter = Letter(rawValue: field.start[0]) else { return fail(field) }
    return letter
  }

  /// One digit that stands for a value.
  @inline(always)
  mutating func digit<Digit: RawRepresentable>(_: Digit.Type = Digit.self) -> Digit? where Digit.RawValue == UInt8 {
    let field = next()
    if field.count == 0 { return nil }
    guard field.count == 1, let digit = Digit(rawValue: field.start[0] &- 0x30) else { return fail(field) }
    return digit
  }
}
