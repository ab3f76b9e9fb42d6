/// Position and time of the last accepted fix, for comparison with the next one.
struct AcceptedFix: Sendable {
  /// Highest plausible speed between two fixes, m/s.
  static let plausibleSpeed = 150.0

  let position: Coordinate
  let time: FixTime

  /// The values of a fix; without a time of its own it keeps the previous one.
  init(_ fix: Fix, after previous: FixTime? = nil) {
    position = fix.position
    var time = FixTime(fix)
    if time.measured == nil, time.timeOfDay == nil {
      time.measured = previous?.measured
      time.timeOfDay = previous?.timeOfDay
    }
    self.time = time
  }

  /// Whether a later fix is reachable at a plausible speed.
  ///
  /// The longer of the receiver's and the monotonic interval counts, because a recording may be replayed fast and a
  /// receiver's clock may be set. Without any time the fix counts as reachable.
  func isFollowed(by fix: Fix) -> Bool {
    let later = FixTime(fix)
    let elapsed = later.received.nanoseconds &- time.received.nanoseconds
    let measured = later.nanoseconds(since: time)
    guard measured != nil || elapsed > 0 else { return true }
    let seconds = Double(max(measured ?? 0, elapsed)) * 1e-9
    return fix.position.isWithin(Self.plausibleSpeed * seconds, of: position)
  }
}

/// One or two consistent suspect fixes; the third is accepted together with them.
struct HeldFixes: Sendable {
  var first: Fix
  var second: Fix?
  /// When the first of them arrived.
  var since: MonotonicInstant

  /// The fix that the next one must be consistent with.
  var newest: Fix { second ?? first }

  /// The latest time of the held fixes, or that of the accepted fix when they have none.
  func latestTime(after accepted: FixTime) -> FixTime {
    let time = AcceptedFix(first, after: accepted).time
    return second.map { AcceptedFix($0, after: time).time } ?? time
  }
}

/// Measurement time of a fix, if known, and its arrival.
///
/// Times without a date are comparable: the time of day is taken on the day nearest to the one that the monotonic clock
/// predicts.
package struct FixTime: Hashable, Sendable {
  /// UTC, when a date is known.
  package var measured: UTCInstant?
  /// The time of day, when one was sent.
  package var timeOfDay: TimeOfDay?
  /// Monotonic time of arrival.
  package var received: MonotonicInstant

  package init(_ fix: Fix) {
    measured = fix.measured
    timeOfDay = fix.timeOfDay
    received = fix.received
  }

  /// Nanoseconds between the measurement times of an earlier arrival and this one, negative when this one was measured
  /// first; `nil` when a time is missing.
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
