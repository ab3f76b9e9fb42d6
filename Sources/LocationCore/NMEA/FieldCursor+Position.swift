extension FieldCursor {
  /// Latitude, hemisphere, longitude, hemisphere. All four must be there and be right.
  @inline(__always)
  mutating func position() -> Coordinate? {
    let latitude = angle(upTo: 90, positive: 0x4E, negative: 0x53)
    let longitude = angle(upTo: 180, positive: 0x45, negative: 0x57)
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// `dddmm.mmmm` and its hemisphere.
  @inline(__always)
  private mutating func angle(upTo limit: Double, positive: UInt8, negative: UInt8) -> Double? {
    let field = next()
    let hemisphere = next()
    if field.count == 0 { return nil }
    guard let degrees = Self.degrees(field.start, field.count), degrees <= limit else { return fail(field) }
    guard hemisphere.count == 1 else { return fail(hemisphere) }
    let letter = hemisphere.start[0]
    if letter == positive { return degrees }
    return letter == negative ? -degrees : fail(hemisphere)
  }

  /// Degrees from `dddmm.mmmm`: the two digits in front of the dot are whole minutes, whatever the number of
  /// digits before them. One division of exact integers rounds once.
  @inline(__always)
  private static func degrees(_ start: UnsafePointer<UInt8>, _ count: Int) -> Double? {
    let dot = min(Digits.dot(start), count)
    let decimals = max(count &- dot &- 1, 0)
    guard dot <= 5, decimals <= 8 else { return long(start, count, dot) }
    guard dot > 0, let whole = Digits.value(start, dot), let fraction = Digits.value(start + (dot &+ 1), decimals)
    else { return nil }
    return degrees(whole: Int64(whole), fraction: Int64(fraction), decimals: decimals)
  }

  /// More decimals than eight: eleven are used, the rest is checked.
  @inline(never)
  private static func long(_ start: UnsafePointer<UInt8>, _ count: Int, _ dot: Int) -> Double? {
    guard dot > 0, dot <= 5, let whole = Digits.value(start, dot) else { return nil }
    var fraction: Int64 = 0
    var decimals = 0
    for index in dot + 1..<count {
      let digit = start[index] &- 0x30
      if digit > 9 { return nil }
      guard decimals < 11 else { continue }
      fraction = fraction * 10 + Int64(digit)
      decimals += 1
    }
    return degrees(whole: Int64(whole), fraction: fraction, decimals: decimals)
  }

  @inline(__always)
  private static func degrees(whole: Int64, fraction: Int64, decimals: Int) -> Double? {
    let degrees = whole / 100
    let minutes = whole &- degrees &* 100
    guard minutes < 60 else { return nil }
    let power = Decimal.power(decimals)
    // Below 180 · 60 · 10^11 both are exact.
    return (Double(degrees &* 60 &+ minutes) * power + Double(fraction)) / (60 * power)
  }
}
