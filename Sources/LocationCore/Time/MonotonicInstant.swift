/// A point on the monotonic clock. Callers pass instants in, so replayed and virtual time drive the same code.
package struct MonotonicInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's arbitrary start.
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static let zero = MonotonicInstant(nanoseconds: 0)

  package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  package static func + (instant: Self, duration: Duration) -> Self {
    MonotonicInstant(nanoseconds: instant.nanoseconds &+ duration.nanoseconds)
  }

  /// The instant `nanoseconds` later. The 128-bit arithmetic of `Duration` is too slow for every epoch.
  @inline(__always)
  func later(by nanoseconds: Int64) -> Self { MonotonicInstant(nanoseconds: self.nanoseconds &+ nanoseconds) }

  package static func - (instant: Self, duration: Duration) -> Self {
    MonotonicInstant(nanoseconds: instant.nanoseconds &- duration.nanoseconds)
  }

  /// The time from `start` to `end`; negative when `end` is earlier.
  package static func - (end: Self, start: Self) -> Duration { .nanoseconds(end.nanoseconds &- start.nanoseconds) }
  package func seconds(since start: Self) -> Double { Double(nanoseconds &- start.nanoseconds) * 1e-9 }
}

extension MonotonicInstant? {
  /// The earlier of two instants; `nil` if there is neither.
  @inline(__always) package func earlier(_ other: MonotonicInstant?) -> MonotonicInstant? {
    guard let self, let other else { return self ?? other }
    return min(self, other)
  }
}

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

  package var inSeconds: Double {
    let (seconds, attoseconds) = parts
    return Double(seconds) + Double(attoseconds) * 1e-18
  }

  /// `components`, with a fast path for durations whose attoseconds fit one word (9 s).
  private var parts: (seconds: Int64, attoseconds: Int64) {
    guard let word = Int64(exactly: attoseconds) else { return components }
    let (quotient, remainder) = word.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    return (quotient, remainder)
  }

  /// A duration in seconds, or `nil` when `seconds` is not finite or beyond ± 292 years.
  package init?(finiteSeconds seconds: Double) {
    guard seconds.isFinite, abs(seconds) < 9.2e9 else { return nil }
    self = .nanoseconds(Int64((seconds * 1e9).rounded()))
  }
}
