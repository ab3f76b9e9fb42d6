/// A receiver behind a gpsd: reports in, exactly one judged outcome per epoch out. gpsd reports an epoch two or three
/// times as its sentences arrive, with a mode that may flip in between. The number of reports per epoch is learned;
/// until then, and when it changes, the next epoch's time or silence closes an epoch.
package struct GPSDReceiver: Sendable {
  private struct Open {
    var position: GPSDPosition
    let began: MonotonicInstant
    var reports = 1
    var received: MonotonicInstant
    var isClosed = false
    /// The longest pause between two of its reports, nanoseconds; 0 without times, where it may be one between epochs.
    var longestPause: Int64 = 0
  }

  /// Silence of the selected device after which another one is selected.
  private static let deviceTimeout = Duration.seconds(3)

  package private(set) var counters = ReceiverCounters()
  private var open: Open?
  private var reportsLearned: Int?
  private var lastReports = 0
  private var rhythm = EpochRhythm()
  private var judge = FixJudge()
  private var motion = StatedMotion()
  private var sky: Sky?
  private var listed: [Satellite] = []
  private var noise: PseudorangeNoise?
  private var device: (name: String, lastReport: MonotonicInstant)?
  /// The device of satellites and error estimates that came before one was selected.
  private var early: String?

  package init() {}
  /// The time from one epoch to the next; `nil` until it is learned.
  package var period: Duration? { rhythm.period.map { .nanoseconds($0) } }
  package var isEpochOpen: Bool { open.map { !$0.isClosed } ?? false }

  /// The instant at which silence closes the open epoch or a held suspect is released; `nil` when neither is pending.
  package var deadline: MonotonicInstant? {
    let silence = open.flatMap { $0.isClosed ? nil : $0.received + .nanoseconds(rhythm.silence) }
    return judge.deadline.earlier(silence)
  }

  package mutating func receive(_ report: GPSDReport, at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void) {
    switch report {
    case .position(let position): receive(position, at: instant, body)
    // Satellites and error estimates belong to the epoch that closes next.
    case .sky(let device, let sky): if accepts(device) { receive(sky) }
    case .noise(let device, let noise): if accepts(device) { self.noise = noise }
    }
  }

  /// Takes a `SKY`; one with the dilutions alone completes the list before it.
  private mutating func receive(_ new: Sky) {
    var sky = new
    if new.satellites.isEmpty { sky.satellites = listed } else { listed = new.satellites }
    self.sky = sky
  }

  private mutating func receive(_ report: GPSDPosition, at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void)
  {
    expire(at: instant, body)
    guard selects(report, at: instant) else { return }
    // Without times, an epoch is at most as long as the silence that ends one: the next ones may follow sooner.
    if var epoch = open, epoch.position.time == report.time,
      report.time != nil || !epoch.isClosed && instant - epoch.began < .nanoseconds(rhythm.silence)
    {
      epoch.reports += 1
      let pause = instant.nanoseconds &- epoch.received.nanoseconds
      if report.time != nil { epoch.longestPause = max(epoch.longestPause, pause) }
      if epoch.isClosed {
        counters.late &+= 1
        rhythm.paused(pause)
      } else {
        epoch.position.merge(report)
        epoch.received = instant
      }
      open = epoch
    } else {
      finish(body)
      open = Open(position: report, began: instant, received: instant)
      rhythm.opened(at: instant)
    }
    if let reportsLearned, let open, !open.isClosed, open.reports >= reportsLearned { close(body) }
  }

  package mutating func expire(at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void) {
    if let open, !open.isClosed, instant >= open.received + .nanoseconds(rhythm.silence) { close(body) }
    guard let held = judge.deadline, instant >= held else { return }
    judge.expire(at: instant) { body(Epoch(released: $0, $1)) }
    counters.judge = judge.counters
  }

  package mutating func gap(at instant: MonotonicInstant) { judge.gap(at: instant) }

  package mutating func endOfInput(_ body: (borrowing Epoch) -> Void) {
    finish(body)
    (open, sky, noise, listed) = (nil, nil, nil, [])
    judge.endOfInput { body(Epoch(released: $0, $1)) }
    counters.judge = judge.counters
  }

  /// Whether what a device states belongs to the epochs; before one is selected, what the newest device states is kept.
  private mutating func accepts(_ name: String) -> Bool {
    if let device { return device.name == name }
    if early != name { (sky, noise, listed, early) = (nil, nil, [], name) }
    return true
  }

  /// Whether the report is of the selected device; selects another device when that one is silent.
  private mutating func selects(_ report: GPSDPosition, at instant: MonotonicInstant) -> Bool {
    if let device, device.name != report.device, instant - device.lastReport < Self.deviceTimeout { return false }
    if device?.name != report.device {
      // A device without a fix is not selected while another may have one.
      guard device == nil || report.fix != nil else { return false }
      if (device?.name ?? early) != report.device { (sky, noise, listed) = (nil, nil, []) }
    }
    device = (report.device, instant)
    return true
  }

  private mutating func finish(_ body: (borrowing Epoch) -> Void) {
    guard let epoch = open else { return }
    if !epoch.isClosed { close(body) }
    reportsLearned = epoch.reports == lastReports ? epoch.reports : nil
    lastReports = epoch.reports
  }

  private mutating func close(_ body: (borrowing Epoch) -> Void) {
    guard let epoch = open else { return }
    open?.isClosed = true
    rhythm.ended(longestPause: epoch.longestPause)
    counters.epochs &+= 1
    let (outcome, jump) = outcome(of: epoch, body)
    var isClockSetBack = false
    var measured = epoch.position.time
    switch outcome {
    case .fix: isClockSetBack = jump == .timeBack
    case .held: if jump != .position { sky?.measured = nil }
    case .noFix, .dropped(.nullIsland), .dropped(.outOfRange):
      // What is said of an epoch without a fix has no time that was not judged.
      measured = judge.plausible(measured, at: epoch.received)
      if measured == nil { sky?.measured = nil }
    case .dropped(.duplicate): break
    }
    defer {
      sky = nil
      noise = nil
    }
    body(
      Epoch(
        outcome: outcome, timeOfDay: epoch.position.fix?.timeOfDay, measured: measured,
        received: epoch.received, sky: sky, noise: noise, rolloverSuspect: false, isClockSetBack: isClockSetBack,
        delay: judge.delay))
    counters.judge = judge.counters
  }

  /// The outcome of an epoch, and the jump to its fix if it is held or accepted.
  private mutating func outcome(of epoch: Open, _ body: (borrowing Epoch) -> Void) -> (Epoch.Outcome, FixJump?) {
    guard var fix = epoch.position.fix else {
      counters.void &+= 1
      return (.noFix(.void), nil)
    }
    fix.received = epoch.received
    if fix.altitudeMSL ?? fix.altitudeHAE == nil { (fix.mode, fix.verticalAccuracy) = (.twoD, nil) }
    motion.check(&fix)
    counters.contradicted = motion.removed
    switch judge.judge(fix, released: { body(Epoch(released: $0, $1)) }) {
    case .accepted(let jump):
      motion.accepted(fix)
      return (.fix(fix, suspect: jump == .position), jump)
    case .held(let jump): return (.held, jump)
    case .dropped(let reason): return (.dropped(reason), nil)
    }
  }
}

/// A `TPV` report of a gpsd: the state of an epoch so far. gpsd sends two or three per epoch.
package struct GPSDPosition: Hashable, Sendable {
  package var device: String
  /// UTC of the epoch; `nil` if gpsd does not report it.
  package var time: UTCInstant?
  /// The fix as known so far; `nil` if gpsd reports none.
  package var fix: Fix?

  package init(device: String, time: UTCInstant?, fix: Fix?) {
    self.device = device
    self.time = time
    self.fix = fix
  }

  /// Replaces the fix by that of a later report of the same epoch, which keeps earlier values that it lacks.
  fileprivate mutating func merge(_ later: GPSDPosition) {
    guard var newest = later.fix, let fix else {
      fix = later.fix
      return
    }
    let kept: [WritableKeyPath<Fix, Double?>] = [
      \.geoidSeparation, \.speed, \.course, \.climb, \.magneticVariation, \.horizontalAccuracy,
      \.verticalAccuracy, \.latitudeError, \.longitudeError, \.speedAccuracy, \.courseAccuracy, \.dgpsAge,
    ]
    for value in kept { newest[keyPath: value] = newest[keyPath: value] ?? fix[keyPath: value] }
    if newest.altitudeMSL == nil {
      if let altitude = fix.altitudeMSL {
        newest.altitudeMSL = altitude
      } else if newest.altitudeHAE == nil {
        newest.complete(altitudeHAE: fix.altitudeHAE)
      }
    }
    newest.dgpsStation = newest.dgpsStation ?? fix.dgpsStation
    self.fix = newest
  }
}

/// A positioning report of a gpsd; values out of range are absent.
package enum GPSDReport: Hashable, Sendable {
  case position(GPSDPosition)
  case sky(device: String, Sky)
  case noise(device: String, PseudorangeNoise)
}
