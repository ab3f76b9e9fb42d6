/// Plausibility check of one source's fixes: order, range and jumps.
///
/// Every fix passes through it, and rejections are counted by reason. A fix that implies more than 150 m/s is held
/// until three epochs agree with each other, or for 5 s, and is then accepted as suspect, so that no position is
/// rejected for ever. A backward step of the receiver's clock is accepted after a minute.
package struct FixJudge: Sendable {
  /// Longest time for which a suspect fix is held.
  package static let longestHold = Duration.seconds(5)
  /// How long a source must send only fixes older than the accepted one until its clock step is accepted.
  package static let longestStepBack = Duration.seconds(60)

  /// Totals of the decisions so far.
  package private(set) var counters = JudgeCounters()

  /// When held fixes are released even if no fix arrives; `nil` when none is held. Stored because it is read several
  /// times per epoch.
  package private(set) var deadline: MonotonicInstant?

  private var state = State.empty

  private enum State {
    /// No fix was accepted yet.
    case empty
    /// Fixes are plausible.
    case trusting(AcceptedFix)
    /// Consistent fixes are implausibly far from the accepted one.
    case holding(AcceptedFix, HeldFixes)
    /// Fixes are older than the accepted one.
    case steppedBack(AcceptedFix, latest: FixTime, since: MonotonicInstant)
  }

  package init() {}

  /// Judges a fix.
  ///
  /// - Parameter released: Receives previously held fixes, oldest first, to be published as suspect before `fix`.
  package mutating func judge(_ fix: Fix, released: (borrowing Fix) -> Void) -> FixVerdict {
    if fix.position.latitude == 0, fix.position.longitude == 0, fix.horizontalAccuracy == nil {
      return drop(.nullIsland)
    }
    expire(at: fix.received, released: released)
    switch state {
    case .empty:
      return accept(fix)
    case .trusting(let reference):
      if let rejection = order(fix, after: reference, since: fix.received) { return rejection }
      return reference.isFollowed(by: fix) ? accept(fix) : hold(HeldFixes(first: fix, since: fix.received), reference)
    case .steppedBack(let reference, let latest, let since):
      let forward = (FixTime(fix).nanoseconds(since: latest) ?? 1) > 0
      if forward, fix.received - since >= Self.longestStepBack {
        counters.clockSteps &+= 1
        return accept(fix)
      }
      if let rejection = order(fix, after: reference, since: forward ? since : fix.received) { return rejection }
      return reference.isFollowed(by: fix) ? accept(fix) : hold(HeldFixes(first: fix, since: fix.received), reference)
    case .holding(let reference, let held):
      return judge(fix, reference, held, released: released)
    }
  }

  /// Releases the held fixes once their deadline has passed.
  package mutating func expire(at instant: MonotonicInstant, released: (borrowing Fix) -> Void) {
    if let deadline, instant >= deadline { release(to: released) }
  }

  /// Releases the held fixes at the end of the input.
  package mutating func endOfInput(released: (borrowing Fix) -> Void) {
    release(to: released)
  }

  /// Counts an epoch whose position is malformed or out of range.
  package mutating func dropOutOfRange() {
    counters.count(.outOfRange)
  }

  private mutating func judge(
    _ fix: Fix, _ reference: AcceptedFix, _ held: HeldFixes, released: (borrowing Fix) -> Void
  ) -> FixVerdict {
    if reference.isFollowed(by: fix), isNewer(fix, reference.time) {
      // Back at the accepted position: the held fixes were wrong.
      dropHeld(held)
      return accept(fix)
    }
    let latest = held.latestTime(after: reference.time)
    guard isNewer(fix, latest) else {
      let same = FixTime(fix).nanoseconds(since: latest) == 0
      return drop(same ? .duplicate : .outOfOrder)
    }
    guard AcceptedFix(held.newest).isFollowed(by: fix) else {
      dropHeld(held)
      return hold(HeldFixes(first: fix, since: held.since), reference)
    }
    guard held.second != nil else {
      return hold(HeldFixes(first: held.first, second: fix, since: held.since), reference)
    }
    release(to: released)
    trust(fix)
    return .accepted(suspect: true)
  }

  /// The rejection of a fix that is not newer than the last accepted one; `nil` when it is newer.
  private mutating func order(
    _ fix: Fix, after reference: AcceptedFix, since: MonotonicInstant
  ) -> FixVerdict? {
    let time = FixTime(fix)
    guard let difference = time.nanoseconds(since: reference.time), difference <= 0 else { return nil }
    // A leap second shares its UTC number with the next second.
    if difference == 0 {
      return time.timeOfDay == reference.time.timeOfDay ? drop(.duplicate) : nil
    }
    state = .steppedBack(reference, latest: time, since: since)
    return drop(.outOfOrder)
  }

  private func isNewer(_ fix: Fix, _ time: FixTime) -> Bool {
    (FixTime(fix).nanoseconds(since: time) ?? 1) > 0
  }

  private mutating func accept(_ fix: Fix) -> FixVerdict {
    trust(fix)
    return .accepted(suspect: false)
  }

  /// The time of the last accepted fix.
  private var lastTime: FixTime? {
    switch state {
    case .empty: nil
    case .trusting(let reference), .holding(let reference, _), .steppedBack(let reference, _, _): reference.time
    }
  }

  private mutating func trust(_ fix: Fix) {
    counters.accepted &+= 1
    deadline = nil
    state = .trusting(AcceptedFix(fix, after: lastTime))
  }

  private mutating func drop(_ reason: FixRejection) -> FixVerdict {
    counters.count(reason)
    return .dropped(reason)
  }

  private mutating func hold(_ held: HeldFixes, _ reference: AcceptedFix) -> FixVerdict {
    counters.held &+= 1
    deadline = held.since + Self.longestHold
    state = .holding(reference, held)
    return .held
  }

  private mutating func dropHeld(_ held: HeldFixes) {
    counters.jump &+= held.second == nil ? 1 : 2
  }

  private mutating func release(to released: (borrowing Fix) -> Void) {
    guard case .holding(_, let held) = state else { return }
    trust(held.first)
    released(held.first)
    guard let second = held.second else { return }
    trust(second)
    released(second)
  }
}
