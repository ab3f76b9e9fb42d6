/// One receiver behind a gpsd: reports in, exactly one judged outcome per epoch out.
///
/// gpsd reports an epoch two or three times as its sentences come in, with a mode that may flip in between. How many
/// reports an epoch has is learned; until then, and when it changes, the next epoch's time or silence closes it.
package struct GPSDReceiver: Sendable {
  /// The epoch at hand.
  private struct Open {
    var position: GPSDPosition
    var reports = 1
    var received: MonotonicInstant
    var isClosed = false
    /// The longest time between two of its reports, nanoseconds.
    var longestPause: Int64 = 0
  }

  /// How long a device is silent before another one is listened to.
  private static let deviceTimeout = Duration.seconds(3)

  package private(set) var counters = ReceiverCounters()
  private var open: Open?
  private var reportsLearned: Int?
  private var lastReports = 0
  private var rhythm = EpochRhythm()
  private var judge: FixJudge
  private var sky: Sky?
  private var noise: PseudorangeNoise?
  /// The device that is listened to.
  private var device: (name: String, lastReport: MonotonicInstant)?

  /// A receiver that has said nothing yet.
  package init(configuration: ReceiverConfiguration = .init()) {
    judge = FixJudge()
  }

  /// The time from one epoch to the next; `nil` until it is learned.
  package var period: Duration? { rhythm.period.map { .nanoseconds($0) } }

  /// Whether an epoch has begun that was not told yet.
  package var isEpochOpen: Bool { open.map { !$0.isClosed } ?? false }

  /// When silence closes the open epoch, or a held suspect has waited long enough.
  package var deadline: MonotonicInstant? {
    let silence = open.flatMap { $0.isClosed ? nil : $0.received + .nanoseconds(rhythm.silence) }
    guard let silence else { return judge.deadline }
    return judge.deadline.map { min($0, silence) } ?? silence
  }

  /// Takes a report.
  package mutating func receive(
    _ report: GPSDReport, at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void
  ) {
    switch report {
    case .position(let position): receive(position, at: instant, body)
    // Satellites and error estimates go with the epoch that closes next.
    case .sky(let device, let sky): if isSelected(device) { self.sky = sky }
    case .noise(let device, let noise): if isSelected(device) { self.noise = noise }
    }
  }

  private mutating func receive(_ report: GPSDPosition, at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void)
  {
    expire(at: instant, body)
    guard selects(report, at: instant) else { return }
    if var epoch = open, epoch.position.time == report.time, report.time != nil || !epoch.isClosed {
      epoch.reports += 1
      let pause = instant.nanoseconds &- epoch.received.nanoseconds
      epoch.longestPause = max(epoch.longestPause, pause)
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
      open = Open(position: report, received: instant)
      rhythm.opened(at: instant)
    }
    if let reportsLearned, let open, !open.isClosed, open.reports >= reportsLearned {
      close(body)
      counters.closedByOrder &+= 1
    }
  }

  /// Closes what silence has ended, and lets go what has been held long enough.
  package mutating func expire(at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void) {
    if let open, !open.isClosed, instant >= open.received + .nanoseconds(rhythm.silence) {
      close(body)
      counters.closedBySilence &+= 1
    }
    guard let held = judge.deadline, instant >= held else { return }
    judge.expire(at: instant) { body(Self.released($0, $1)) }
  }

  /// Closes the open epoch and lets go what is held: nothing more will come.
  package mutating func endOfInput(_ body: (borrowing Epoch) -> Void) {
    finish(body)
    open = nil
    judge.endOfInput { body(Self.released($0, $1)) }
  }

  private func isSelected(_ name: String) -> Bool { device == nil || device?.name == name }

  /// Whether the report is of the selected device; another one is selected when that is silent.
  private mutating func selects(_ report: GPSDPosition, at instant: MonotonicInstant) -> Bool {
    if let device, device.name != report.device, instant - device.lastReport < Self.deviceTimeout { return false }
    if device?.name != report.device {
      // A device without a fix is no reason to listen to it while another may have one.
      guard device == nil || report.fix != nil else { return false }
    }
    device = (report.device, instant)
    return true
  }

  /// Parts with the epoch at hand and learns from it.
  private mutating func finish(_ body: (borrowing Epoch) -> Void) {
    guard let epoch = open else { return }
    if !epoch.isClosed {
      close(body)
      counters.closedByNext &+= 1
    }
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
    switch outcome {
    case .fix: isClockSetBack = jump == .timeBack
    case .held: if jump != .position { sky?.measured = nil }
    case .noFix, .dropped: break
    }
    defer {
      sky = nil
      noise = nil
    }
    body(
      Epoch(
        outcome: outcome, timeOfDay: epoch.position.fix?.timeOfDay, measured: epoch.position.time,
        received: epoch.received, sky: sky, noise: noise, rolloverSuspect: false, isClockSetBack: isClockSetBack))
    counters.judge = judge.counters
  }

  /// The outcome of an epoch, and the jump to its fix if it is held or accepted.
  private mutating func outcome(
    of epoch: Open, _ body: (borrowing Epoch) -> Void
  ) -> (Epoch.Outcome, FixJump?) {
    guard var fix = epoch.position.fix else {
      counters.void &+= 1
      return (.noFix(.void), nil)
    }
    fix.received = epoch.received
    switch judge.judge(fix, released: { body(Self.released($0, $1)) }) {
    case .accepted(let jump): return (.fix(fix, suspect: jump == .position), jump)
    case .held(let jump): return (.held, jump)
    case .dropped(let reason): return (.dropped(reason), nil)
    }
  }

  /// The epoch that a fix which was held says it belongs to.
  private static func released(_ fix: borrowing Fix, _ jump: FixJump?) -> Epoch {
    Epoch(
      outcome: .fix(copy fix, suspect: jump == .position), timeOfDay: fix.timeOfDay, measured: fix.measured,
      received: fix.received, sky: nil, noise: nil, rolloverSuspect: false, isClockSetBack: jump == .timeBack)
  }
}

extension GPSDPosition {
  /// Takes over what a later report of the same epoch knows better.
  fileprivate mutating func merge(_ later: GPSDPosition) {
    guard var newest = later.fix, let fix else {
      fix = later.fix
      return
    }
    newest.altitudeMSL = newest.altitudeMSL ?? fix.altitudeMSL
    newest.geoidSeparation = newest.geoidSeparation ?? fix.geoidSeparation
    newest.speed = newest.speed ?? fix.speed
    newest.course = newest.course ?? fix.course
    newest.magneticVariation = newest.magneticVariation ?? fix.magneticVariation
    newest.horizontalAccuracy = newest.horizontalAccuracy ?? fix.horizontalAccuracy
    newest.verticalAccuracy = newest.verticalAccuracy ?? fix.verticalAccuracy
    newest.latitudeError = newest.latitudeError ?? fix.latitudeError
    newest.longitudeError = newest.longitudeError ?? fix.longitudeError
    newest.speedAccuracy = newest.speedAccuracy ?? fix.speedAccuracy
    newest.dgpsAge = newest.dgpsAge ?? fix.dgpsAge
    newest.dgpsStation = newest.dgpsStation ?? fix.dgpsStation
    self.fix = newest
  }
}

/// One `TPV` report of a gpsd: what is known of an epoch so far. gpsd sends two or three of them for each.
package struct GPSDPosition: Hashable, Sendable {
  /// The device that it comes from, as gpsd names it.
  package var device: String
  /// UTC of the epoch; `nil` when gpsd does not tell.
  package var time: UTCInstant?
  /// The fix as far as it is known; `nil` when gpsd says that there is none.
  package var fix: Fix?

  package init(device: String, time: UTCInstant?, fix: Fix?) {
    self.device = device
    self.time = time
    self.fix = fix
  }
}

/// One report of a gpsd about positions, in this project's terms; what was out of range is absent.
package enum GPSDReport: Hashable, Sendable {
  /// A `TPV`.
  case position(GPSDPosition)
  /// The satellites of a `SKY`, and the device they come from.
  case sky(device: String, Sky)
  /// The error estimates of a `GST`, and the device they come from.
  case noise(device: String, PseudorangeNoise)
}
