/// An unsigned decimal number: `mantissa / 10^decimals`.
struct Decimal {
  let mantissa: Int64
  let decimals: Int

  /// The value, rounded once if the mantissa is below 2^53.
  @inline(__always) var value: Double { Double(mantissa) / Self.power(decimals) }

  /// Parses at least one digit and at most one dot. 8 bytes after the field must be readable. Decimals beyond the 18th
  /// character are validated and dropped; more than 17 digits before the dot are invalid.
  @inline(__always) init?(_ start: UnsafePointer<UInt8>, _ count: Int) {
    guard count <= 8 else {
      self.init(long: start, count)
      return
    }
    let word = Bytes.load(start)
    let dot = Bytes.firstDot(word).trailingZeroBitCount >> 3
    if dot >= count {
      guard count > 0, let whole = Digits.value(word, count) else { return nil }
      self.init(mantissa: Int64(truncatingIfNeeded: whole), decimals: 0)
      return
    }
    // Shift the characters after the dot into its place.
    let front = (1 &<< UInt64(truncatingIfNeeded: 8 &* dot)) &- 1
    let digits = word & front | (word >> 8) & ~front
    guard count > 1, let mantissa = Digits.value(digits, count &- 1) else { return nil }
    self.init(mantissa: Int64(truncatingIfNeeded: mantissa), decimals: count &- dot &- 1)
  }

  private init(mantissa: Int64, decimals: Int) {
    self.mantissa = mantissa
    self.decimals = decimals
  }

  @inline(never) private init?(long start: UnsafePointer<UInt8>, _ count: Int) {
    var mantissa: Int64 = 0
    var decimals: Int?
    for index in 0..<count {
      let digit = start[index] &- 0x30
      if digit <= 9 {
        guard index < 19 else {
          if decimals == nil { return nil }
          continue
        }
        if index == 18, decimals == nil { return nil }
        mantissa = mantissa &* 10 &+ Int64(digit)
        decimals = decimals.map { $0 + 1 }
      } else if start[index] == 0x2E, decimals == nil {
        decimals = 0
      } else {
        return nil
      }
    }
    guard count > 1 || decimals == nil else { return nil }
    self.init(mantissa: mantissa, decimals: decimals ?? 0)
  }

  @inline(__always) static func power(_ exponent: Int) -> Double { Double(integerPower(exponent)) }

  @inline(__always) static func integerPower(_ exponent: Int) -> Int64 {
    Int64(truncatingIfNeeded: UInt64.powerOfTen(exponent))
  }
}

extension UInt64 {
  /// 10^exponent; 10^18 for exponents above 18.
  @inlinable @inline(__always) package static func powerOfTen(_ exponent: Int) -> UInt64 {
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
    case 9: 1_000_000_000
    case 10: 10_000_000_000
    case 11: 100_000_000_000
    case 12: 1_000_000_000_000
    case 13: 10_000_000_000_000
    case 14: 100_000_000_000_000
    case 15: 1_000_000_000_000_000
    case 16: 10_000_000_000_000_000
    case 17: 100_000_000_000_000_000
    default: 1_000_000_000_000_000_000
    }
  }
}

/// An optional number with three decimals in four bytes, for the angles, levels and residuals of satellites.
@propertyWrapper
package struct Thousandths: Hashable, Sendable {
  private var stored: Int32

  static let limit = 2_000_000.0
  package static let none = Thousandths(stored: .min)

  private init(stored: Int32) { self.stored = stored }

  /// Rounds to three decimals; no value for numbers that are not finite or beyond the limit.
  package init(wrappedValue value: Double?) {
    guard let value, abs(value) <= Self.limit else {
      stored = .min
      return
    }
    stored = Int32(value * 1000 + (value < 0 ? -0.5 : 0.5))
  }

  package var wrappedValue: Double? {
    get { stored == .min ? nil : Double(stored) / 1000 }
    set { self = Self(wrappedValue: newValue) }
  }

  /// A whole number below 2,000,000.
  @inline(__always) init(whole: Int) { stored = Int32(truncatingIfNeeded: whole &* 1000) }

  /// A decimal truncated to three decimals; `nil` beyond ± 2,000,000.
  @inline(__always) init?(_ decimal: Decimal, isNegative: Bool) {
    let excess = decimal.decimals &- 3
    guard excess > 0 || decimal.mantissa < 1_000_000_000_000 else { return nil }
    let thousandths =
      excess <= 0
      ? decimal.mantissa &* Decimal.integerPower(0 &- excess) : decimal.mantissa / Decimal.integerPower(excess)
    guard thousandths < 2_000_000_000 else { return nil }
    let value = Int32(truncatingIfNeeded: thousandths)
    stored = isNegative ? 0 &- value : value
  }

  @inline(__always)
  func isIn(_ lowest: Int, _ highest: Int) -> Bool { (lowest &* 1000...highest &* 1000).contains(Int(stored)) }

  /// The equivalent direction below 360°.
  @inline(__always) var asCourse: Thousandths { stored == 360_000 ? Thousandths(stored: 0) : self }
}
