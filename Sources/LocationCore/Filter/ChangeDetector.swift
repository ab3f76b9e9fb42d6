/// Detector of changes in the stream of fixes: stop, start, mode, source and return of the fix.
/// - Stop: the speed is below 0.5 m/s for 2 s. Start: after a stop, it is 0.7 m/s or more for 1 s. A speed between the
///   two ends a run without starting another, so a bicycle that is pushed or wobbles does not alternate.
/// - With a wheel, a stop or start needs no time, and no fix: it is one when the wheel is still, or turns, and the receiver
///   agrees, or is not needed.
/// - An epoch without a speed neither continues nor ends a run; speeds more than 10 s apart belong to separate runs.
/// - The initial state is riding, so the first standstill is reported as a stop.
/// - Mode: reported with the second consecutive epoch that differs from the mode reported last.
package struct ChangeDetector: Sendable {
  static let stoppedAfter = Duration.seconds(2)
  static let startedAfter = Duration.seconds(1)
  static let longestGap = Duration.seconds(10)
  /// Tolerance for the arrival times of epochs: at one epoch per second, the third completes a run of 2 s.
  static let jitter = Duration.milliseconds(50)

  /// Whether a stop was reported, and since when the speed has been that of a change: low when riding, high when not.
  private var isStanding = false
  private var runSince: MonotonicInstant?
  private var lastSpeedAt: MonotonicInstant?
  private var mode: FixMode?
  private var debounce = ModeDebounce()
  private var pending: FixChanges = []
  private var hadFix = false

  package init() {}

  package mutating func changes(
    with fix: Fix, _ sensed: SensedValues = SensedValues(), at instant: MonotonicInstant
  ) -> FixChanges {
    var changes = pending
    pending = []
    hadFix = true
    let isModeConfirmed = debounce.confirms(fix.mode, after: mode)
    if isModeConfirmed || mode == nil { mode = fix.mode }
    if isModeConfirmed { changes.insert(.mode) }
    if let speed = sensed.fused.ridingSpeed(of: fix) {
      changes.formUnion(motionChanges(speed, at: instant))
    }
    if let wheel = sensed.fused.wheelSpeed { changes.formUnion(self.changes(by: wheel, beside: fix.speed)) }
    return changes
  }

  /// Registers that another source leads. Runs do not continue across sources.
  package mutating func sourceChanged() {
    if hadFix { pending.insert(.source) }
    breakRuns()
  }

  /// Registers the loss of the fix, or a step back of the receiver's clock. A reported stop remains in effect.
  package mutating func lost() {
    if hadFix { pending.insert(.regained) }
    breakRuns()
  }

  /// The change by a wheel's speed that the receiver's agrees with, or that needs no receiver (`isProven`).
  mutating func changes(by wheel: Float, isProven: Bool = false, beside receivers: Double?) -> FixChanges {
    guard (Double(wheel) >= Standstill.stoppedBelow) == isStanding else { return [] }
    let limit = isStanding || wheel == 0 ? Standstill.startedFrom : Standstill.stoppedBelow
    guard isProven || receivers.map({ ($0 >= limit) == isStanding }) ?? false else { return [] }
    return change()
  }

  private mutating func motionChanges(_ speed: Double, at instant: MonotonicInstant) -> FixChanges {
    if let last = lastSpeedAt, instant - last > Self.longestGap { breakRuns() }
    lastSpeedAt = instant
    let isChange = isStanding ? speed >= Standstill.startedFrom : speed < Standstill.stoppedBelow
    let start = isChange ? runSince ?? instant : nil
    runSince = start
    guard let start, instant - start + Self.jitter >= (isStanding ? Self.startedAfter : Self.stoppedAfter) else {
      return []
    }
    return change()
  }

  private mutating func change() -> FixChanges {
    isStanding.toggle()
    runSince = nil
    return isStanding ? .stopped : .started
  }

  private mutating func breakRuns() {
    runSince = nil
    debounce.reset()
    lastSpeedAt = nil
  }
}

/// Confirmation of a change between 2D and 3D by the second consecutive epoch.
struct ModeDebounce: Sendable {
  private var hasDiffered = false

  mutating func confirms(_ new: FixMode, after old: FixMode?) -> Bool {
    let differs = old != nil && old != new
    defer { hasDiffered = differs && !hasDiffered }
    return differs && hasDiffered
  }

  /// Begins again: the next epoch is not consecutive.
  mutating func reset() { hasDiffered = false }
}

extension FixChanges {
  /// The changes that are reasons of delivery, in the order in which they apply.
  package var reasons: [DeliveryReason] {
    guard !isEmpty else { return [] }
    let all: [(Self, DeliveryReason)] = [
      (.source, .source), (.regained, .regained), (.mode, .mode), (.stopped, .stopped), (.started, .started),
    ]
    return all.compactMap { contains($0) ? $1 : nil }
  }
}
