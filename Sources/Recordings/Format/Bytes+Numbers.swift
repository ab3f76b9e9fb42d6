import LocationCore

extension [UInt8] {
  /// Appends a finite number rounded to `decimals` places (0 to 9), half away from zero; trailing zeros are left out
  /// unless `trimmed` is false. Never an exponent: what is too large for that is written as ± 9 × 10⁸.
  package mutating func append(fixed number: Double, decimals: Int, trimmed: Bool = true) {
    var decimals = Swift.min(Swift.max(decimals, 0), 9)
    var unit: UInt64 = 1
    for _ in 0..<decimals { unit *= 10 }
    let bounded = number.isFinite ? Swift.min(Swift.max(number, -9e8), 9e8) : 0
    let scaled = (bounded * Double(unit)).rounded()
    if scaled < 0 { append(UInt8(ascii: "-")) }
    var (whole, fraction) = UInt64(scaled.magnitude).quotientAndRemainder(dividingBy: unit)
    if trimmed {
      while decimals > 0, fraction % 10 == 0 {
        fraction /= 10
        decimals -= 1
      }
    }
    var places = 1
    var limit: UInt64 = 10
    while whole >= limit {
      limit *= 10
      places += 1
    }
    let size = places + (decimals > 0 ? decimals + 1 : 0)
    append(contentsOf: repeatElement(UInt8(ascii: "."), count: size))
    var place = count
    for _ in 0..<decimals {
      place -= 1
      self[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction % 10)
      fraction /= 10
    }
    if decimals > 0 { place -= 1 }
    for _ in 0..<places {
      place -= 1
      self[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: whole % 10)
      whole /= 10
    }
  }

  /// Appends an instant as `YYYY-MM-DDThh:mm:ss[.sss]Z`, cut to the millisecond, without decimals on the full second.
  package mutating func append(iso8601 instant: UTCInstant) {
    let date = instant.date
    appendDigits(date.year, width: 4, then: UInt8(ascii: "-"))
    appendDigits(date.month, width: 2, then: UInt8(ascii: "-"))
    appendDigits(date.day, width: 2, then: UInt8(ascii: "T"))
    let milliseconds = Int(instant.nanosecondsOfDay / 1_000_000)
    let seconds = milliseconds / 1000
    appendDigits(seconds / 3600, width: 2, then: UInt8(ascii: ":"))
    appendDigits(seconds / 60 % 60, width: 2, then: UInt8(ascii: ":"))
    let rest = milliseconds % 1000
    appendDigits(seconds % 60, width: 2, then: UInt8(ascii: rest == 0 ? "Z" : "."))
    if rest > 0 { appendDigits(rest, width: 3, then: UInt8(ascii: "Z")) }
  }

  /// Appends a literal.
  package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append(contentsOf: $0) }
  }

  private mutating func appendDigits(_ number: Int, width: Int, then end: UInt8) {
    append(contentsOf: repeatElement(end, count: width + 1))
    var rest = number
    for place in 0..<width {
      self[count - 2 - place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}
