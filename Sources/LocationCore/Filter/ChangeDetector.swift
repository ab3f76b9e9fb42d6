/// Finds what changes from fix to fix over the whole stream: stop, start, mode, source, return.
///
/// - Stop: the speed stays under 0.5 m/s for 2 s. Start: after a stop it stays at 0.7 m/s or more for 1 s. What lies
///   between the two ends a run and starts none, so a rider who is pushed or who wobbles does not flap.
/// - An epoch without a speed neither makes nor breaks a run; known speeds more than 10 s apart are not one run.
/// - At first the rider counts as riding, so the first standstill is announced as a stop.
/// - Mode: told with the second epoch in a row that differs from the mode told last.
package struct ChangeDetector: Sendable {
  static let stoppedBelow = 0.5
  static let stoppedAfter = Duration.seconds(2)
  static let startedFrom = 0.7
  static let startedAfter = Duration.seconds(1)
  static let longestGap = Duration.seconds(10)
  /// By so much the times of reads are early or late: at one epoch a second, the third one ends a run of 2 s.
  static let jitter = Duration.milliseconds(50)

  private enum Motion {
    case riding(slowSince: MonotonicInstant?)
    case standing(fastSince: MonotonicInstant?)
  }

  private var motion = Motion.riding(slowSince: nil)
  private var lastSpeedAt: MonotonicInstant?
  private var mode: FixMode?
  private var modeDiffered = false
  /// What the next fix has to announce.
  private var pending: FixChanges = []
  private var hadFix = false

  package init() {}

  /// What changed with a valid fix.
  package mutating func changes(with fix: Fix, at instant: MonotonicInstant) -> FixChanges {
    var changes = pending
    pending = []
    hadFix = true
    if modeChanged(to: fix.mode) { changes.insert(.mode) }
    if let speed = fix.speed { changes.formUnion(motionChanges(speed, at: instant)) }
    return changes
  }

  /// Another source took the lead; runs of the old one do not go on in the new one.
  package mutating func sourceChanged() {
    if hadFix { pending.insert(.source) }
    breakRuns()
  }

  /// The fix was lost. A stop that was announced stays announced.
  package mutating func lost() {
    if hadFix { pending.insert(.regained) }
    breakRuns()
  }

  private mutating func modeChanged(to new: FixMode) -> Bool {
    guard let old = mode, old != new else {
      mode = new
      modeDiffered = false
      return false
    }
    guard modeDiffered else {
      modeDiffered = true
      return false
    }
    mode = new
    modeDiffered = false
    return true
  }

  private mutating func motionChanges(_ speed: Double, at instant: MonotonicInstant) -> FixChanges {
    if let last = lastSpeedAt, instant - last > Self.longestGap { breakRuns() }
    lastSpeedAt = instant
    switch motion {
    case .riding(let since):
      guard speed < Self.stoppedBelow else {
        motion = .riding(slowSince: nil)
        return []
      }
      let start = since ?? instant
      guard instant - start + Self.jitter >= Self.stoppedAfter else {
        motion = .riding(slowSince: start)
        return []
      }
      motion = .standing(fastSince: nil)
      return .stopped
    case .standing(let since):
      guard speed >= Self.startedFrom else {
        motion = .standing(fastSince: nil)
        return []
      }
      let start = since ?? instant
      guard instant - start + Self.jitter >= Self.startedAfter else {
        motion = .standing(fastSince: start)
        return []
      }
      motion = .riding(slowSince: nil)
      return .started
    }
  }

  private mutating func breakRuns() {
    switch motion {
    case .riding: motion = .riding(slowSince: nil)
    case .standing: motion = .standing(fastSince: nil)
    }
    modeDiffered = false
    lastSpeedAt = nil
  }
}
