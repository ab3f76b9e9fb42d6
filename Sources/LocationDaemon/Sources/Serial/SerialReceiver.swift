import GPSDProtocol
import Glibc
import LocationCore
import Logging
import NIOCore
import SystemPackage

/// What the daemon says to the receiver on a serial line: drives a `ReceiverSetup` on the event loop, a `QuickStart` in
/// its course, and a `DatabaseDump` from time to time while there is a fix, and at the end. It writes only while the line
/// is open and no other process holds it, and only to a source that asks for it.
final class SerialReceiver {
  /// What is under way. A set-up waits while its quick start is.
  enum Part { case setup, start, dump }

  struct Keeping {
    var dump: DatabaseDump
    let receiver: ReceiverKey
    /// UTC by its own fixes.
    let time: UTCInstant
    let done: () -> Void
  }

  unowned let source: SerialSource
  /// How the receiver is helped to its first fix; `nil` if it is not.
  let help: QuickStartOptions?
  let memory: ReceiverMemory
  var inlet: SourceInlet { source.inlet }
  var path: String { source.options.path }
  var facts: Logger.Metadata { ["DEVICE": "\(path)"] }
  /// What the quick start found and did; `nil` without one since the line was opened.
  var quickStart: QuickStartResult?
  var start: QuickStart?
  var keeping: Keeping?
  /// Whether the receiver acknowledges aiding messages, by the set-up with the last quick start.
  var acknowledgesAiding = false
  var keepTimer: Scheduled<Void>?
  /// The last failure to read a database, which is not logged again.
  var failure: String?
  private let wish: ReceiverWish
  private var setup: ReceiverSetup
  private var line: FileDescriptor?
  private var timer: Scheduled<Void>?
  /// The process that holds the line, because of which the last set-up did not begin, or ended.
  private var holder: String?
  /// The instant from which on the line may have got another holder.
  private var freeUntil = MonotonicInstant.zero

  /// `nil` for a receiver that is sent nothing.
  init?(of source: SerialSource, keeping memory: ReceiverMemory) {
    guard let wish = source.options.receiver else { return nil }
    self.wish = wish
    setup = ReceiverSetup(wish, speeds: SpeedFinder.candidates)
    help = source.options.quickStart.isOn ? source.options.quickStart : nil
    self.source = source
    self.memory = memory
  }

  var isBeingSetUp: Bool { !setup.isIdle && !setup.isFinished }
  var status: ReceiverStatus? { setup.isIdle ? nil : setup.status }

  /// Starts a set-up, unless one is under way or another process holds the line.
  func begin(applies: Bool, on line: FileDescriptor, speed: Int, isUSB: Bool) {
    guard !isBeingSetUp else { return }
    self.line = line
    if setup.isFinished { cancelSetup() }
    let now = EngineClock.machine
    perform(setup.start(lineSpeed: speed, isUSB: isUSB, applies: applies, isAided: help != nil, at: now), of: .setup)
  }

  func receive(_ bytes: ByteBuffer, at instant: MonotonicInstant) {
    if !setup.isFinished { perform(bytes.withUnsafeReadableBytes { setup.receive($0, at: instant) }, of: .setup) }
    if start != nil { perform(bytes.withUnsafeReadableBytes { start?.receive($0, at: instant) }, of: .start) }
    if keeping != nil { perform(bytes.withUnsafeReadableBytes { keeping?.dump.receive($0, at: instant) }, of: .dump) }
  }

  /// Ends what is under way, because the line is closed.
  func cancel() {
    line = nil
    endQuickStart()
    cancelSetup()
  }

  func cancelSetup() {
    setup = ReceiverSetup(wish, speeds: SpeedFinder.candidates)
    arm()
  }

  func perform(_ actions: [ReceiverAction]?, of part: Part) {
    for action in actions ?? [] {
      switch action {
      case .write(let bytes):
        guard isFree(for: part) else { return }
        // One that the line does not take is lost, like one that the receiver does not receive.
        if let line { _ = Glibc.write(line.rawValue, bytes, bytes.count) }
      case .setSpeed(let speed): source.setSpeed(speed)
      case .aid: beginQuickStart()
      case .prepare(let key): prepare(key)
      case .finish: finish(part)
      }
    }
    if let start { quickStart = start.result }
    arm()
  }

  /// Whether no other process holds the line, which one may open at any time; ends set-up and quick start if one does. A
  /// dump is not begun then.
  private func isFree(for part: Part) -> Bool {
    // Looked up a few times a second.
    let now = EngineClock.machine
    if part == .dump || now < freeUntil { return true }
    holder = SerialDiagnosis.holder(of: path)
    guard let holder else {
      freeUntil = now + .milliseconds(200)
      return true
    }
    start = nil
    cancelSetup()
    inlet.log.warning(
      "the receiver is not set up: \(holder) holds it", metadata: facts.merging(["REASON": "busy"]) { $1 })
    return false
  }

  private func beginQuickStart() {
    guard let help, let identity = setup.status.identity else { return proceed() }
    endQuickStart()
    acknowledgesAiding = setup.acknowledgesAiding
    let name = String(path.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    var start = QuickStart(
      identity, line: name, speed: source.lineSpeed, usesFlash: help.usesFlash, acknowledges: acknowledgesAiding)
    let actions = start.start(at: EngineClock.machine)
    self.start = start
    quickStart = start.result
    perform(actions, of: .start)
  }

  private func proceed() { perform(setup.proceed(at: EngineClock.machine), of: .setup) }

  private func finish(_ part: Part) {
    switch part {
    case .setup: didSetUp()
    case .start:
      guard let result = exchange(&start, with: nil)?.result else { return }
      didHelp(result)
      proceed()
    case .dump:
      guard let kept = exchange(&keeping, with: nil) else { return }
      store(kept)
      kept.done()
    }
  }

  private func didSetUp() {
    guard let status else { return }
    var facts = facts
    if let model = status.identity?.model ?? status.identity?.firmware { facts["RECEIVER"] = "\(model)" }
    switch status.phase {
    case .unsupported:
      let family = status.identity.map { "a receiver of \($0.family.rawValue) is left as it is" }
      inlet.log.notice(
        "\(family ?? "the receiver answers no known query; nothing was sent to set it up")", metadata: facts)
    case .lost: inlet.log.warning("the receiver does not answer at its new speed or any other", metadata: facts)
    case .identifying, .running, .done:
      let outcomes = status.settings.map { "\($0.name.rawValue) \($0.outcome.rawValue)" }
      inlet.log.notice("receiver set up: \(outcomes.joined(separator: ", "))", metadata: facts)
    }
    source.receiverDidSetUp(status)
  }

  private func arm() {
    timer?.cancel()
    timer = nil
    let deadline = setup.deadline.earlier(start?.deadline).earlier(keeping?.dump.deadline)
    guard let deadline else { return }
    timer = inlet.eventLoop.schedule(at: deadline) { [weak self] in self?.expire() }
  }

  private func expire() {
    let now = EngineClock.machine
    perform(setup.expire(at: now), of: .setup)
    perform(start?.expire(at: now), of: .start)
    perform(keeping?.dump.expire(at: now), of: .dump)
  }

  var report: ReceiverReport {
    var report = ReceiverReport(
      source: inlet.source.name, device: path, state: holder == nil ? "waiting" : "busy")
    report.holder = holder
    if let status { report.apply(status) }
    return report
  }
}
