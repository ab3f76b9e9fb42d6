/// A point on the monotonic clock: never stepped, unrelated to the calendar.
///
/// Every time-out, age and rate is measured on it. Nothing in this module reads the clock;
/// instants come in from outside, so replayed and virtual time drive the same code.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's arbitrary start.
  public var nanoseconds: Int64

  /// An instant that many nanoseconds after the clock's start.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The clock's start.
  package static let zero = MonotonicInstant(nanoseconds: 0)

  /// Orders by time.
  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The instant `duration` later.
  package static func + (instant: Self, duration: Duration) -> Self {
    MonotonicInstant(nanoseconds: instant.nanoseconds &+ duration.nanoseconds)
  }

  /// The instant that many nanoseconds later. A `Duration` counts attoseconds in 128 bits: what every epoch asks
  /// needs neither.
  @inline(__always)
  func later(by nanoseconds: Int64) -> Self {
    MonotonicInstant(nanoseconds: self.nanoseconds &+ nanoseconds)
  }

  /// The instant `duration` earlier.
  package static func - (instant: Self, duration: Duration) -> Self {
    MonotonicInstant(nanoseconds: instant.nanoseconds &- duration.nanoseconds)
  }

  /// The time from `start` to `end`, negative when `end` came first.
  package static func - (end: Self, start: Self) -> Duration {
    .nanoseconds(end.nanoseconds &- start.nanoseconds)
  }

  /// Seconds from `start` to this instant.
  package func seconds(since start: Self) -> Double {
    Double(nanoseconds &- start.nanoseconds) * 1e-9
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
