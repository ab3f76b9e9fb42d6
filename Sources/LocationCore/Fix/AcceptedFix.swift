/// The last fix that a judge accepted, as far as the next one is compared with it.
struct AcceptedFix: Sendable {
  /// How far fixes may lie apart for the time between them, m/s.
  static let plausibleSpeed = 150.0

  let position: Coordinate
  let time: FixTime

  /// The fix; one that tells no time leaves the last known one of the fix before standing.
  init(_ fix: Fix, after previous: FixTime? = nil) {
    position = fix.position
    var time = FixTime(fix)
    if time.measured == nil, time.timeOfDay == nil {
      time.measured = previous?.measured
      time.timeOfDay = previous?.timeOfDay
    }
    self.time = time
  }

  /// Whether the way to a later fix can have been ridden. The longer of the receiver's and the monotonic time
  /// counts: a recording may run fast, and a receiver's clock may be set. Without any time there is no speed
  /// to doubt.
  func isFollowed(by fix: Fix) -> Bool {
    let later = FixTime(fix)
    let elapsed = later.received.nanoseconds &- time.received.nanoseconds
    let measured = later.nanoseconds(since: time)
    guard measured != nil || elapsed > 0 else { return true }
    let seconds = Double(max(measured ?? 0, elapsed)) * 1e-9
    return fix.position.isWithin(Self.plausibleSpeed * seconds, of: position)
  }
}

/// Suspect fixes that agree with each other: two at most, the third one ends the wait.
struct HeldFixes: Sendable {
  var first: Fix
  var second: Fix?
  /// When the first doubt arose, monotonic.
  var since: MonotonicInstant

  /// The one that the next fix has to agree with.
  var newest: Fix { second ?? first }

  /// The latest time that any of them tells; that of what was accepted before when none does.
  func latestTime(after accepted: FixTime) -> FixTime {
    let time = AcceptedFix(first, after: accepted).time
    return second.map { AcceptedFix($0, after: time).time } ?? time
  }
}

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
