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
