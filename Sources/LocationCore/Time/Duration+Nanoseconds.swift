extension Duration {
  /// Whole nanoseconds, saturating at the range of `Int64` (292 years).
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    if carry { return seconds < 0 ? .min : .max }
    return sum
  }

  /// Seconds as a `Double`.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// A duration of a finite number of seconds; `nil` for NaN, infinities and what a `Double` of
  /// seconds cannot hold within ± 292 years.
  package init?(finiteSeconds seconds: Double) {
    guard seconds.isFinite, abs(seconds) < 9.2e9 else { return nil }
    self = .nanoseconds(Int64((seconds * 1e9).rounded()))
  }
}
