extension FieldCursor {
  /// `dddmm.mmmm` and its hemisphere.
  @inline(never) mutating func angle(upTo limit: Double, positive: UInt8, negative: UInt8) -> Double? {
    let field = next()
    let hemisphere = next()
    if field.count == 0 { return nil }
    var degrees = Self.degrees(field)
    if !(degrees <= limit) {
      let plain = again(field) { field in
        let degrees = Self.degrees(field)
        return degrees <= limit ? degrees : nil
      }
      guard let plain else { return nil }
      degrees = plain
    }
    return signed(degrees, hemisphere, positive, negative)
  }

  /// A value with the sign of its direction, without which it is none.
  @inline(__always)
  private func signed(_ value: Double, _ direction: Field, _ positive: UInt8, _ negative: UInt8) -> Double? {
    if direction.count == 1 {
      let letter = direction.start[0]
      if letter == positive { return value }
      if letter == negative { return -value }
    }
    guard direction.count > 0, Self.trimmed(direction).count > 0 else { return fail(direction) }
    return again(direction) { direction in
      guard direction.count == 1 else { return nil }
      let letter = Self.capital(direction.start[0])
      return letter == positive ? value : letter == negative ? -value : nil
    }
  }

  /// Degrees from `dddmm.mmmm`; NaN if malformed. The two digits before the dot are the minutes, regardless of the
  /// number of digits before them. One division of exact integers rounds once.
  @inline(never) private static func degrees(_ field: Field) -> Double {
    let (start, count) = (field.start, field.count)
    let word = Bytes.load(start)
    let dot = min(Bytes.firstDot(word).trailingZeroBitCount >> 3, count)
    let decimals = max(count &- dot &- 1, 0)
    guard dot > 0, dot <= 5, let whole = Digits.value(word, dot) else { return .nan }
    guard decimals <= 8 else { return long(field, dot, whole) }
    guard let fraction = Digits.value(Bytes.load(start + (dot &+ 1)), decimals) else { return .nan }
    return degrees(whole: whole, fraction: fraction, decimals: decimals)
  }

  /// The same with more than eight decimals: eleven are used, the others are validated.
  @inline(never) private static func long(_ field: Field, _ dot: Int, _ whole: UInt64) -> Double {
    let decimals = min(field.count - dot - 1, 11)
    guard let fraction = leading(decimals, of: field, after: dot) else { return .nan }
    return degrees(whole: whole, fraction: fraction, decimals: decimals)
  }

  /// The value of the first `count` ≤ 18 of at least as many digits after the dot; `nil` if one of all is none.
  private static func leading(_ count: Int, of field: Field, after dot: Int) -> UInt64? {
    guard (dot + 1 + count..<field.count).allSatisfy({ field.start[$0] &- 0x30 <= 9 }) else { return nil }
    return Digits.value(field.start + dot + 1, count)
  }

  @inline(__always) private static func degrees(whole: UInt64, fraction: UInt64, decimals: Int) -> Double {
    let degrees = whole / 100
    let minutes = whole &- degrees &* 100
    guard minutes < 60 else { return .nan }
    let power = Decimal.power(decimals)
    // Both are exact below 180 · 60 · 10^11.
    let numerator = Double(Int64(truncatingIfNeeded: degrees &* 60 &+ minutes)) * power
    return (numerator + Double(Int64(truncatingIfNeeded: fraction))) / (60 * power)
  }

  /// `hhmmss` with optional decimals; those beyond nanoseconds are dropped.
  @inline(never) mutating func time() -> TimeOfDay? { parse { Self.time($0) } }

  @inline(__always) private static func time(_ field: Field) -> TimeOfDay? {
    guard field.count >= 6, let (hour, minute, second) = Digits.pairs(field.start),
      let nanosecond = nanosecond(field)
    else { return nil }
    return TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
  }

  /// The fraction after the sixth character: nothing, or a dot and decimals.
  @inline(__always) private static func nanosecond(_ field: Field) -> Int? {
    if field.count == 6 { return 0 }
    guard field.start[6] == 0x2E else { return nil }
    let decimals = field.count &- 7
    guard decimals <= 8 else { return long(field) }
    guard let fraction = Digits.value(Bytes.load(field.start + 7), decimals) else { return nil }
    return Int(truncatingIfNeeded: fraction) &* Int(Decimal.integerPower(9 &- decimals))
  }

  @inline(never) private static func long(_ field: Field) -> Int? {
    leading(9, of: field, after: 6).map { Int(truncatingIfNeeded: $0) }
  }

  /// `ddmmyy`, years 80 to 99 in the 20th century. Malformed: 6 January 1980, GPS time's origin, sent without a date.
  @inline(__always) mutating func date() -> CalendarDate? { parse { Self.dayMonthYear($0) } }

  @inline(never) private static func dayMonthYear(_ field: Field) -> CalendarDate? {
    guard field.count == 6, let (day, month, year) = Digits.pairs(field.start) else { return nil }
    return date(year: year, month: month, day: day)
  }

  static func date(year: Int, month: Int, day: Int) -> CalendarDate? {
    guard let date = CalendarDate(year: year < 80 ? 2000 &+ year : 1900 &+ year, month: month, day: day),
      !date.isStartOfGPSTime
    else { return nil }
    return date
  }

  /// A dilution of precision; 0 and values from 99 mean unknown.
  @inline(never) mutating func dilution() -> Double? {
    guard let value = unsigned(), value > 0, value < 99 else { return nil }
    return value
  }

  /// Degrees from north, 0 ≤ course < 360; 360 becomes 0.
  @inline(never) mutating func course() -> Double? {
    guard let value = unsigned(upTo: 360) else { return nil }
    return value == 360 ? 0 : value
  }

  /// m/s from knots (1852 m/h).
  @inline(__always) mutating func knots() -> Double? { unsigned(scale: 1852.0 / 3600, upTo: Self.fastest) }
  /// m/s from km/h.
  @inline(__always) mutating func kilometresPerHour() -> Double? { unsigned(scale: 1 / 3.6, upTo: Self.fastest) }
  /// Highest valid speed, m/s.
  static var fastest: Double { 1000 }

  /// Metres, with an optional unit `M` in the next field.
  @inline(never) mutating func metres() -> Double? {
    let value = signed()
    return unit(0x4D) ? value : nil
  }

  /// Magnetic variation from a value and its direction, degrees, east positive.
  @inline(__always) mutating func variation() -> Double? {
    let field = next()
    let direction = next()
    if field.count == 0 { return nil }
    let value = Self.value(field)
    guard value <= 180 else { return fail(field) }
    return signed(value, direction, 0x45, 0x57)
  }

  /// m/s from knots, or from km/h when knots are absent, both with an optional unit.
  @inline(__always) mutating func knotsOrKilometresPerHour() -> Double? {
    let fromKnots = knots()
    let areKnots = unit(0x4E)
    let fromKilometres = kilometresPerHour()
    let areKilometres = unit(0x4B)
    return (areKnots ? fromKnots : nil) ?? (areKilometres ? fromKilometres : nil)
  }

  /// Consumes a unit field. Returns whether it is empty or the given letter; otherwise it is registered as a problem.
  @inline(never) mutating func unit(_ letter: UInt8) -> Bool {
    let field = next()
    if field.count == 0 || (field.count == 1 && field.start[0] == letter) { return true }
    if Self.trimmed(field).count == 0 { return true }
    return again(field) { $0.count == 1 && Self.capital($0.start[0]) == letter ? true : nil } ?? false
  }
}
