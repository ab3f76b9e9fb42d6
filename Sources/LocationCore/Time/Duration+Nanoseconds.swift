extension Duration {
  /// Whole nanoseconds, saturating at the range of `Int64` (292 years).
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = parts
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    if carry { return seconds < 0 ? .min : .max }
    return sum
  }

  /// Seconds as a `Double`.
  package var inSeconds: Double {
    let (seconds, attoseconds) = parts
    return Double(seconds) + Double(attoseconds) * 1e-18
  }

  /// Its components; nearly every one is shorter than nine seconds, which one word of attoseconds holds.
  private var parts: (seconds: Int64, attoseconds: Int64) {
    guard let word = Int64(exactly: attoseconds) else { return components }
    let (quotient, remainder) = word.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    return (quotient, remainder)
  }

  /// A duration of a finite number of seconds; `nil` for NaN, infinities and what a `Double` of
  /// seconds cannot hold within ± 292 years.
  package init?(finiteSeconds seconds: Double) {
    guard seconds.isFinite, abs(seconds) < 9.2e9 else { return nil }
    self = .nanoseconds(Int64((seconds * 1e9).rounded()))
  }
}
