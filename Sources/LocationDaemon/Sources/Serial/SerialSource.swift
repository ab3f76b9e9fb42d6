import Glibc
import LocationCore
import Logging
import NIOCore
import NIOPosix

/// A receiver on a serial line: opens it, finds its speed, and after an unplug waits for its return.
package final class SerialSource: ReceiverSource {
  private enum State {
    case idle
    /// Waits to try again.
    case waiting(Scheduled<Void>)
    /// The descriptor is with the channel being set up.
    case opening
    case reading(any Channel, descriptor: Int32)
    case stopped
  }

  private let options: SerialOptions
  private let loop: any EventLoop
  private let log: Logger
  private weak var sink: SourceFeed?
  private var state = State.idle
  private var returnWait: SerialReturnWait
  private var finder: SpeedFinder?
  private var finderTimer: Scheduled<Void>?
  private var lastGoodSpeed: Int?
  private var needsSpeed = true
  private var lineSpeed = 0
  private var hasToldNoNMEA = false
  private var hasToldDisabled = false
  /// What had come when it was last looked whether sentences still come.
  private var looked = (at: MonotonicInstant.zero, sentences: UInt64(0), bytes: UInt64(0))
  /// How often that is looked at.
  private static let lookEvery = Duration.seconds(10)
  private var epochCode = EpochCode()

  /// A source that tells `sink`, on `loop`.
  package init(_ options: SerialOptions, sink: SourceFeed, on loop: any EventLoop, log: Logger) {
    self.options = options
    self.sink = sink
    self.loop = loop
    self.log = log
    returnWait = SerialReturnWait(at: EngineClock.machine)
  }

  package func start() {
    guard case .idle = state else { return }
    open()
  }

  package func stop() {
    let old = state
    state = .stopped
    finderTimer?.cancel()
    switch old {
    case .waiting(let timer): timer.cancel()
    case .reading(let channel, _): channel.close(promise: nil)
    case .idle, .opening, .stopped: break
    }
  }

  private func open() {
    sink?.sourceIsOpening()
    let order = options.speed.map { [$0] } ?? SpeedFinder.order(lastGood: lastGoodSpeed)
    let speed = order[0]
    let line: SerialLine
    do throws(SerialFailure) {
      line = try SerialLine(path: options.path, speed: speed)
    } catch {
      fail(SerialDiagnosis.sourceError(for: error, path: options.path))
      return
    }
    // To a superuser an exclusive line opens all the same, and then each of the two gets half of the bytes.
    if let holder = SerialDiagnosis.holder(of: options.path, named: "gpsd") {
      line.close()
      fail(.busy(device: options.path, holder: holder))
      return
    }
    let speeds = line.needsSpeed ? order : [speed]
    state = .opening
    let descriptor = line.descriptor
    let handler = NIOLoopBound(SerialReader(self), eventLoop: loop)
    NIOPipeBootstrap(group: loop)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4096))
      .channelOption(.maxMessagesPerRead, value: 16)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler.value) }
      }
      .takingOwnershipOfDescriptor(input: descriptor)
      .assumeIsolated()
      .whenComplete { result in
        switch result {
        case .success(let channel):
          self.didOpen(channel, descriptor: descriptor, needsSpeed: line.needsSpeed, speeds: speeds)
        case .failure: self.fail(SerialDiagnosis.unavailable(path: self.options.path))
        }
      }
  }

  private func didOpen(_ channel: any Channel, descriptor: Int32, needsSpeed: Bool, speeds: [Int]) {
    guard case .opening = state else {
      channel.close(promise: nil)
      return
    }
    state = .reading(channel, descriptor: descriptor)
    self.needsSpeed = needsSpeed
    lineSpeed = speeds[0]
    hasToldNoNMEA = false
    hasToldDisabled = false
    looked = (.zero, 0, 0)
    log.info("serial line opened", metadata: ["DEVICE": "\(options.path)"])
    log.debug("code is read ahead", metadata: ["BYTES": "\(epochCode.count)"])
    sink?.sourceDidOpen()
    startFinding(speeds)
  }

  /// Bytes of one read.
  fileprivate func didRead(_ bytes: ByteBuffer) {
    let now = EngineClock.machine
    epochCode.willRun(at: now)
    sink?.sourceDidReceive(bytes, at: now)
    guard finder != nil else {
      if now - looked.at >= Self.lookEvery { lookAgain(at: now) }
      return
    }
    guard let received = sink?.received else { return }
    finder?.observe(sentences: received.sentences)
    guard let finder, finder.isFound else { return }
    if needsSpeed {
      lastGoodSpeed = finder.speed
      log.info("sentences are read", metadata: ["DEVICE": "\(options.path)", "SPEED": "\(finder.speed)"])
    }
    self.finder = nil
    finderTimer?.cancel()
  }

  /// A receiver that starts anew may come back with another speed, and the line does not hang up for it.
  private func lookAgain(at instant: MonotonicInstant) {
    guard case .reading = state, let received = sink?.received else { return }
    let isDeaf =
      looked.at != .zero && received.sentences == looked.sentences
      && received.bytes &- looked.bytes >= UInt64(SpeedFinder.tellingBytes)
    looked = (instant, received.sentences, received.bytes)
    guard isDeaf else { return }
    log.notice("sentences have ceased, bytes have not", metadata: ["DEVICE": "\(options.path)"])
    hasToldNoNMEA = false
    startFinding(needsSpeed ? options.speed.map { [$0] } ?? SpeedFinder.order(lastGood: lastGoodSpeed) : [lineSpeed])
  }

  /// The line hung up: the receiver was unplugged.
  fileprivate func didClose() {
    guard case .reading = state else { return }
    finder = nil
    finderTimer?.cancel()
    returnWait.didLose(at: EngineClock.machine)
    log.notice("serial line hung up", metadata: ["DEVICE": "\(options.path)"])
    sink?.sourceDidLose(SerialDiagnosis.unplugged(path: options.path))
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

  private func startFinding(_ speeds: [Int]) {
    guard let received = sink?.received else { return }
    finder = SpeedFinder(
      order: speeds, sentences: received.sentences, bytes: received.bytes, at: EngineClock.machine)
    armFinder()
  }

  private func armFinder() {
    guard let deadline = finder?.deadline else { return }
    finderTimer = loop.assumeIsolated().scheduleTask(
      deadline: .uptimeNanoseconds(UInt64(clamping: deadline.nanoseconds))
    ) { [weak self] in self?.expireFinder() }
  }

  /// A receiver that says nothing may have been switched off, and be switched on again.
  private func lookAtSwitch(isSilent: Bool) {
    guard isSilent, let error = SerialDiagnosis.disabled(path: options.path) else {
      if hasToldDisabled { sink?.sourceDidOpen() }
      hasToldDisabled = false
      return
    }
    if !hasToldDisabled { sink?.sourceDidFail(error) }
    hasToldDisabled = true
  }

  private func expireFinder() {
    guard case .reading(_, let descriptor) = state, let received = sink?.received else { return }
    let action = finder?.expire(sentences: received.sentences, bytes: received.bytes, at: EngineClock.machine)
    let speed: Int
    switch action {
    case nil: return armFinder()
    case .set(let next): speed = next
    case .exhausted(let bytes, let next):
      speed = next
      if bytes >= SpeedFinder.tellingBytes, !hasToldNoNMEA {
        hasToldNoNMEA = true
        let speeds = options.speed.map { [$0] } ?? (needsSpeed ? SpeedFinder.candidates : [])
        sink?.sourceDidFail(.noNMEA(device: options.path, bytes: bytes, speeds: speeds))
      }
      lookAtSwitch(isSilent: bytes == 0)
    }
    armFinder()
    guard needsSpeed else { return }
    do throws(SerialFailure) {
      try SerialLine.setSpeed(speed, of: descriptor)
    } catch {
      log.warning("cannot set the line's speed", metadata: ["DEVICE": "\(options.path)", "SPEED": "\(speed)"])
    }
  }
}

private final class SerialReader: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  /// Until the channel is gone: it is closed when the source stops.
  private var source: SerialSource?

  init(_ source: SerialSource) {
    self.source = source
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    source?.didRead(unwrapInboundIn(data))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A terminal whose other end is gone answers a read with EIO; the close that follows tells the rest.
    context.close(promise: nil)
  }

  /// Nobody behind this handler wants to know.
  func channelReadComplete(context: ChannelHandlerContext) {}

  func channelInactive(context: ChannelHandlerContext) {
    source?.didClose()
    source = nil
  }
}
