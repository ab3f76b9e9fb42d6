/// Judges the fixes of one source, one by one: order, plausibility, jumps.
///
/// Nothing passes by it, and every refusal is counted by its reason. A fix that implies more than 150 m/s
/// is held until three epochs agree with each other, or for 5 s, and is then accepted and marked: a place
/// that looks wrong is never refused for ever. A clock that steps back is believed after a minute.
package struct FixJudge: Sendable {
  /// How long a suspect fix is held.
  package static let longestHold = Duration.seconds(5)
  /// How long a source may send only fixes that are older than an accepted one before it is believed.
  package static let longestStepBack = Duration.seconds(60)

  /// The largest 95 % radius that is accepted, metres; `nil` accepts any.
  package let maxAccuracy: Double?
  /// How this judge has decided.
  package private(set) var counters = JudgeCounters()

  /// When held fixes are accepted although nothing more arrives; `nil` when none is held. Kept, not computed: it is
  /// asked for several times an epoch, and the state is large to look into.
  package private(set) var deadline: MonotonicInstant?

  private var state = State.empty

  private enum State {
    /// No fix was accepted yet.
    case empty
    /// Fixes are accepted.
    case trusting(AcceptedFix)
    /// Fixes that agree with each other lie implausibly far from the accepted one.
    case holding(AcceptedFix, HeldFixes)
    /// Fixes arrive that are older than the accepted one.
    case steppedBack(AcceptedFix, latest: FixTime, since: MonotonicInstant)
  }

  /// A judge that has seen nothing.
  package init(maxAccuracy: Double? = nil) {
    self.maxAccuracy = maxAccuracy
  }

  /// Judges a fix. Fixes that were held until now go to `released` first, oldest first; each is to be
  /// published as suspect.
  package mutating func judge(_ fix: Fix, released: (borrowing Fix) -> Void) -> FixVerdict {
    if fix.position.latitude == 0, fix.position.longitude == 0, fix.horizontalAccuracy == nil {
      return drop(.nullIsland)
    }
    if let maxAccuracy, let accuracy = fix.horizontalAccuracy, accuracy > maxAccuracy {
      return drop(.accuracy)
    }
    expire(at: fix.received, released: released)
    switch state {
    case .empty:
      return accept(fix)
    case .trusting(let reference):
      if let refusal = order(fix, after: reference, since: fix.received) { return refusal }
      return reference.isFollowed(by: fix) ? accept(fix) : hold(HeldFixes(first: fix, since: fix.received), reference)
    case .steppedBack(let reference, let latest, let since):
      let forward = (FixTime(fix).nanoseconds(since: latest) ?? 1) > 0
      if forward, fix.received - since >= Self.longestStepBack {
        counters.clockSteps &+= 1
        return accept(fix)
      }
      if let refusal = order(fix, after: reference, since: forward ? since : fix.received) { return refusal }
      return reference.isFollowed(by: fix) ? accept(fix) : hold(HeldFixes(first: fix, since: fix.received), reference)
    case .holding(let reference, let held):
      return judge(fix, reference, held, released: released)
    }
  }

  /// Accepts what has been held for long enough.
  package mutating func expire(at instant: MonotonicInstant, released: (borrowing Fix) -> Void) {
    if let deadline, instant >= deadline { release(to: released) }
  }

  /// Accepts what is held: nothing more will come.
  package mutating func endOfInput(released: (borrowing Fix) -> Void) {
    release(to: released)
  }

  /// Counts a fix that never became one, because its position is malformed or out of range.
  package mutating func dropOutOfRange() {
    counters.count(.outOfRange)
  }

  private mutating func judge(
    _ fix: Fix, _ reference: AcceptedFix, _ held: HeldFixes, released: (borrowing Fix) -> Void
  ) -> FixVerdict {
    if reference.isFollowed(by: fix), isNewer(fix, reference.time) {
      // The receiver is back where it was: what it said in between was wrong.
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
    counters.suspects &+= 1
    trust(fix)
    return .accepted(suspect: true)
  }

  /// The refusal of a fix that is not newer than the last accepted one; `nil` when it is newer.
  private mutating func order(
    _ fix: Fix, after reference: AcceptedFix, since: MonotonicInstant
  ) -> FixVerdict? {
    let time = FixTime(fix)
    guard let difference = time.nanoseconds(since: reference.time), difference <= 0 else { return nil }
    // A leap second has its successor's number in UTC, and yet is another second.
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
    counters.suspects &+= held.second == nil ? 1 : 2
    trust(held.first)
    released(held.first)
    guard let second = held.second else { return }
    trust(second)
    released(second)
  }
}
