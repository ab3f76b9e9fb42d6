extension FieldCursor {
  /// `hhmmss` with any number of decimals; those beyond nanoseconds are dropped.
  @inline(never)
  mutating func time() -> TimeOfDay? {
    let field = next()
    if field.count == 0 { return nil }
    return Self.time(field) ?? fail(field)
  }

  @inline(always)
  private static func time(_ field: Field) -> TimeOfDay? {
    guard field.count >= 6, let (hour, minute, second) = Digits.pairs(field.start),
      let nanosecond = nanosecond(field)
    else { return nil }
    return TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
  }

  /// What stands behind the sixth character: nothing, or a dot and decimals.
  @inline(__always)
  private static func nanosecond(_ field: Field) -> Int? {
    if field.count == 6 { return 0 }
    guard field.start[6] == 0x2E else { return nil }
    let decimals = field.count &- 7
    guard decimals <= 8 else { return long(field) }
    guard let fraction = Digits.value(Bytes.load(field.start + 7), decimals) else { return nil }
    return Int(truncatingIfNeeded: fraction) &* Int(Decimal.integerPower(9 &- decimals))
  }

  @inline(never)
  private static func long(_ field: Field) -> Int? {
    var nanosecond = 0
    var unit = 100_000_000
    for index in 7..<field.count {
      let digit = field.start[index] &- 0x30
      if digit > 9 { return nil }
      nanosecond += Int(digit) * unit
      unit /= 10
    }
    return nanosecond
  }

  /// `ddmmyy`, the years 80 to 99 in the 20th century. 6 January 1980, where GPS time starts, is what
  /// receivers say before they know; it is no date.
  @inline(always)
  mutating func date() -> CalendarDate? {
    let field = next()
    if field.count == 0 { return nil }
    return Self.dayMonthYear(field) ?? fail(field)
  }

  @inline(never)
  private static func dayMonthYear(_ field: Field) -> CalendarDate? {
    guard field.count == 6, let (day, month, year) = Digits.pairs(field.start) else { return nil }
    return date(year: year, month: month, day: day)
  }

  /// The date with a two-digit year.
  static func date(year: Int, month: Int, day: Int) -> CalendarDate? {
    guard let date = CalendarDate(year: year < 80 ? 2000 &+ year : 1900 &+ year, month: month, day: day),
      !date.isStartOfGPSTime
    else { return nil }
    return date
  }
}
