extension FieldCursor {
  /// A number as written: `mantissa / 10^decimals`.
  struct Decimal {
    var mantissa: Int64
    var decimals: Int

    /// The value, rounded once when the mantissa is below 2^53.
    @inline(__always)
    var value: Double { Double(mantissa) / Self.power(decimals) }

    /// 10^exponent, exact; exponents above 18 give 10^18.
    @inline(__always)
    static func power(_ exponent: Int) -> Double {
      switch exponent {
      case 0: 1
      case 1: 1e1
      case 2: 1e2
      case 3: 1e3
      case 4: 1e4
      case 5: 1e5
      case 6: 1e6
      case 7: 1e7
      case 8: 1e8
      case 9: 1e9
      case 10: 1e10
      case 11: 1e11
      case 12: 1e12
      case 13: 1e13
      case 14: 1e14
      case 15: 1e15
      case 16: 1e16
      case 17: 1e17
      default: 1e18
      }
    }
  }

  /// Reads digits with at most one dot, at least one digit. Decimals beyond 18 characters are checked and
  /// dropped; more than 18 digits in front of the dot are no number.
  @inline(__always)
  static func decimal(_ start: UnsafePointer<UInt8>, _ count: Int) -> Decimal? {
    let end = start + count
    var at = start
    var mantissa: Int64 = 0
    while at < end {
      let digit = at[0] &- 0x30
      if digit > 9 { break }
      mantissa = mantissa &* 10 &+ Int64(digit)
      at += 1
    }
    if at == end { return count > 0 && count <= 18 ? Decimal(mantissa: mantissa, decimals: 0) : nil }
    let whole = at - start
    guard at[0] == 0x2E, count > 1, whole <= 17 else { return nil }
    at += 1
    let last = count <= 19 ? end : start + 19
    let fraction = at
    while at < last {
      let digit = at[0] &- 0x30
      if digit > 9 { return nil }
      mantissa = mantissa &* 10 &+ Int64(digit)
      at += 1
    }
    let decimals = at - fraction
    while at < end {
      if at[0] &- 0x30 > 9 { return nil }
      at += 1
    }
    return Decimal(mantissa: mantissa, decimals: decimals)
  }

  /// A number without a sign, of which `scale` units make one of the unit wanted, up to `limit`.
  @inline(__always)
  mutating func unsigned(scale: Double = 1, upTo limit: Double = 1e15) -> Double? {
    let field = next()
    if field.count == 0 { return nil }
    guard let number = Self.decimal(field.start, field.count) else { return fail(field) }
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
    if start[0] == 0x2D { return decimal(start + 1, count &- 1).map { -$0.value } }
    return decimal(start, count)?.value
  }

  /// Digits only, up to `limit`.
  @inline(__always)
  mutating func integer(upTo limit: Int = 1_000_000_000) -> Int? {
    let field = next()
    if field.count == 0 { return nil }
    guard let value = Self.integer(field.start, field.count), value <= limit else { return fail(field) }
    return value
  }

  /// The value of 1 to 18 digits.
  @inline(__always)
  static func integer(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    guard count > 0, count <= 18 else { return nil }
    var value = 0
    for index in 0..<count {
      let digit = start[index] &- 0x30
      if digit > 9 { return nil }
      value = value &* 10 &+ Int(digit)
    }
    return value
  }

  /// One hexadecimal digit, or two.
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

  /// A dilution of precision; 0 and from 99 on say that there is none.
  @inline(__always)
  mutating func dilution() -> Double? {
    guard let value = unsigned(), value > 0, value < 99 else { return nil }
    return value
  }

  /// Degrees from north, 0 ≤ course < 360; 360 is 0.
  @inline(__always)
  mutating func course() -> Double? {
    guard let value = unsigned(upTo: 360) else { return nil }
    return value == 360 ? 0 : value
  }

  /// m/s from knots (1852 m an hour).
  @inline(__always)
  mutating func knots() -> Double? {
    unsigned(scale: 1852.0 / 3600, upTo: Self.fastest)
  }

  /// m/s from km/h.
  @inline(__always)
  mutating func kilometresPerHour() -> Double? {
    unsigned(scale: 1 / 3.6, upTo: Self.fastest)
  }

  /// m/s; no receiver of this kind moves faster.
  static var fastest: Double { 1000 }

  /// A number of metres, with its unit behind it: `M` or nothing.
  @inline(__always)
  mutating func metres() -> Double? {
    let value = signed()
    return unit(0x4D) ? value : nil
  }
}
