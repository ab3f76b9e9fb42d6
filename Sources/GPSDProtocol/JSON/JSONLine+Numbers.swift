extension JSONLine {
  /// A whole number.
  package mutating func field(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    key(name)
    number(value)
  }

  /// A whole number.
  package mutating func field(_ name: StaticString, _ value: UInt64?) {
    guard let value else { return }
    key(name)
    digits(value, atLeast: 1)
  }

  /// A number rounded to `decimals` places (0 to 9), half away from zero; trailing zeros are left out unless `trimmed` is
  /// false. NaN and infinities are left out altogether.
  package mutating func field(_ name: StaticString, _ value: Double?, decimals: Int, trimmed: Bool = true) {
    guard let value, value.isFinite else { return }
    key(name)
    number(value, decimals: decimals, trimmed: trimmed)
  }

  /// An element of an array.
  package mutating func value(_ value: Int) {
    separate()
    number(value)
  }

  /// An element of an array; one that is not finite is left out.
  package mutating func value(_ value: Double, decimals: Int, trimmed: Bool = true) {
    guard value.isFinite else { return }
    separate()
    number(value, decimals: decimals, trimmed: trimmed)
  }

  mutating func number(_ value: Int) {
    if value < 0 { put(Byte.minus) }
    digits(UInt64(value.magnitude), atLeast: 1)
  }

  mutating func number(_ value: Double, decimals: Int, trimmed: Bool) {
    var decimals = min(max(decimals, 0), 9)
    var unit = Self.powerOfTen(decimals)
    let scaled = (value * Double(unit)).rounded()
    // Above 2^63 a Double has no decimals to lose, and its shortest form is a legal JSON number.
    guard scaled.magnitude < 0x1p63 else { return text(value.description) }
    let (whole, rest) = UInt64(scaled.magnitude).quotientAndRemainder(dividingBy: unit)
    var fraction = rest
    if trimmed {
      while decimals > 0, fraction.isMultiple(of: 10) {
        fraction /= 10
        unit /= 10
        decimals -= 1
      }
    }
    let places = decimals
    // A sign, 19 digits, a dot and 9 decimals.
    write(room: 32) { start in
      var place = start
      if scaled < 0 {
        place[0] = Byte.minus
        place += 1
      }
      place += Self.digits(whole, atLeast: 1, at: place)
      if places > 0 {
        place[0] = Byte.dot
        place += 1
        place += Self.digits(fraction, atLeast: places, at: place)
      }
      return place - start
    }
  }

  mutating func digits(_ value: UInt64, atLeast width: Int) {
    // 20 digits hold any value; `width` is 9 at most.
    write(room: 20) { Self.digits(value, atLeast: width, at: $0) }
  }

  /// Writes the digits, zeros in front up to `width`; how many they are.
  @inline(__always)
  private static func digits(_ value: UInt64, atLeast width: Int, at place: UnsafeMutablePointer<UInt8>) -> Int {
    var count = width
    var limit = powerOfTen(width)
    while value >= limit {
      count += 1
      let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
      if overflow { break }
      limit = next
    }
    var rest = value
    var at = count
    while at > 0 {
      at -= 1
      place[at] = Byte.zero + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    return count
  }

  private static func powerOfTen(_ exponent: Int) -> UInt64 {
    switch exponent {
    case 0: 1
    case 1: 10
    case 2: 100
    case 3: 1000
    case 4: 10_000
    case 5: 100_000
    case 6: 1_000_000
    case 7: 10_000_000
    case 8: 100_000_000
    default: 1_000_000_000
    }
  }
}
