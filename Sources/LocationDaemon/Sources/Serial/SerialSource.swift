import LocationCore
import Logging
import NIOCore
import SystemPackage

/// A receiver on a serial line: opens the line, detects its speed, and reopens it when a lost receiver returns.
package final class SerialSource: ReceiverSource {
  private enum State {
    case idle
    case waiting(Scheduled<Void>)
    case opening
    case reading(OpenLine)
    /// The navigation database of the receiver is being stored; then it stops.
    case retiring(OpenLine)
    case stopped
  }

  struct OpenLine {
    let channel: any Channel
    let line: SerialLine
    /// The speed to which it is set, bit/s.
    var speed: Int
    /// The share of its speed that is used, 0 to 1; `nil` where that means nothing, or until it is known.
    var load: Double?
    /// The bytes that the driver has lost; `nil` if it does not count them.
    var overruns: MinuteCount?
    /// The search for the speed; `nil` once sentences arrive.
    var search: (finder: SpeedFinder, timer: Scheduled<Void>)?
    /// The counts at the last check that sentences still arrive; `nil` before the first.
    var lastCheck: (at: MonotonicInstant, messages: UInt64, sentences: UInt64, bytes: UInt64)?
    var hasReportedNoNMEA = false
    var hasReportedDisabled = false
    /// The starts that the receiver had stated by the end of its set-up.
    var starts: UInt64 = 0
    /// Time from which on a receiver that has lost its rate is set up again, and the wait after that. A rate that a
    /// receiver confirms and does not reach is not asked for all the time.
    var nextSetup = (at: MonotonicInstant.zero, wait: checkInterval)
  }

  static let checkInterval = Duration.seconds(10)

  let options: SerialOptions
  let inlet: SourceInlet
  private var state = State.idle
  private var lostAt = EngineClock.machine
  var lastGoodSpeed: Int?
  /// What is said to the receiver; `nil` if it is sent nothing.
  private(set) var receiver: SerialReceiver?

  init(_ options: SerialOptions, into inlet: SourceInlet, keeping memory: ReceiverMemory) {
    self.options = options
    self.inlet = inlet
    receiver = SerialReceiver(of: self, keeping: memory)
  }

  /// The open line; `nil` while it is closed. Only an open line can be changed.
  var open: OpenLine? {
    get { if case .reading(let open) = state { open } else { nil } }
    set { if case .reading = state, let newValue { state = .reading(newValue) } }
  }

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
    ByteHandler(onRead: { self.didRead($0) }, onEnd: { self.didClose() }).read(line.descriptor, on: inlet.eventLoop)
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
    inlet.log.info("serial line opened", metadata: ["DEVICE": "\(options.path)"])
    inlet.note(.opened)
    findSpeed()
  }

  private func didClose() {
    if case .retiring = state { receiver?.cancel() }
    guard let open else { return }
    open.search?.timer.cancel()
    receiver?.cancel()
    lostAt = EngineClock.machine
    inlet.log.notice("serial line hung up", metadata: ["DEVICE": "\(options.path)"])
    waitForReturn()
    inlet.note(.unplugged(.unavailable(source: options.path, reason: "the receiver was unplugged")))
  }

  private func fail(_ error: SourceError) {
    if case .stopped = state { return }
    inlet.note(.failed(error))
    waitForReturn()
  }

  /// The wait before the line is reopened: 0.25 s for the first 30 s, for a replugged receiver; then at most 1 s.
  static func returnWait(since loss: MonotonicInstant, at instant: MonotonicInstant) -> Duration {
    instant - loss < .seconds(30) ? .milliseconds(250) : WholeSecond.wait(at: instant)
  }

  private func waitForReturn() {
    let wait = Self.returnWait(since: lostAt, at: EngineClock.machine)
    state = .waiting(
      inlet.eventLoop.schedule(in: wait) { [weak self] in
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
      inlet.log.info("speed detected", metadata: ["DEVICE": "\(options.path)", "SPEED": "\(search.finder.speed)"])
    }
    search.timer.cancel()
    open?.search = nil
    if maySetUp { _ = setUpReceiver(applies: true) }
  }
}
