/// A number in four bytes, to three decimals: what satellites' angles, levels and residuals need.
package struct Thousandths: Hashable, Sendable {
  private var stored: Int32

  /// What is larger, with or without a minus, is not stored.
  static let limit = 2_000_000.0

  /// None.
  package static let none = Thousandths(stored: .min)

  private init(stored: Int32) {
    self.stored = stored
  }

  /// Rounds to three decimals; what is not finite or beyond the limit is none.
  package init(_ value: Double?) {
    guard let value, abs(value) <= Self.limit else {
      stored = .min
      return
    }
    stored = Int32(value * 1000 + (value < 0 ? -0.5 : 0.5))
  }

  /// The number, `nil` when there is none.
  package var value: Double? { stored == .min ? nil : Double(stored) / 1000 }

  /// A whole number below 2,000,000.
  @inline(__always)
  init(whole: Int) {
    stored = Int32(truncatingIfNeeded: whole &* 1000)
  }

  /// A number as written, further decimals cut; `nil` beyond ± 2,000,000.
  @inline(__always)
  init?(_ decimal: Decimal, isNegative: Bool) {
    let excess = decimal.decimals &- 3
    guard excess > 0 || decimal.mantissa < 1_000_000_000_000 else { return nil }
    let thousandths =
      excess <= 0
      ? decimal.mantissa &* Decimal.integerPower(0 &- excess) : decimal.mantissa / Decimal.integerPower(excess)
    guard thousandths < 2_000_000_000 else { return nil }
    let value = Int32(truncatingIfNeeded: thousandths)
    stored = isNegative ? 0 &- value : value
  }

  /// Whether the number lies between two whole ones, both included.
  @inline(__always)
  func isIn(_ lowest: Int, _ highest: Int) -> Bool {
    (lowest &* 1000...highest &* 1000).contains(Int(stored))
  }

  /// The same direction below 360°.
  @inline(__always)
  var asCourse: Thousandths { stored == 360_000 ? Thousandths(stored: 0) : self }
}
