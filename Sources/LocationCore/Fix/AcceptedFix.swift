package enum FixJump: Hashable, Sendable {
  /// Too far away for a plausible speed.
  case position
  /// Measured later than the monotonic clock allows.
  case timeAhead
  /// Not measured later.
  case timeBack
}

struct AcceptedFix: Sendable {
  /// Highest plausible speed between two fixes, m/s.
  static let plausibleSpeed = 150.0

  let position: Coordinate
  let received: MonotonicInstant
  /// Its time, or that of the newest fix before it that had one.
  let time: FixTime
  /// Nanoseconds that it arrived later than usual: bytes wait for a stopped process. Forgotten at 1 ms/s: clocks drift.
  let delay: Int64

  init(_ fix: Fix, _ jump: FixJump? = nil, after previous: AcceptedFix? = nil, keepsDelay: Bool = true) {
    position = fix.position
    received = fix.received
    let own = FixTime(fix)
    time = own.isKnown ? own : previous?.time ?? own
    guard let previous, keepsDelay, jump == nil || jump == .position else {
      delay = 0
      return
    }
    let lead = own.lead(on: previous.time) ?? 0
    delay = max(0, previous.delay &- lead &- own.elapsed(since: previous.time) / 1000)
  }

  /// Whether a fix with the same time is not the same: it came later, from elsewhere.
  func isSteppedBack(to fix: Fix) -> Bool {
    fix.position != position && FixTime(fix).elapsed(since: time) >= FixTime.noticedStep
  }

  /// The jump to a later fix; `nil` when the fix is plausible. For the speed, the longer of the receiver's and the
  /// monotonic interval counts, because a recording may be replayed fast. Without any time, each position is plausible.
  func jump(to fix: Fix, isAfterGap: Bool = false) -> FixJump? {
    let later = FixTime(fix)
    let measured = later.nanoseconds(since: time)
    if let measured {
      guard measured > 0 else { return .timeBack }
      if !isAfterGap, (later.lead(on: time) ?? 0) &- delay > FixTime.tolerance { return .timeAhead }
    }
    let elapsed = later.received.nanoseconds &- received.nanoseconds
    guard measured != nil || elapsed > 0 else { return nil }
    let seconds = Double(max(measured ?? 0, elapsed)) * 1e-9
    return fix.position.isWithin(Self.plausibleSpeed * seconds, of: position) ? nil : .position
  }
}

/// One or two fixes that jumped and agree with each other; the third is accepted together with them.
struct HeldFixes: Sendable {
  let first: Fix
  let jump: FixJump
  /// When the first fix that was implausible arrived, whether it is still held or not.
  let since: MonotonicInstant
  private(set) var second: Fix?
  /// The fix that the next one must agree with.
  private(set) var newest: AcceptedFix

  init(_ first: Fix, _ jump: FixJump, after accepted: AcceptedFix, since: MonotonicInstant) {
    self.first = first
    self.jump = jump
    self.since = since
    newest = AcceptedFix(first, jump, after: accepted)
  }

  mutating func append(_ fix: Fix) {
    second = fix
    newest = AcceptedFix(fix, after: newest)
  }

  /// Whether a fix continues these, after a step back, rather than the accepted one: since that, time would run slower.
  func isContinued(by fix: Fix, rather accepted: AcceptedFix?) -> Bool {
    guard jump == .timeBack, newest.jump(to: fix) == nil else { return false }
    let time = FixTime(fix)
    guard let own = time.lead(on: newest.time), let other = accepted.flatMap({ time.lead(on: $0.time) }) else {
      return false
    }
    return other < -FixTime.noticedStep && own.magnitude < (other + FixTime.noticedStep).magnitude
  }

  /// The jump that fixes after the first are accepted with: all of them are suspect, but a clock steps once.
  var laterJump: FixJump? { jump == .position ? .position : nil }
}

/// Times without a date are comparable: taken on the day nearest to the one that the monotonic clock predicts.
struct FixTime: Hashable, Sendable {
  /// Most by which the receiver's clock may run ahead of the monotonic one between two fixes, nanoseconds.
  static let tolerance: Int64 = 10_000_000_000
  /// Least step of a clock back that is distinguished from late bytes, nanoseconds.
  static let noticedStep: Int64 = 500_000_000

  /// UTC, when a date is known.
  @Compact private(set) var measured: UTCInstant?
  /// The time of day, when one was sent.
  @Compact private(set) var timeOfDay: TimeOfDay?
  let received: MonotonicInstant
}

extension FixTime {
  init(_ fix: Fix) { self.init(measured: fix.measured, timeOfDay: fix.timeOfDay, received: fix.received) }
  var isKnown: Bool { measured != nil || timeOfDay != nil }
  /// Nanoseconds between the arrivals.
  func elapsed(since earlier: FixTime) -> Int64 { received.nanoseconds &- earlier.received.nanoseconds }

  /// Nanoseconds from the measurement of an earlier arrival to this one, maybe negative; `nil` when a time is missing.
  func nanoseconds(since earlier: FixTime) -> Int64? {
    // A leap second has the UTC numbers of the second after it.
    let leap: Int64 = earlier.isInLeapSecond && !isInLeapSecond ? 1_000_000_000 : 0
    if let measured, let start = earlier.measured {
      let (difference, overflow) = measured.nanosecondsSince1970
        .subtractingReportingOverflow(start.nanosecondsSince1970)
      if overflow { return measured < start ? .min : .max }
      return difference &+ leap
    }
    guard let timeOfDay, let start = earlier.timeOfDay else { return nil }
    let elapsed = elapsed(since: earlier)
    let expected = start.nanoseconds &+ elapsed
    return elapsed &+ TimeOfDay.nearestDay(timeOfDay.nanoseconds &- expected) &+ leap
  }

  /// Nanoseconds by which the receiver's clock advanced more than the monotonic one; `nil` when a time is missing.
  func lead(on earlier: FixTime) -> Int64? {
    guard let measured = nanoseconds(since: earlier) else { return nil }
    let (lead, overflow) = measured.subtractingReportingOverflow(elapsed(since: earlier))
    return overflow ? measured : lead
  }

  /// Whether the receiver's clock ran neither backwards nor ahead.
  func continues(_ earlier: FixTime, isAfterGap: Bool = false) -> Bool {
    guard let lead = lead(on: earlier), let measured = nanoseconds(since: earlier) else { return true }
    return measured >= 0 && (isAfterGap || lead <= Self.tolerance)
  }

  /// Whether the receiver's clock and the monotonic one advanced alike.
  func agrees(with earlier: FixTime) -> Bool {
    guard let lead = lead(on: earlier) else { return true }
    return (-Self.tolerance...Self.tolerance).contains(lead)
  }

  /// Whether its UTC number lies within the leap second that `earlier` was measured in.
  func repeatsLeapSecond(of earlier: FixTime) -> Bool {
    guard earlier.isInLeapSecond, !isInLeapSecond, let measured, let start = earlier.measured else { return false }
    return measured < start && measured >= start - .seconds(1)
  }

  private var isInLeapSecond: Bool { timeOfDay?.isLeapSecond ?? false }
}
