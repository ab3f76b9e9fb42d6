extension JSONLine {
  /// A whole number.
  package mutating func field(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    field(name, room: 21) { Self.number(value, at: $0) }
  }

  /// A whole number.
  package mutating func field(_ name: StaticString, _ value: UInt64?) {
    guard let value else { return }
    field(name, room: 20) { Self.digits(value, atLeast: 1, at: $0) }
  }

  /// A number rounded to `decimals` places (0 to 9), half away from zero; trailing zeros are left out unless `trimmed` is
  /// false. NaN and infinities are left out altogether.
  package mutating func field(_ name: StaticString, _ value: Double?, decimals: Int, trimmed: Bool = true) {
    guard let value, value.isFinite else { return }
    guard Self.fits(value, decimals) else {
      key(name)
      return text(value.description)
    }
    field(name, room: Self.numberRoom) { Self.number(value, decimals: decimals, trimmed: trimmed, at: $0) }
  }

  /// An element of an array.
  package mutating func value(_ value: Int) {
    separate()
    write(room: 21) { Self.number(value, at: $0) }
  }

  /// An element of an array; one that is not finite is left out.
  package mutating func value(_ value: Double, decimals: Int, trimmed: Bool = true) {
    guard value.isFinite else { return }
    separate()
    guard Self.fits(value, decimals) else { return text(value.description) }
    write(room: Self.numberRoom) { Self.number(value, decimals: decimals, trimmed: trimmed, at: $0) }
  }

  @inline(__always)
  private static func number(_ value: Int, at place: UnsafeMutablePointer<UInt8>) -> Int {
    guard value < 0 else { return digits(UInt64(value), atLeast: 1, at: place) }
    place[0] = Byte.minus
    return 1 + digits(UInt64(value.magnitude), atLeast: 1, at: place + 1)
  }

  /// Whether a number in units of its last decimal fits 63 bits. One that does not has no decimals to lose, and its
  /// shortest form is a legal JSON number.
  private static func fits(_ value: Double, _ decimals: Int) -> Bool {
    value.magnitude < 9e9 || (value * Double(powerOfTen(min(max(decimals, 0), 9)))).magnitude < 0x1p63
  }

  /// A sign, 19 digits, a dot and 9 decimals.
  private static let numberRoom = 32

  @inline(never)
  private static func number(
    _ value: Double, decimals: Int, trimmed: Bool, at start: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var decimals = min(max(decimals, 0), 9)
    var unit = powerOfTen(decimals)
    let scaled = value * Double(unit)
    // Half away from zero, as `rounded()` does, which on x86-64 is a call into the mathematics library. Not by adding a
    // half: just below one, and from 2^52 on, that rounds by itself.
    var units = UInt64(scaled.magnitude)
    if scaled.magnitude - Double(units) >= 0.5 { units += 1 }
    let (whole, rest) = units.quotientAndRemainder(dividingBy: unit)
    var fraction = rest
    if trimmed {
      while decimals > 0, fraction.isMultiple(of: 10) {
        fraction /= 10
        unit /= 10
        decimals -= 1
      }
    }
    var place = start
    if scaled < 0, units > 0 {
      place[0] = Byte.minus
      place += 1
    }
    place += digits(whole, atLeast: 1, at: place)
    if decimals > 0 {
      place[0] = Byte.dot
      place += 1
      place += digits(fraction, atLeast: decimals, at: place)
    }
    return place - start
  }

  /// Writes the digits, zeros in front up to `width` (9 at most); how many they are, 20 at most.
  @inline(never)
  static func digits(_ value: UInt64, atLeast width: Int, at place: UnsafeMutablePointer<UInt8>) -> Int {
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
