import GPSDProtocol
import Glibc
import LocationCore
import Logging
import NIOCore
import SystemPackage

/// The quick start of the receiver on a serial line: drives a `QuickStart` on the event loop when the line is opened,
/// and a `DatabaseDump` from time to time while there is a fix, and at the end.
final class SerialQuickStart {
  private enum Work {
    case none
    case starting(QuickStart, done: () -> Void)
    case keeping(DatabaseDump, ReceiverKey, at: UTCInstant, done: () -> Void)
  }

  /// An open line with a receiver that can be helped.
  private struct Link {
    let descriptor: FileDescriptor
    let dialect: ReceiverDialect
    /// When its database is read next.
    var timer: Scheduled<Void>?
  }

  /// The time from the first fix to the first database, which has the orbits of most satellites by then: the power is
  /// cut without notice.
  private static let firstInterval = TimeAmount.minutes(2)
  private static let interval = TimeAmount.minutes(30)
  /// Longest time for reading a database in a ride, and at the end: the service manager waits 5 s.
  private static let limit = Duration.seconds(20)
  private static let limitAtEnd = Duration.milliseconds(2800)
  /// Number of other receivers whose databases are kept.
  private static let otherReceivers = 7
  /// Bit/s from which on a database does not displace the epochs of a ride.
  private static let leastSpeed = 38_400

  private let path: String
  private let options: QuickStartOptions
  private let inlet: SourceInlet
  private let memory: ReceiverMemory
  private let loop: any EventLoop
  private let log: Logger
  private var facts: Logger.Metadata { ["DEVICE": "\(path)"] }
  /// The speed of the open line, bit/s; `nil` if it has none.
  var lineSpeed: () -> Int? = { nil }
  private(set) var result: QuickStartResult?
  private var work = Work.none
  private var timer: Scheduled<Void>?
  private var link: Link?
  /// The instant from which on the line may have got another holder.
  private var freeUntil = MonotonicInstant.zero
  /// The last failure to read a database, which is not logged again.
  private var failure: String?

  init(
    _ options: SerialOptions, into inlet: SourceInlet, keeping memory: ReceiverMemory, on loop: any EventLoop,
    log: Logger
  ) {
    path = options.path
    self.options = options.quickStart
    self.inlet = inlet
    self.memory = memory
    self.loop = loop
    self.log = log
  }

  /// Helps a receiver, and calls back when that is over. Its line is free, and stays open until `cancel`.
  func begin(
    _ identity: ReceiverIdentity, by dialect: ReceiverDialect, on descriptor: FileDescriptor,
    then done: @escaping () -> Void
  ) {
    cancel()
    link = Link(descriptor: descriptor, dialect: dialect)
    let name = String(path.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    var start = QuickStart(identity, by: dialect, line: name, speed: lineSpeed(), usesFlash: options.usesFlash)
    let actions = start.start(at: EngineClock.machine)
    work = .starting(start, done: done)
    result = start.result
    perform(actions)
  }

  /// Reads the database before the line is closed, if there is a fix; calls back at the end. Returns whether it does.
  func keepAtEnd(then done: @escaping () -> Void) -> Bool {
    link?.timer?.cancel()
    if case .none = work { return keep(within: Self.limitAtEnd, isEnd: true, then: done) }
    return false
  }

  func receive(_ bytes: ByteBuffer, at instant: MonotonicInstant) {
    switch work {
    case .none: return
    case .starting(var start, let done):
      let actions = bytes.withUnsafeReadableBytes { start.receive($0, at: instant) }
      work = .starting(start, done: done)
      perform(actions)
    case .keeping(var dump, let key, let time, let done):
      let actions = bytes.withUnsafeReadableBytes { dump.receive($0, at: instant) }
      work = .keeping(dump, key, at: time, done: done)
      perform(actions)
    }
  }

  /// Ends what is under way, because the line is closed.
  func cancel() {
    timer?.cancel()
    link?.timer?.cancel()
    (timer, link, result) = (nil, nil, nil)
    switch exchange(&work, with: .none) {
    case .none, .starting: return
    case .keeping(_, _, _, let done): done()
    }
  }

  private func expire() {
    switch work {
    case .none: return
    case .starting(var start, let done):
      let actions = start.expire(at: EngineClock.machine)
      work = .starting(start, done: done)
      perform(actions)
    case .keeping(var dump, let key, let time, let done):
      let actions = dump.expire(at: EngineClock.machine)
      work = .keeping(dump, key, at: time, done: done)
      perform(actions)
    }
  }

  private func arm(_ deadline: MonotonicInstant?) {
    timer?.cancel()
    timer = nil
    guard let deadline else { return }
    timer = loop.assumeIsolated().scheduleTask(deadline: NIODeadline(deadline)) { [weak self] in self?.expire() }
  }

  /// Writes a message. One that the line does not take is lost, like one that the receiver does not receive.
  private func write(_ bytes: [UInt8]) {
    guard let link else { return }
    bytes.withUnsafeBytes { _ = Glibc.write(link.descriptor.rawValue, $0.baseAddress, $0.count) }
  }
}

// MARK: - Start

extension SerialQuickStart {
  private func perform(_ actions: [QuickStart.Action]) {
    for action in actions {
      guard case .starting(var start, let done) = work else { return }
      switch action {
      case .write(let bytes):
        guard isFree else {
          work = .none
          arm(nil)
          return done()
        }
        write(bytes)
      case .prepare(let key):
        let further = start.send(aids(for: key, start.result), at: EngineClock.machine)
        work = .starting(start, done: done)
        perform(further)
      case .finish:
        work = .none
        arm(nil)
        didFinish(start.result)
        return done()
      }
    }
    if case .starting(let start, _) = work {
      result = start.result
      arm(start.deadline)
    }
  }

  /// Whether no other process holds the line, looked up a few times a second; `SerialSetup` then reports which one
  /// does.
  private var isFree: Bool {
    let now = EngineClock.machine
    if now < freeUntil { return true }
    guard SerialDiagnosis.holder(of: path) == nil else { return false }
    freeUntil = now + .milliseconds(200)
    return true
  }

  private func didFinish(_ result: QuickStartResult) {
    self.result = result
    // A receiver with a fix may be one whose fixes are yet to be read.
    if result.outcome != .needless, let powerOn = result.powerOn { inlet.notePowerOn(powerOn) }
    if result.receiver != nil { schedule(in: Self.firstInterval) }
    let counts = ReceiverAid.allCases.compactMap { aid in
      result.counts[aid].map { "\(aid.rawValue) \($0.accepted) of \($0.sent)" }
    }
    let sent = (result.isRestoredFromFlash ? ["database from flash"] : []) + counts
    let list = sent.isEmpty ? "" : " (accepted messages: \(sent.joined(separator: ", ")))"
    switch result.outcome {
    case .running: break
    case .needless: log.info("quick start: the receiver has a fix, nothing is sent\(list)", metadata: facts)
    case .nothing: log.info("quick start: nothing is known that helps the receiver\(list)", metadata: facts)
    case .sent: log.notice("quick start: done\(list)", metadata: facts)
    case .late:
      log.warning("quick start: the time was over before everything was sent\(list)", metadata: facts)
    case .unanswered: log.warning("quick start: the receiver does not answer\(list)", metadata: facts)
    case .refused:
      log.warning("quick start: the receiver does not acknowledge, nothing is sent", metadata: facts)
    }
  }

  /// What is known for a receiver without a fix.
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
    if let clock, let directory = options.assistance {
      aids.assistance = AssistanceDirectory.messages(in: directory, at: clock.utc, log: log)
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
    log.notice("the receiver's database of an earlier run is not used: \(objection)", metadata: facts)
    return nil
  }
}

// MARK: - Keeping

extension SerialQuickStart {
  private func schedule(in time: TimeAmount) {
    link?.timer?.cancel()
    link?.timer = loop.assumeIsolated().scheduleTask(in: time) { [weak self] in self?.keepInRide() }
  }

  private func keepInRide() {
    guard case .none = work, lineSpeed() ?? Self.leastSpeed >= Self.leastSpeed,
      keep(within: Self.limit, isEnd: false, then: {})
    else { return schedule(in: .minutes(1)) }
    schedule(in: Self.interval)
  }

  /// Begins to read the database, if there is a fix. Returns whether it does.
  private func keep(within limit: Duration, isEnd: Bool, then done: @escaping () -> Void) -> Bool {
    let now = EngineClock.machine
    guard let link, memory.state != nil || options.usesFlash, let key = result?.receiver, let time = inlet.utc(at: now),
      SerialDiagnosis.holder(of: path) == nil
    else { return false }
    var dump = DatabaseDump(by: link.dialect, limit: limit, storesInFlash: isEnd && options.usesFlash)
    let actions = dump.start(at: now)
    work = .keeping(dump, key, at: time, done: done)
    perform(actions)
    return true
  }

  private func perform(_ actions: [DatabaseDump.Action]) {
    for action in actions {
      guard case .keeping(let dump, let key, let time, let done) = work else { return }
      switch action {
      case .write(let bytes): write(bytes)
      case .finish:
        work = .none
        arm(nil)
        store(dump, of: key, at: time)
        return done()
      }
    }
    if case .keeping(let dump, _, _, _) = work { arm(dump.deadline) }
  }

  private func store(_ dump: DatabaseDump, of key: ReceiverKey, at time: UTCInstant) {
    let problem: String?
    switch dump.outcome {
    case .complete(let frames):
      problem = nil
      guard !frames.isEmpty, let state = memory.state else { break }
      let database = NavigationDatabase(
        frames, of: key, time: time, boot: memory.boot, instant: EngineClock.machine)
      let file = Self.file(of: key)
      state.remove(oldestOf: "navigation-", but: file.name, keeping: Self.otherReceivers)
      state.write(file, database.lines)
      log.info("receiver's database kept, \(frames.count) messages", metadata: facts)
    case .incomplete(let stated, let received):
      problem = stated.map { "\(received) of \($0) messages arrived" } ?? "its end did not arrive"
    case .refused: problem = "the receiver refuses"
    case .unanswered: problem = "the receiver does not answer"
    case .tooLarge: problem = "it is larger than that of any receiver"
    }
    if let problem, problem != failure {
      log.notice("receiver's database not kept, an older one stays: \(problem)", metadata: facts)
    }
    failure = problem
    if dump.isStored { log.info("receiver's database stored in its flash memory", metadata: facts) }
  }
}
