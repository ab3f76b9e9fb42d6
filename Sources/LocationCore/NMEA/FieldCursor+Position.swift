extension FieldCursor {
  /// Latitude, hemisphere, longitude, hemisphere. All four must be there and be right.
  @inline(always)
  mutating func position() -> Coordinate? {
    let latitude = angle(upTo: 90, positive: 0x4E, negative: 0x53)
    let longitude = angle(upTo: 180, positive: 0x45, negative: 0x57)
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// `dddmm.mmmm` and its hemisphere.
  @inline(never)
  private mutating func angle(upTo limit: Double, positive: UInt8, negative: UInt8) -> Double? {
    let field = next()
    let hemisphere = next()
    if field.count == 0 { return nil }
    let degrees = Self.degrees(field)
    guard degrees <= limit else { return fail(field) }
    guard hemisphere.count == 1 else { return fail(hemisphere) }
    let letter = hemisphere.start[0]
    if letter == positive { return degrees }
    return letter == negative ? -degrees : fail(hemisphere)
  }

  /// Degrees from `dddmm.mmmm`, NaN when it is no angle: the two digits in front of the dot are whole minutes, whatever
  /// the number of digits before them. One division of exact integers rounds once.
  @inline(never)
  private static func degrees(_ field: Field) -> Double {
    let (start, count) = (field.start, field.count)
    let word = Bytes.load(start)
    let dot = min(Bytes.firstDot(word).trailingZeroBitCount >> 3, count)
    let decimals = max(count &- dot &- 1, 0)
    guard dot > 0, dot <= 5, let whole = Digits.value(word, dot) else { return .nan }
    guard decimals <= 8 else { return long(field, dot, whole) }
    guard let fraction = Digits.value(Bytes.load(start + (dot &+ 1)), decimals) else { return .nan }
    return degrees(whole: whole, fraction: fraction, decimals: decimals)
  }

  /// More decimals than eight: eleven are used, the rest is checked.
  @inline(never)
  private static func long(_ field: Field, _ dot: Int, _ whole: UInt64) -> Double {
    var fraction: UInt64 = 0
    var decimals = 0
    for index in dot + 1..<field.count {
      let digit = field.start[index] &- 0x30
      if digit > 9 { return .nan }
      guard decimals < 11 else { continue }
      fraction = fraction * 10 + UInt64(digit)
      decimals += 1
    }
    return degrees(whole: whole, fraction: fraction, decimals: decimals)
  }

  @inline(__always)
  private static func degrees(whole: UInt64, fraction: UInt64, decimals: Int) -> Double {
    let degrees = whole / 100
    let minutes = whole &- degrees &* 100
    guard minutes < 60 else { return .nan }
    let power = Decimal.power(decimals)
    // Below 180 · 60 · 10^11 both are exact.
    let numerator = Double(Int64(truncatingIfNeeded: degrees &* 60 &+ minutes)) * power
    return (numerator + Double(Int64(truncatingIfNeeded: fraction))) / (60 * power)
  }
}
