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
    /// The channel is being set up.
    case opening
    case reading(any Channel, SerialLine)
    case stopped
  }

  /// Interval of checks that sentences still arrive.
  private static let checkInterval = Duration.seconds(10)
  /// Longest wait from one set-up of a receiver that has lost its rate to the next.
  private static let longestSetupWait = Duration.seconds(600)

  private let options: SerialOptions
  private let loop: any EventLoop
  private let log: Logger
  fileprivate weak var sink: SourceFeed?
  private var state = State.idle
  private var returnWait: SerialReturnWait
  private var finder: SpeedFinder?
  private var finderTimer: Scheduled<Void>?
  private var lastGoodSpeed: Int?
  /// The speed to which the open line is set, bit/s.
  package private(set) var lineSpeed: Int?
  package private(set) var lineLoad: Double?
  private var hasReportedNoNMEA = false
  private var hasReportedDisabled = false
  /// The counts at the last check that sentences still arrive; `nil` before the first.
  private var lastCheck: (at: MonotonicInstant, sentences: UInt64, bytes: UInt64)?
  package let receiverSetup: SerialSetup?
  /// Whether the last set-up of the open line changed nothing.
  private var hasNothingToSet = false
  /// Time from which on a receiver that has lost its rate is set up again, and the wait after that. A rate that a receiver
  /// confirms and does not reach is not asked for all the time.
  private var nextSetup = (at: MonotonicInstant.zero, wait: checkInterval)
  /// Whether the receiver of the open line was lost in a set-up, which is then not repeated.
  private var hasLostReceiver = false

  /// A source that reports to `sink`, on `loop`.
  package init(_ options: SerialOptions, sink: SourceFeed, on loop: any EventLoop, log: Logger) {
    self.options = options
    self.sink = sink
    self.loop = loop
    self.log = log
    returnWait = SerialReturnWait(at: EngineClock.machine)
    receiverSetup = options.receiver.map { SerialSetup($0, path: options.path, on: loop, log: log) }
    receiverSetup?.onSpeed = { [unowned self] in receiverDidChangeSpeed(to: $0) }
    receiverSetup?.onEnd = { [unowned self] in receiverDidSetUp($0) }
  }

  package func start() {
    guard case .idle = state else { return }
    open()
  }

  package func stop() {
    let old = state
    state = .stopped
    finderTimer?.cancel()
    receiverSetup?.cancel()
    switch old {
    case .waiting(let timer): timer.cancel()
    case .reading(let channel, _): channel.close(promise: nil)
    case .idle, .opening, .stopped: break
    }
  }

  // MARK: - Opening and losing the line

  /// The speeds to try, at least one.
  private var speeds: [Int] {
    guard let speed = options.speed else {
      return SpeedFinder.order(lastGood: lastGoodSpeed ?? options.receiver?.speed)
    }
    // A receiver that was set up keeps its speed while it has power.
    return [speed] + [options.receiver?.speed(of: speed)].compactMap { $0 == speed ? nil : $0 }
  }

  private func open() {
    sink?.sourceIsOpening()
    let line: SerialLine
    do throws(Errno) {
      line = try SerialLine(path: options.path, speed: speeds[0], isWritable: options.receiver != nil)
      lineSpeed = speeds[0]
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
    state = .opening
    let handler = NIOLoopBound(SerialHandler(self), eventLoop: loop)
    NIOPipeBootstrap(group: loop)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
      .channelOption(.maxMessagesPerRead, value: 16)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
      }
      .takingOwnershipOfDescriptor(input: line.descriptor.rawValue)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .success(let channel): self.didOpen(channel, line)
        case .failure:
          self.fail(.unavailable(source: self.options.path, reason: "the line hung up while being opened"))
        }
      }
  }

  private func didOpen(_ channel: any Channel, _ line: SerialLine) {
    guard case .opening = state else {
      channel.close(promise: nil)
      return
    }
    state = .reading(channel, line)
    sink?.sourceDidSetSpeed(line.needsSpeed ? lineSpeed : nil)
    hasReportedNoNMEA = false
    hasReportedDisabled = false
    lastCheck = nil
    hasNothingToSet = false
    hasLostReceiver = false
    nextSetup = (.zero, Self.checkInterval)
    log.info("serial line opened", metadata: ["DEVICE": "\(options.path)"])
    sink?.sourceDidOpen()
    startFinder(line)
  }

  /// Handles a hang-up: the receiver was unplugged.
  fileprivate func didClose() {
    guard case .reading = state else { return }
    lineSpeed = nil
    lineLoad = nil
    finder = nil
    finderTimer?.cancel()
    receiverSetup?.cancel()
    returnWait.didLose(at: EngineClock.machine)
    log.notice("serial line hung up", metadata: ["DEVICE": "\(options.path)"])
    sink?.sourceDidLose(.unavailable(source: options.path, reason: "the receiver was unplugged"))
    waitForReturn()
  }

  private func fail(_ error: SourceError) {
    if case .stopped = state { return }
    sink?.sourceDidFail(error)
    waitForReturn()
  }

  private func waitForReturn() {
    let wait = returnWait.next(at: EngineClock.machine)
    state = .waiting(
      loop.assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds)) { [weak self] in
        guard let self, case .waiting = self.state else { return }
        self.open()
      })
  }

  // MARK: - Reading

  fileprivate func didRead(_ bytes: ByteBuffer, at now: MonotonicInstant) {
    receiverSetup?.receive(bytes, at: now)
    guard finder != nil else { return checkSentences(at: now) }
    guard let received = sink?.received else { return }
    finder?.observe(sentences: received.sentences)
    guard let finder, finder.isFound, case .reading(_, let line) = state else { return }
    if line.needsSpeed {
      lastGoodSpeed = finder.speed
      log.info("speed detected", metadata: ["DEVICE": "\(options.path)", "SPEED": "\(finder.speed)"])
    }
    self.finder = nil
    finderTimer?.cancel()
    if !hasLostReceiver { _ = setUpReceiver(applies: true) }
  }

  /// Restarts the search if bytes but no sentences arrive: a receiver can change its speed without a hang-up.
  private func checkSentences(at instant: MonotonicInstant) {
    if receiverSetup?.isRunning == true { return lastCheck = nil }
    if let lastCheck, instant - lastCheck.at < Self.checkInterval { return }
    guard case .reading(_, let line) = state, let received = sink?.received else { return }
    let last = lastCheck
    lastCheck = (instant, received.sentences, received.bytes)
    if last != nil, !hasNothingToSet, !hasLostReceiver { restoreRate(at: instant) }
    guard let last else { return }
    noteLoad(received.bytes &- last.bytes, in: instant - last.at, on: line)
    guard received.sentences == last.sentences,
      received.bytes &- last.bytes >= UInt64(SpeedFinder.minimumBytes)
    else { return }
    log.notice("no sentences any more, detecting the speed again", metadata: ["DEVICE": "\(options.path)"])
    hasReportedNoNMEA = false
    startFinder(line)
  }

  private func noteLoad(_ bytes: UInt64, in elapsed: Duration, on line: SerialLine) {
    guard !line.isUSB, let lineSpeed else { return lineLoad = nil }
    lineLoad = min(Double(bytes) * 10 / elapsed.inSeconds / Double(lineSpeed), 1)
  }

  // MARK: - Receiver

  package func setUpReceiver(applies: Bool) -> Bool {
    guard finder == nil, case .reading(_, let line) = state, let receiverSetup, let lineSpeed else { return false }
    receiverSetup.begin(applies: applies, on: line.descriptor, speed: lineSpeed, isUSB: line.isUSB)
    return true
  }

  private func restoreRate(at instant: MonotonicInstant) {
    guard hasLostItsRate else { return nextSetup.wait = Self.checkInterval }
    guard instant >= nextSetup.at, setUpReceiver(applies: true) else { return }
    nextSetup.at = instant + nextSetup.wait
    nextSetup.wait = min(nextSetup.wait * 2, Self.longestSetupWait)
  }

  /// Whether epochs come less often than they were set to: the receiver has lost its power.
  private var hasLostItsRate: Bool {
    guard let setting = receiverSetup?.status?.settings.first(where: { $0.name == .period }),
      [.set, .same, .acknowledged, .planned].contains(setting.outcome), let period = sink?.receiver?.period
    else { return false }
    return period > .milliseconds(setting.wanted) * 3 / 2
  }

  private func receiverDidChangeSpeed(to speed: Int) {
    guard case .reading(_, let line) = state else { return }
    setSpeed(speed, of: line)
  }

  private func receiverDidSetUp(_ status: ReceiverStatus) {
    hasNothingToSet = status.settings.allSatisfy { $0.outcome == .same }
    guard case .reading(_, let line) = state else { return }
    hasLostReceiver = status.phase == .lost
    if hasLostReceiver { startFinder(line) } else if line.needsSpeed { lastGoodSpeed = lineSpeed }
  }

  // MARK: - Speed

  private func startFinder(_ line: SerialLine) {
    guard let received = sink?.received else { return }
    finder = SpeedFinder(
      order: line.needsSpeed ? speeds : [speeds[0]], sentences: received.sentences, bytes: received.bytes,
      at: EngineClock.machine)
    armFinder()
  }

  private func armFinder() {
    guard let deadline = finder?.deadline else { return }
    finderTimer = loop.assumeIsolated().scheduleTask(
      deadline: .uptimeNanoseconds(UInt64(clamping: deadline.nanoseconds))
    ) { [weak self] in self?.expireFinder() }
  }

  private func expireFinder() {
    guard case .reading(_, let line) = state, let received = sink?.received else { return }
    let action = finder?.expire(sentences: received.sentences, bytes: received.bytes, at: EngineClock.machine)
    let speed: Int
    switch action {
    case nil: return armFinder()
    case .set(let next): speed = next
    case .exhausted(let bytes, let next):
      speed = next
      reportExhausted(bytes: bytes, needsSpeed: line.needsSpeed)
    }
    armFinder()
    if line.needsSpeed { setSpeed(speed, of: line) }
  }

  private func setSpeed(_ speed: Int, of line: SerialLine) {
    do throws(Errno) {
      try SerialLine.setSpeed(speed, of: line.descriptor)
      lineSpeed = speed
      sink?.sourceDidSetSpeed(speed)
    } catch {
      log.warning(
        "cannot set the speed of the line: \(error)", metadata: ["DEVICE": "\(options.path)", "SPEED": "\(speed)"])
    }
  }

  /// Reports once that no speed gives sentences; a silent receiver may be switched off, and later on again.
  private func reportExhausted(bytes: Int, needsSpeed: Bool) {
    if bytes >= SpeedFinder.minimumBytes, !hasReportedNoNMEA {
      hasReportedNoNMEA = true
      let tried = options.speed.map { [$0] } ?? (needsSpeed ? SpeedFinder.candidates : [])
      sink?.sourceDidFail(.noNMEA(device: options.path, bytes: bytes, speeds: tried))
    }
    let disabled = bytes == 0 ? SerialDiagnosis.disabled(path: options.path) : nil
    if let disabled, !hasReportedDisabled { sink?.sourceDidFail(disabled) }
    if disabled == nil, hasReportedDisabled { sink?.sourceDidOpen() }
    hasReportedDisabled = disabled != nil
  }
}

private final class SerialHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  /// Released when the channel closes.
  private var source: SerialSource?

  init(_ source: SerialSource) {
    self.source = source
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let now = EngineClock.machine
    let bytes = unwrapInboundIn(data)
    source?.sink?.sourceDidReceive(bytes, at: now)
    source?.didRead(bytes, at: now)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A terminal whose peer is gone answers a read with EIO; `channelInactive` follows.
    context.close(promise: nil)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // There is no handler after this one.
  }

  func channelInactive(context: ChannelHandlerContext) {
    source?.didClose()
    source = nil
  }
}
