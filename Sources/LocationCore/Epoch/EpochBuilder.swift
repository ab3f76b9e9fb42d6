/// The part of a receiver after the decoder: turns decoded sentences and messages into judged fixes.
struct EpochBuilder: Sendable {
  var counters: ReceiverCounters {
    var counters = tally
    counters.judge = judge.counters
    counters.droppedSets = sky.collector.droppedSets
    counters.contradicted = motion.removed
    counters.overflows = UInt64(interference.overflows)
    counters.starts = UInt64(interference.starts)
    return counters
  }

  var assembler = EpochAssembler()
  private var calendar: EpochCalendar
  private var judge = FixJudge()
  private var motion = StatedMotion()
  private var sky = EpochSky()
  private let readsSatellites: Bool
  /// Those of an epoch may come behind NAV-EOE.
  private var sendsSentences = false
  private var recentMode = RecentMode()
  /// The newest heading since the last epoch closed, degrees: for one that states none.
  private var heading: Double?
  /// The error estimates that arrived after their epoch had closed without any.
  private var trailingNoise: PseudorangeNoise?
  /// UTC of the epoch that has closed, and whether it had error estimates.
  private var closed: (measured: UTCInstant?, hadNoise: Bool) = (nil, false)
  private var tally = ReceiverCounters()
  var interference = Interference()
  private(set) var firstMalformed: UBXType?

  init(_ configuration: ReceiverConfiguration) {
    calendar = EpochCalendar(snaps: configuration.snapRollover)
    readsSatellites = configuration.readsSatellites
  }

  @inline(__always) var deadline: MonotonicInstant? { judge.deadline.earlier(assembler.deadline) }

  mutating func arrived(
    _ count: Int, at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void
  ) {
    expire(at: instant, body)
    if assembler.arrived(count, at: instant) { finish() }
  }

  mutating func take(
    _ sentence: Sentence, from talker: Talker, at instant: MonotonicInstant,
    _ body: (borrowing Epoch) -> Void
  ) {
    sendsSentences = true
    let part = EpochContent.part(sentence)
    if let (kind, time) = part {
      switch assembler.step(kind, time, from: talker) {
      case .joins: break
      case .precedes: finish(body)
      case .opens:
        finish(body)
        assembler.open(kind, time)
      case .strays:
        if assembler.stray(kind, from: talker) { tally.late &+= 1 }
        return
      }
    } else {
      switch sentence {
      case .gsa(let gsa): if readsSatellites { sky.collector.add(gsa, talker: talker) }
      case .gsv(let gsv): return readsSatellites ? sky.collector.add(gsv, talker: talker) : ()
      case .hdt(let hdt): return add(heading: hdt.degrees, .hdt, from: talker, at: instant, body)
      case .ths(let ths): return add(heading: ths.degrees, .ths, from: talker, at: instant, body)
      default: return
      }
    }
    let isNeeded = assembler.content.needs(sentence)
    if isNeeded, part != nil, assembler.phase == .closed { tally.late &+= 1 }
    if assembler.add(sentence, part?.kind, isNeeded: isNeeded, from: talker, at: instant) { close(body) }
  }

  private mutating func add(
    heading: Double?, _ kind: EpochContent.Kind, from talker: Talker, at instant: MonotonicInstant,
    _ body: (borrowing Epoch) -> Void
  ) {
    if assembler.phase != .open { self.heading = heading }
    if assembler.add(heading: heading, kind, from: talker, at: instant) { close(body) }
  }

  mutating func take(
    _ frame: UBXFrame, at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void
  ) {
    guard let type = frame.type else {
      if frame.isText { interference.take(text: frame.bytes, of: .inf) } else { tally.unknownMessages &+= 1 }
      return
    }
    guard frame.isWhole else { return countMalformed(type) }
    switch type {
    case .navEOE:
      guard sendsSentences else { return finish(body) }
      if assembler.phase == .open, !assembler.awaitsSentence { close(body) }
      return
    case .navSAT, .navSVINFO: return readsSatellites ? sky.collector.add(frame) : ()
    case .monHW, .monRF, .monSYS, .secSIG: return interference.take(frame)
    case .navSTATUS: interference.take(frame)
    default: break
    }
    guard let kind = type.kind else { return }
    guard let timeOfWeek = frame.timeOfWeek else { return countMalformed(type) }
    let time = assembler.clock.time(of: frame)
    switch assembler.step(kind, timeOfWeek: timeOfWeek, time) {
    case .joins, .precedes: break
    case .opens:
      finish(body)
      assembler.open(kind, time)
    case .strays:
      if assembler.stray(kind, from: Talker(code: 0)) { tally.late &+= 1 }
      return
    }
    if assembler.phase == .closed, kind.isNeeded(besides: assembler.content.kinds) {
      tally.late &+= 1
    }
    let added = assembler.add(frame, kind, at: instant)
    if added.isOutOfRange { countMalformed(type) }
    if added.isLast { close(body) }
  }

  private mutating func countMalformed(_ type: UBXType) {
    tally.malformedMessages &+= 1
    firstMalformed = firstMalformed ?? type
  }

  mutating func expire(at instant: MonotonicInstant, _ body: (borrowing Epoch) -> Void) {
    if let silence = assembler.deadline, instant >= silence { close(body) }
    guard let held = judge.deadline, instant >= held else { return }
    judge.expire(at: instant) {
      body(Epoch(released: $0, $1, rolloverSuspect: EpochCalendar.isSuspect($0.measured)))
    }
  }

  mutating func gap(at instant: MonotonicInstant) { judge.gap(at: instant) }

  mutating func endOfInput(_ body: (borrowing Epoch) -> Void) {
    finish(body)
    (sky.trailing, trailingNoise) = (nil, nil)
    judge.endOfInput { body(Epoch(released: $0, $1, rolloverSuspect: EpochCalendar.isSuspect($0.measured))) }
  }

  private mutating func finish(_ body: (borrowing Epoch) -> Void) {
    if assembler.phase == .open { close(body) }
    finish()
  }

  private mutating func finish() {
    guard assembler.phase != .between else { return }
    if let key = assembler.content.key, let date = assembler.content.date {
      calendar.note(date, key, received: assembler.content.received)
    }
    if !closed.hadNoise, assembler.content.gst != nil, var noise = assembler.content.noise {
      noise.measured = closed.measured
      trailingNoise = noise
    }
    let active = assembler.content.active
    recentMode.finished(
      stated: assembler.content.statedMode(recent: recentMode),
      altitude: assembler.content.altitudeMode,
      isVoid: active?.fix == .noFix)
    sky.finished(sky.collector.isFresh ? assembler.content.dilutions() : nil)
    assembler.finish()
  }

  private mutating func close(_ body: (borrowing Epoch) -> Void) {
    assembler.close()
    // ZDA and GST alone are not a measurement.
    guard assembler.content.hasSolution else { return }
    tally.epochs &+= 1
    let key = assembler.content.key
    let received = assembler.content.received
    var measured: UTCInstant?
    if let key {
      measured = calendar.measured(key, stated: assembler.content.date, received: received)
    }
    let suspect = EpochCalendar.isSuspect(measured)
    if suspect { tally.rolloverSuspects &+= 1 }
    let noise = assembler.content.noise
    closed = (measured, noise != nil)
    defer {
      heading = nil
      trailingNoise = nil
    }
    let outcome: Epoch.Outcome
    var published = measured
    var isTimeDoubtful = false
    var isClockSetBack = false
    do throws(EpochContent.Absence) {
      var fix = try assembler.content.fix(recent: recentMode)
      fix.measured = measured
      fix.heading = fix.heading ?? (assembler.content.statesHeading ? assembler.content.heading : heading)
      motion.check(&fix)
      switch judge.judge(
        fix,
        released: { body(Epoch(released: $0, $1, rolloverSuspect: EpochCalendar.isSuspect($0.measured))) })
      {
      case .accepted(let jump):
        outcome = .fix(fix, suspect: jump == .position)
        motion.accepted(fix)
        isClockSetBack = jump == .timeBack
        if let key, let measured { calendar.accepted(measured, key, received: received) }
      case .held(let jump):
        outcome = .held
        isTimeDoubtful = jump != .position
      case .dropped(let reason):
        outcome = .dropped(reason)
        if reason == .nullIsland { published = judge.plausible(measured, key, at: received) }
      }
    } catch {
      // What is said of an epoch without a fix has no time that was not judged.
      published = judge.plausible(measured, key, at: received)
      switch error {
      case .noFix(let reason):
        switch reason {
        case .void, .timeOnly: tally.void &+= 1
        case .noPosition: tally.noPosition &+= 1
        case .noStatus: tally.noStatus &+= 1
        }
        outcome = .noFix(reason)
      case .outOfRange:
        judge.counters.count(.outOfRange)
        outcome = .dropped(.outOfRange)
      }
    }
    body(
      Epoch(
        outcome: outcome, timeOfDay: key, measured: published, received: received,
        sky: sky.closed(
          assembler.content.dilutions(), used: assembler.content.satellitesUsed, isTimeDoubtful ? nil : published,
          at: received),
        noise: noise ?? trailingNoise, rolloverSuspect: suspect, isClockSetBack: isClockSetBack,
        began: assembler.content.began, delay: judge.delay))
  }
}

struct RecentMode: Sendable {
  /// Number of epochs for which GSA's mode overrides an altitude.
  private static let epochs = 5

  /// The last statement, by GSA or else by the altitude; it holds until the next one.
  private(set) var mode: FixMode?
  /// GSA's mode, if it was stated in one of the last epochs.
  private(set) var active: FixMode?
  private(set) var hasStatedThreeD = false
  private var age = 0

  /// Updates the mode from a complete epoch: the one that GSA states, if any, and the one by the altitude.
  mutating func finished(stated: FixMode?, altitude: FixMode?, isVoid: Bool) {
    age += 1
    if stated == .threeD { hasStatedThreeD = true }
    if let stated {
      active = stated
      age = 0
    } else if age >= Self.epochs || isVoid {
      active = nil
    }
    mode = active ?? altitude ?? mode
  }
}
