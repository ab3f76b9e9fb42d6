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
  /// digits before them. Eleven decimals are used, so that one division of exact integers rounds once.
  @inline(__always)
  private static func degrees(_ start: UnsafePointer<UInt8>, _ count: Int) -> Double? {
    var whole = 0
    var at = 0
    while at < count {
      let digit = start[at] &- 0x30
      if digit > 9 { break }
      whole = whole &* 10 &+ Int(digit)
      at &+= 1
    }
    guard at > 0, at <= 5 else { return nil }
    let (degrees, minutes) = whole.quotientAndRemainder(dividingBy: 100)
    guard minutes < 60 else { return nil }
    var numerator = degrees &* 60 &+ minutes
    var decimals = 0
    if at < count {
      guard start[at] == 0x2E else { return nil }
      at &+= 1
      while at < count {
        let digit = start[at] &- 0x30
        if digit > 9 { return nil }
        if decimals < 11 {
          numerator = numerator &* 10 &+ Int(digit)
          decimals &+= 1
        }
        at &+= 1
      }
    }
    return Double(numerator) / (60 * Decimal.power(decimals))
  }
}
