import GPSDProtocol
import LocationCore
import Logging
import NIOCore
import NIOPosix
import SystemPackage

/// A receiver on a serial line: opens the line, detects its speed, and reopens it when a lost receiver returns.
package final class SerialSource: ReceiverSource {
  private enum State {
    case idle
    /// Waiting for the next attempt.
    case waiting(Scheduled<Void>)
    case opening
    case reading(OpenLine)
    /// The navigation database of the receiver is being stored; then it stops.
    case retiring(OpenLine)
    case stopped
  }

  /// An open line, and what is known of it while it is open.
  private struct OpenLine {
    let channel: any Channel
    let line: SerialLine
    /// The speed to which it is set, bit/s.
    var speed: Int
    /// The share of the speed that is used, 0 to 1, once known.
    var load: Double?
    /// The bytes that the driver has lost; `nil` if it does not count them.
    var overruns: MinuteCount?
    /// The search for the speed; `nil` once sentences arrive.
    var search: (finder: SpeedFinder, timer: Scheduled<Void>)?
    /// The counts at the last check that sentences still arrive; `nil` before the first.
    var lastCheck: (at: MonotonicInstant, messages: UInt64, sentences: UInt64, bytes: UInt64)?
    var hasReportedNoNMEA = false
    var hasReportedDisabled = false
    var setup = Setup.due
    /// The starts that the receiver had stated by the end of its set-up.
    var starts: UInt64 = 0
    /// Time from which on a receiver that has lost its rate is set up again, and the wait after that. A rate that a
    /// receiver confirms and does not reach is not asked for all the time.
    var nextSetup = (at: MonotonicInstant.zero, wait: checkInterval)
  }

  /// What the last set-up of the receiver means for the next.
  private enum Setup {
    /// It may be repeated, or was not made yet.
    case due
    /// Nothing had to be set.
    case needless
    /// The receiver was lost in it; it is not repeated.
    case fatal
  }

  private static let checkInterval = Duration.seconds(10)
  /// Longest wait from one set-up of a receiver that has lost its rate to the next.
  private static let longestSetupWait = Duration.seconds(600)

  private let options: SerialOptions
  private let loop: any EventLoop
  private let log: Logger
  private let inlet: SourceInlet
  private var state = State.idle
  private var returnWait: SerialReturnWait
  private var lastGoodSpeed: Int?
  /// What is said to the receiver; `nil` if it is sent nothing.
  private let receiver: SerialReceiver?

  package init(
    _ options: SerialOptions, into inlet: SourceInlet, keeping memory: ReceiverMemory = ReceiverMemory(),
    on loop: any EventLoop, log: Logger
  ) {
    self.options = options
    self.inlet = inlet
    self.loop = loop
    self.log = log
    returnWait = SerialReturnWait(at: EngineClock.machine)
    receiver = SerialReceiver(options, into: inlet, keeping: memory, on: loop, log: log)
    receiver?.lineSpeed = { [unowned self] in open.flatMap { $0.line.isUSB ? nil : $0.speed } }
    receiver?.onSpeed = { [unowned self] in setSpeed($0) }
    receiver?.onEnd = { [unowned self] in receiverDidSetUp($0) }
  }

  /// The open line; `nil` while it is closed. Only an open line can be changed.
  private var open: OpenLine? {
    get { if case .reading(let open) = state { open } else { nil } }
    set { if case .reading = state, let newValue { state = .reading(newValue) } }
  }

  /// Bit/s; `nil` while the line is closed.
  var lineSpeed: Int? { open?.speed }
  /// The share of its speed that is used, 0 to 1; `nil` where that means nothing, or until it is known.
  var lineLoad: Double? { open?.load }
  /// The bytes that the driver of the line has lost in the last minute; `nil` if it does not count them.
  var lineOverruns: UInt64? {
    guard let open, let count = open.overruns, let total = SerialLine.overruns(of: open.line.descriptor) else {
      return nil
    }
    return count.growth(to: total, at: EngineClock.machine)
  }
  /// What the quick start of the receiver found and did; `nil` without one.
  var quickStart: QuickStartResult? { receiver?.quickStart }
  /// The set-up of the receiver; `nil` unless the source asks for it.
  var receiverReport: ReceiverReport? { receiver?.report }

  package func start() { if case .idle = state { openLine() } }

  package func stop() {
    let old = state
    state = .stopped
    receiver?.cancel()
    switch old {
    case .waiting(let timer): timer.cancel()
    case .reading(let open), .retiring(let open):
      open.search?.timer.cancel()
      open.channel.close(promise: nil)
    case .idle, .opening, .stopped: break
    }
  }

  package func retire(then done: @escaping () -> Void) {
    let end = { [self] in
      stop()
      done()
    }
    guard let open, open.search == nil, let receiver, receiver.keepAtEnd(then: end) else { return end() }
    state = .retiring(open)
  }

  /// The speeds to try, at least one.
  private var speeds: [Int] {
    guard let speed = options.speed else {
      return SpeedFinder.order(lastGood: lastGoodSpeed ?? options.receiver?.speed)
    }
    // A receiver that was set up keeps its speed while it has power.
    let set = [(ReceiverWish.Output.ubx, true), (.nmea, true), (.nmea, false)]
      .compactMap { options.receiver?.speed(of: speed, for: $0, isUblox: $1) }
    return [speed] + Set(set).subtracting([speed]).sorted()
  }

  private func openLine() {
    inlet.note(.opening)
    let line: SerialLine
    do throws(Errno) {
      line = try SerialLine(path: options.path, speed: speeds[0], isWritable: options.receiver != nil)
    } catch {
      fail(SerialDiagnosis.sourceError(for: error, path: options.path))
      return
    }
    // A superuser can open an exclusive line, and then each of the two readers gets half of the bytes.
    if let holder = SerialDiagnosis.holder(of: options.path, named: "gpsd") {
      line.close()
      fail(.busy(device: options.path, holder: holder))
      return
    }
    let speed = speeds[0]
    state = .opening
    ByteHandler(onRead: { self.didRead($0) }, onEnd: { self.didClose() }).read(line.descriptor, on: loop)
      .whenComplete { result in
        switch result {
        case .success(let channel): self.didOpen(OpenLine(channel: channel, line: line, speed: speed))
        case .failure: self.fail(.unavailable(source: self.options.path, reason: "the line hung up while being opened"))
        }
      }
  }

  private func didOpen(_ open: OpenLine) {
    guard case .opening = state else { return open.channel.close(promise: nil) }
    state = .reading(open)
    noteOverruns(at: EngineClock.machine)
    inlet.note(.lineSpeed(open.line.needsSpeed ? open.speed : nil))
    log.info("serial line opened", metadata: ["DEVICE": "\(options.path)"])
    inlet.note(.opened)
    findSpeed()
  }

  private func didClose() {
    if case .retiring = state { receiver?.cancel() }
    guard let open else { return }
    open.search?.timer.cancel()
    receiver?.cancel()
    returnWait.didLose(at: EngineClock.machine)
    log.notice("serial line hung up", metadata: ["DEVICE": "\(options.path)"])
    waitForReturn()
    inlet.note(.unplugged(.unavailable(source: options.path, reason: "the receiver was unplugged")))
  }

  private func fail(_ error: SourceError) {
    if case .stopped = state { return }
    inlet.note(.failed(error))
    waitForReturn()
  }

  private func waitForReturn() {
    let wait = returnWait.next(at: EngineClock.machine)
    state = .waiting(
      loop.assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds)) { [weak self] in
        guard let self, case .waiting = self.state else { return }
        self.openLine()
      })
  }

  private func didRead(_ bytes: ByteBuffer) {
    let now = EngineClock.machine
    if case .retiring = state {
      receiver?.receive(bytes, at: now)
      return
    }
    if open?.overruns?.isDue(at: now) == true { noteOverruns(at: now) }
    inlet.receive(bytes, at: now)
    receiver?.receive(bytes, at: now)
    guard let line = open?.line else { return }
    guard open?.search != nil else { return checkSentences(at: now) }
    open?.search?.finder.observe(sentences: inlet.received.messages)
    guard let search = open?.search, search.finder.isFound else { return }
    if line.needsSpeed {
      lastGoodSpeed = search.finder.speed
      log.info("speed detected", metadata: ["DEVICE": "\(options.path)", "SPEED": "\(search.finder.speed)"])
    }
    search.timer.cancel()
    open?.search = nil
    if open?.setup != .fatal { _ = setUpReceiver(applies: true) }
  }

  /// Restarts the search if bytes but no sentences arrive: a receiver can change its speed without a hang-up.
  private func checkSentences(at instant: MonotonicInstant) {
    if receiver?.isBeingSetUp == true {
      open?.lastCheck = nil
      return
    }
    let last = open?.lastCheck
    if let last, instant - last.at < Self.checkInterval { return }
    let received = inlet.received
    let sentences = inlet.sentenceCount
    open?.lastCheck = (instant, received.messages, sentences, received.bytes)
    guard let last else { return }
    restoreSettings(newSentences: sentences &- last.sentences, at: instant)
    noteLoad(received.bytes &- last.bytes, in: instant - last.at)
    guard received.messages == last.messages,
      received.bytes &- last.bytes >= UInt64(SpeedFinder.minimumBytes)
    else { return }
    log.notice("no sentences any more, detecting the speed again", metadata: ["DEVICE": "\(options.path)"])
    open?.hasReportedNoNMEA = false
    findSpeed()
  }

  private func noteOverruns(at instant: MonotonicInstant) {
    guard let line = open?.line, let total = SerialLine.overruns(of: line.descriptor) else { return }
    var count = open?.overruns ?? MinuteCount()
    count.note(total, at: instant)
    open?.overruns = count
  }

  private func noteLoad(_ bytes: UInt64, in elapsed: Duration) {
    guard let current = open, !current.line.isUSB else { return }
    open?.load = min(Double(bytes) * 10 / elapsed.inSeconds / Double(current.speed), 1)
  }

  /// Starts to set up the receiver, or only to read its settings. Returns whether that is possible now.
  func setUpReceiver(applies: Bool) -> Bool {
    guard let open, open.search == nil, let receiver else { return false }
    receiver.begin(applies: applies, on: open.line.descriptor, speed: open.speed, isUSB: open.line.isUSB)
    return true
  }

  /// Sets a receiver up again that has lost its power, as it states, or judging by its rate or its protocol.
  private func restoreSettings(newSentences: UInt64, at instant: MonotonicInstant) {
    guard let next = open?.nextSetup, let setup = open?.setup, let starts = open?.starts else { return }
    let isBackInNMEA = setup != .fatal && newSentences >= 3 && receiver?.status?.output == .ubx
    guard isBackInNMEA || setup == .due && hasLostItsRate || setup != .fatal && inlet.starts > starts else {
      open?.nextSetup.wait = Self.checkInterval
      return
    }
    guard instant >= next.at, setUpReceiver(applies: true) else { return }
    open?.nextSetup = (instant + next.wait, min(next.wait * 2, Self.longestSetupWait))
  }

  /// Whether epochs come less often than they were set to: the receiver has lost its power.
  private var hasLostItsRate: Bool {
    guard let setting = receiver?.status?.settings.first(where: { $0.name == .period }),
      [.set, .same, .acknowledged, .sent, .planned].contains(setting.outcome), let period = inlet.period
    else { return false }
    return period > .milliseconds(setting.wanted) * 3 / 2
  }

  private func receiverDidSetUp(_ status: ReceiverStatus) {
    guard let current = open else { return }
    let isLost = status.phase == .lost
    // What was only read is still to be set.
    if !status.settings.contains(where: { $0.outcome == .planned }) { open?.starts = inlet.starts }
    open?.setup = isLost ? .fatal : status.settings.allSatisfy { $0.outcome == .same } ? .needless : .due
    if isLost { findSpeed() } else if current.line.needsSpeed { lastGoodSpeed = current.speed }
  }

  private func findSpeed() {
    guard let current = open else { return }
    current.search?.timer.cancel()
    let received = inlet.received
    let now = EngineClock.machine
    let finder = SpeedFinder(
      order: current.line.needsSpeed ? speeds : [speeds[0]], sentences: received.messages, bytes: received.bytes,
      at: now)
    open?.search = (finder, searchTimer(at: finder.deadline ?? now))
  }

  private func searchTimer(at deadline: MonotonicInstant) -> Scheduled<Void> {
    loop.assumeIsolated().scheduleTask(deadline: NIODeadline(deadline)) { [weak self] in self?.expireSearch() }
  }

  private func expireSearch() {
    guard let current = open, var finder = current.search?.finder else { return }
    let received = inlet.received
    let action = finder.expire(sentences: received.messages, bytes: received.bytes, at: EngineClock.machine)
    open?.search?.finder = finder
    if let deadline = finder.deadline { open?.search?.timer = searchTimer(at: deadline) }
    switch action {
    case nil: return
    case .set(let speed): if current.line.needsSpeed { setSpeed(speed) }
    case .exhausted(let bytes, let next):
      reportExhausted(bytes: bytes)
      if current.line.needsSpeed { setSpeed(next) }
    }
  }

  private func setSpeed(_ speed: Int) {
    guard let line = open?.line else { return }
    do throws(Errno) {
      try SerialLine.setSpeed(speed, of: line.descriptor)
      open?.speed = speed
      inlet.note(.lineSpeed(speed))
    } catch {
      log.warning(
        "cannot set the speed of the line: \(error)", metadata: ["DEVICE": "\(options.path)", "SPEED": "\(speed)"])
    }
  }

  /// Reports once that no speed gives sentences; a silent receiver may be switched off, and later on again.
  private func reportExhausted(bytes: Int) {
    guard let current = open else { return }
    // A prompt is short.
    if bytes >= SpeedFinder.minimumBytes || inlet.binary != nil, !current.hasReportedNoNMEA {
      open?.hasReportedNoNMEA = true
      let tried = options.speed.map { [$0] } ?? (current.line.needsSpeed ? SpeedFinder.candidates : [])
      inlet.note(.failed(.noNMEA(device: options.path, bytes: bytes, speeds: tried, binary: inlet.binary)))
    }
    let disabled = bytes == 0 ? SerialDiagnosis.disabled(path: options.path) : nil
    if let disabled, !current.hasReportedDisabled { inlet.note(.failed(disabled)) }
    if disabled == nil, current.hasReportedDisabled { inlet.note(.opened) }
    open?.hasReportedDisabled = disabled != nil
  }
}
