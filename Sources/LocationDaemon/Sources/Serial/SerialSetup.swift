import Glibc
import GPSDProtocol
import LocationCore
import Logging
import NIOCore
import SystemPackage

/// The set-up of the receiver on a serial line: drives a `ReceiverSetup` on the event loop. It writes only while the
/// line is open and no other process holds it, and only to a source that asks for it.
package final class SerialSetup {
  private let wish: ReceiverWish
  private let path: String
  private let loop: any EventLoop
  private let log: Logger
  /// Helps the receiver to its first fix before it is set up; `nil` if it is not to be helped.
  private let quickStart: SerialQuickStart?
  /// Called when the speed of the line must change, with the new speed, bit/s.
  var onSpeed: (Int) -> Void = { _ in }
  var onEnd: (ReceiverStatus) -> Void = { _ in }
  private var setup: ReceiverSetup?
  private var descriptor: FileDescriptor?
  private var timer: Scheduled<Void>?
  /// The process that holds the line, because of which the last set-up did not begin, or ended.
  private var holder: String?

  init(
    _ wish: ReceiverWish, path: String, quickStart: SerialQuickStart?, on loop: any EventLoop, log: Logger
  ) {
    self.quickStart = quickStart
    self.wish = wish
    self.path = path
    self.loop = loop
    self.log = log
  }

  var isRunning: Bool { setup.map { !$0.isFinished } ?? false }
  var status: ReceiverStatus? { setup?.status }

  /// Starts a set-up, unless one is under way or another process holds the line.
  func begin(applies: Bool, on descriptor: FileDescriptor, speed: Int, isUSB: Bool) {
    guard !isRunning else { return }
    self.descriptor = descriptor
    var setup = ReceiverSetup(
      wish, lineSpeed: speed, isUSB: isUSB, applies: applies, isAided: quickStart != nil, speeds: SpeedFinder.candidates
    )
    let actions = setup.start(at: EngineClock.machine)
    self.setup = setup
    perform(actions)
  }

  func receive(_ bytes: ByteBuffer, at instant: MonotonicInstant) {
    guard isRunning else { return }
    perform(bytes.withUnsafeReadableBytes { setup?.receive($0, at: instant) } ?? [])
  }

  /// Ends the set-up because the line is closed.
  func cancel() {
    timer?.cancel()
    timer = nil
    setup = nil
    descriptor = nil
  }

  private func perform(_ actions: [ReceiverSetup.Action]) {
    for action in actions {
      switch action {
      case .write(let bytes):
        guard isFree else { return }
        write(bytes)
      case .setSpeed(let speed): onSpeed(speed)
      case .aid: help()
      case .finish: finish()
      }
    }
    arm()
  }

  /// Whether no other process holds the line, which one may open at any time; ends the set-up if one does.
  private var isFree: Bool {
    holder = SerialDiagnosis.holder(of: path)
    guard let holder else { return true }
    cancel()
    log.warning("the receiver is not set up: \(holder) holds it", metadata: ["DEVICE": "\(path)", "REASON": "busy"])
    return false
  }

  private func help() {
    guard let quickStart, let descriptor, let setup, let identity = setup.status.identity else { return proceed() }
    quickStart.begin(identity, by: setup.dialect, on: descriptor) { [weak self] in self?.proceed() }
  }

  private func proceed() { perform(setup?.proceed(at: EngineClock.machine) ?? []) }

  /// Writes a command. One that the line does not take is lost, like one that the receiver does not receive.
  private func write(_ bytes: [UInt8]) {
    guard let descriptor else { return }
    bytes.withUnsafeBytes { _ = Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
  }

  private func finish() {
    guard let status else { return }
    var facts: Logger.Metadata = ["DEVICE": "\(path)"]
    if let model = status.identity?.model ?? status.identity?.firmware { facts["RECEIVER"] = "\(model)" }
    switch status.phase {
    case .unsupported: log.notice("the receiver answers no known query; nothing was sent to set it up", metadata: facts)
    case .lost: log.warning("the receiver does not answer at its new speed or any other", metadata: facts)
    case .identifying, .running, .done:
      let outcomes = status.settings.map { "\($0.name.rawValue) \($0.outcome.rawValue)" }
      log.notice("receiver set up: \(outcomes.joined(separator: ", "))", metadata: facts)
    }
    onEnd(status)
  }

  private func arm() {
    timer?.cancel()
    timer = nil
    guard let deadline = setup?.deadline else { return }
    timer = loop.assumeIsolated().scheduleTask(deadline: NIODeadline(deadline)) { [weak self] in self?.expire() }
  }

  private func expire() { perform(setup?.expire(at: EngineClock.machine) ?? []) }
}

extension SerialSetup {
  func report(source: String) -> ReceiverReport {
    var report = ReceiverReport(source: source, device: path, state: holder == nil ? "waiting" : "busy")
    report.holder = holder
    if let status { report.apply(status) }
    return report
  }
}
