/// When a fix was made, in whatever the receiver told about it, and when it arrived.
///
/// Two of them can be put in order even when one has no date: its time of day is then taken on the day that
/// lies nearest to where the monotonic clock expects it.
package struct FixTime: Hashable, Sendable {
  /// UTC, when a date is known.
  package var measured: UTCInstant?
  /// The time of day, when one was sent.
  package var timeOfDay: TimeOfDay?
  /// Monotonic instant of arrival.
  package var received: MonotonicInstant

  package init(_ fix: Fix) {
    measured = fix.measured
    timeOfDay = fix.timeOfDay
    received = fix.received
  }

  /// Nanoseconds from an earlier arrival's time of measurement to this one's, negative when this one was
  /// measured first; `nil` when a time is missing.
  func nanoseconds(since earlier: FixTime) -> Int64? {
    if let measured, let start = earlier.measured {
      let (difference, overflow) = measured.nanosecondsSince1970
        .subtractingReportingOverflow(start.nanosecondsSince1970)
      return overflow ? nil : difference
    }
    guard let timeOfDay, let start = earlier.timeOfDay else { return nil }
    let elapsed = received.nanoseconds &- earlier.received.nanoseconds
    let expected = start.nanoseconds &+ elapsed
    return elapsed &+ TimeOfDay.nearestDay(timeOfDay.nanoseconds &- expected)
  }
}

extension TimeOfDay {
  /// A difference of times of day, taken on the day that makes it smallest: above −12 h, up to 12 h.
  static func nearestDay(_ difference: Int64) -> Int64 {
    let rest = difference % day
    if rest > day / 2 { return rest - day }
    return rest <= -day / 2 ? rest + day : rest
  }

  /// How far apart two times of day are, midnight or not, nanoseconds.
  func distance(to other: TimeOfDay) -> Int64 {
    abs(Self.nearestDay(nanoseconds - other.nanoseconds))
  }
}
