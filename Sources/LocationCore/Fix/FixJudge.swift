/// Plausibility check of one source's fixes: order, range and jumps. Every fix passes through it, and rejections are
/// counted by reason. A fix that jumps is held: one that implies more than 150 m/s, one measured before the last
/// accepted fix, and one measured more than 10 s later than the monotonic clock allows. Three epochs that agree with
/// each other are accepted, and so are two after 5 s; an epoch that continues the accepted fixes drops the held ones.
/// A receiver's clock may step back by so little that the fixes after it soon seem to continue those before it: they
/// continue the held ones if their times agree better with the monotonic clock. After 5 s a single fix is accepted if
/// its position jumped, and dropped if its time did; then the next fix is accepted in any case, so that no receiver is
/// rejected for ever.
package struct FixJudge: Sendable {
  package static let longestHold = Duration.seconds(5)

  package internal(set) var counters = JudgeCounters()
  /// When the held fixes are released or dropped without another fix, if any. Stored: read several times per epoch.
  package private(set) var deadline: MonotonicInstant?
  private var reference: AcceptedFix?
  /// With a deadline, which is asked first: fixes are large, and seldom held.
  private var held: HeldFixes?
  /// The first and the last gap in the input since the reference.
  private var gaps: (first: MonotonicInstant, last: MonotonicInstant)?
  /// Whether a jump of time was neither confirmed nor refuted, so that the next fix is accepted.
  private var isUndecided = false
  /// The newest time of an epoch without a fix since the reference, and a contradicting one with how many agree.
  private var voidTimes: (newest: FixTime?, doubtful: FixTime?, agreeing: Int) = (nil, nil, 0)
  /// Whether the next fix belongs to another stream of bytes, whose delay is unknown.
  private var isNewStream = false

  package var delay: Duration { .nanoseconds(reference?.delay ?? 0) }

  /// - Parameter released: Receives previously held fixes, oldest first, each with its jump; publish them before `fix`.
  package mutating func judge(_ fix: Fix, released: (borrowing Fix, FixJump?) -> Void) -> FixVerdict {
    if fix.position.latitude == 0, fix.position.longitude == 0, fix.horizontalAccuracy == nil {
      return drop(.nullIsland)
    }
    expire(at: fix.received, released: released)
    let time = FixTime(fix)
    // Published times never step back, and the UTC numbers of a leap second come twice.
    if let reference, time.repeatsLeapSecond(of: reference.time) { return drop(.duplicate) }
    let isAfterGap = gaps.map { $0.first <= fix.received } ?? false
    let continuesHeld = deadline != nil && held.map { $0.isContinued(by: fix, rather: reference) } ?? false
    guard let reference, let jump = reference.jump(to: fix, isAfterGap: isAfterGap) else {
      if continuesHeld, let held {
        release(held, to: released)
      } else {
        dropHeld()
      }
      return accept(fix, nil)
    }
    let isSame = time.nanoseconds(since: reference.time) == 0
    let isRepeated = isSame && !continuesHeld && (isUndecided || !reference.isSteppedBack(to: fix))
    if isRepeated || deadline != nil && held.map({ time.nanoseconds(since: $0.newest.time) == 0 }) ?? false {
      return drop(.duplicate)
    }
    if isUndecided { return accept(fix, jump) }
    guard var held, held.newest.jump(to: fix) == nil else {
      let since = held?.since ?? fix.received
      dropHeld()
      return hold(HeldFixes(fix, jump, after: reference, since: since))
    }
    guard held.second == nil else {
      release(held, to: released)
      return accept(fix, held.laterJump)
    }
    held.append(fix)
    return hold(held)
  }

  /// The time of an epoch without a fix, unless it runs backwards or ahead; of three times that agree the last counts.
  package mutating func plausible(
    _ measured: UTCInstant?, _ timeOfDay: TimeOfDay? = nil, at instant: MonotonicInstant
  ) -> UTCInstant? {
    guard let measured else { return nil }
    let time = FixTime(measured: measured, timeOfDay: timeOfDay, received: instant)
    if let before = voidTimes.newest ?? reference?.time, !time.continues(before, isAfterGap: gaps != nil) {
      let agrees = voidTimes.doubtful.map { time.continues($0) } ?? false
      voidTimes.agreeing = agrees ? voidTimes.agreeing + 1 : 1
      voidTimes.doubtful = time
      guard voidTimes.agreeing >= 3 else { return nil }
    }
    voidTimes = (time, nil, 0)
    return measured
  }

  package mutating func expire(at instant: MonotonicInstant, released: (borrowing Fix, FixJump?) -> Void) {
    if let deadline, instant >= deadline { decide(released: released) }
  }

  package mutating func endOfInput(released: (borrowing Fix, FixJump?) -> Void) {
    decide(released: released)
    isNewStream = true
  }

  private mutating func decide(released: (borrowing Fix, FixJump?) -> Void) {
    guard let held else { return }
    if held.second == nil, held.jump != .position {
      dropHeld()
      isUndecided = true
    } else {
      release(held, to: released)
    }
  }

  package mutating func gap(at instant: MonotonicInstant) { gaps = (gaps?.first ?? instant, instant) }

  private mutating func accept(_ fix: Fix, _ jump: FixJump?) -> FixVerdict {
    counters.accepted &+= 1
    if jump == .timeBack { counters.clockSteps &+= 1 }
    reference = AcceptedFix(fix, jump, after: reference, keepsDelay: !isNewStream)
    if voidTimes.newest != nil || voidTimes.doubtful != nil { voidTimes = (nil, nil, 0) }
    isUndecided = false
    isNewStream = false
    if let last = gaps?.last { gaps = last > fix.received ? (last, last) : nil }
    return .accepted(jump)
  }

  private mutating func drop(_ reason: FixRejection) -> FixVerdict {
    counters.count(reason)
    return .dropped(reason)
  }

  private mutating func hold(_ held: HeldFixes) -> FixVerdict {
    counters.held &+= 1
    deadline = held.since + Self.longestHold
    self.held = held
    return .held(held.jump)
  }

  private mutating func dropHeld() {
    guard deadline != nil, let held else { return }
    let count: UInt64 = held.second == nil ? 1 : 2
    if held.jump == .timeBack { counters.outOfOrder &+= count } else { counters.jump &+= count }
    forgetHeld()
  }

  private mutating func release(_ held: HeldFixes, to released: (borrowing Fix, FixJump?) -> Void) {
    forgetHeld()
    _ = accept(held.first, held.jump)
    released(held.first, held.jump)
    guard let second = held.second else { return }
    _ = accept(second, held.laterJump)
    released(second, held.laterJump)
  }

  private mutating func forgetHeld() {
    held = nil
    deadline = nil
  }
}
