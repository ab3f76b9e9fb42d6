import LocationCore
import Logging

// Helping the receiver to its first fix, when the line was opened.
extension SerialReceiver {
  /// Time from the first fix to the first database, which then has most orbits: the power is cut without notice.
  private static let firstInterval = Duration.seconds(120)
  private static let interval = Duration.seconds(1800)
  /// Longest time for reading a database in a ride, and at the end: the service manager waits 5 s.
  private static let limit = Duration.seconds(20)
  private static let limitAtEnd = Duration.milliseconds(2800)
  private static let otherReceivers = 7
  /// Bit/s from which on a database does not displace the epochs of a ride.
  private static let leastSpeed = 38_400

  func endQuickStart() {
    keepTimer?.cancel()
    (keepTimer, start, quickStart) = (nil, nil, nil)
    exchange(&keeping, with: nil)?.done()
  }

  func prepare(_ key: ReceiverKey) {
    guard let result = start?.result else { return }
    let aids = aids(for: key, result)
    perform(start?.send(aids, at: EngineClock.machine), of: .start)
  }

  func didHelp(_ result: QuickStartResult) {
    quickStart = result
    // A receiver with a fix may be one whose fixes are yet to be read.
    if result.outcome != .needless, let powerOn = result.powerOn { inlet.note(.poweredOn(powerOn)) }
    if result.receiver != nil { schedule(in: Self.firstInterval) }
    let counts = ReceiverAid.allCases.compactMap { aid in
      result.counts[aid].map { "\(aid.rawValue) \($0.accepted) of \($0.sent)" }
    }
    let sent = (result.isRestoredFromFlash ? ["database from flash"] : []) + counts
    let list = sent.isEmpty ? "" : " (accepted messages: \(sent.joined(separator: ", ")))"
    let level: Logger.Level =
      switch result.outcome {
      case .running, .needless, .nothing: .info
      case .sent: .notice
      case .late, .unanswered, .refused: .warning
      }
    inlet.log.log(level: level, "quick start: \(result.outcome.rawValue)\(list)", metadata: facts)
  }

  private func aids(for key: ReceiverKey, _ result: QuickStartResult) -> ReceiverAids {
    var aids = ReceiverAids()
    let clock = WallClock.whenSet
    aids.time = clock.map { ($0.utc, EngineClock.machine, $0.error) }
    if let last = memory.lastKnown() {
      let age = last.age ?? clock.flatMap { clock in last.time.map { clock.utc - $0 } }
      let error = age.flatMap { ReceiverAids.error(of: last.horizontalAccuracy, after: $0) }
      aids.position = error.map { (last.coordinate, $0) }
    }
    if !result.isRestoredFromFlash { aids.database = database(of: key, clock?.utc)?.frames ?? [] }
    if let clock, let directory = help?.assistance {
      aids.assistance = AssistanceDirectory.messages(in: directory, at: clock.utc, log: inlet.log)
    }
    return aids
  }

  private static func file(of key: ReceiverKey) -> StateFile { StateFile(name: "navigation-\(key.id)", version: 1) }

  private func database(of key: ReceiverKey, _ utc: UTCInstant?) -> NavigationDatabase? {
    guard let kept = memory.state?.read(Self.file(of: key), { NavigationDatabase(lines: $0) }) else { return nil }
    var age = utc.map { $0 - kept.time }
    if utc == nil {
      // A clock that is not known to be set can be behind, hardly ahead.
      let least = WallClock.now - kept.time
      let isOfThisBoot = kept.boot == memory.boot && kept.boot != "unknown"
      age = isOfThisBoot ? EngineClock.machine - kept.instant : least > .zero ? least : nil
    }
    guard let objection = kept.objection(of: key, age: age) else { return kept }
    inlet.log.notice("the receiver's database of an earlier run is not used: \(objection)", metadata: facts)
    return nil
  }
}

// Keeping the database of the receiver.
extension SerialReceiver {
  /// Reads the database before the line is closed, if there is a fix; calls back at the end. Returns whether it does.
  func keepAtEnd(then done: @escaping () -> Void) -> Bool {
    cancelSetup()
    keepTimer?.cancel()
    return keep(within: Self.limitAtEnd, isEnd: true, then: done)
  }

  private func schedule(in time: Duration) {
    keepTimer?.cancel()
    keepTimer = inlet.eventLoop.schedule(in: time) { [weak self] in self?.keepInRide() }
  }

  private func keepInRide() {
    let isFast = source.lineSpeed ?? Self.leastSpeed >= Self.leastSpeed
    schedule(in: isFast && keep(within: Self.limit, isEnd: false, then: {}) ? Self.interval : .seconds(60))
  }

  /// Begins to read the database, if there is a fix and nothing else is under way. Returns whether it does.
  private func keep(within limit: Duration, isEnd: Bool, then done: @escaping () -> Void) -> Bool {
    let now = EngineClock.machine
    guard start == nil, keeping == nil, let help, memory.state != nil || help.usesFlash,
      let key = quickStart?.receiver, let time = inlet.utc(at: now), SerialDiagnosis.holder(of: path) == nil
    else { return false }
    var dump = DatabaseDump(
      acknowledges: acknowledgesAiding, limit: limit, storesInFlash: isEnd && help.usesFlash)
    let actions = dump.start(at: now)
    keeping = Keeping(dump: dump, receiver: key, time: time, done: done)
    perform(actions, of: .dump)
    return true
  }

  func store(_ kept: Keeping) {
    let (frames, problem) = (kept.dump.frames, kept.dump.problem)
    if !frames.isEmpty, let state = memory.state {
      let database = NavigationDatabase(
        frames, of: kept.receiver, time: kept.time, boot: memory.boot, instant: EngineClock.machine)
      let file = Self.file(of: kept.receiver)
      state.remove(oldestOf: "navigation-", but: file.name, keeping: Self.otherReceivers)
      state.write(file, database.lines)
      inlet.log.info("receiver's database kept, \(frames.count) messages", metadata: facts)
    }
    if let problem, problem != failure {
      inlet.log.notice("receiver's database not kept, an older one stays: \(problem)", metadata: facts)
    }
    failure = problem
    if kept.dump.isStored { inlet.log.info("receiver's database stored in its flash memory", metadata: facts) }
  }
}
