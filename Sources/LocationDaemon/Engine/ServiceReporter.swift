import LocationCore
import NIOCore

/// Reports to the service manager: ready, reloading, stopping, the status line, watchdog pings.
final class ServiceReporter: EngineObserver {
  private let manager: ServiceManager
  private let loop: any EventLoop
  private let sources: SourceList
  private var text = ""
  private var line = StatusLine()
  /// The next ping of the watchdog; `nil` if that is off.
  private var watchdog: Scheduled<Void>?
  private var isWaiting = false
  private var isOver = false

  init(to manager: ServiceManager, _ sources: SourceList, on loop: any EventLoop) {
    self.manager = manager
    self.loop = loop
    self.sources = sources
  }

  func notifyReady(_ engine: borrowing LocationEngine) {
    manager.send(.ready)
    if watchdog == nil, let timeout = manager.watchdogTimeout {
      ping(every: max(.nanoseconds(timeout.nanoseconds / 2), .milliseconds(1)))
    }
    text = sources.statusLine(engine)
    updateStatus()
  }

  /// Reports that the configuration is being reloaded; `notifyReady()` follows.
  func notifyReloading() { manager.send(.reloading(EngineClock.machine)) }

  /// Reports that the daemon is stopping; status lines end here.
  func notifyStopping() {
    isOver = true
    manager.send(.stopping)
  }

  func end() { watchdog?.cancel() }

  /// Pings the service manager's watchdog so often or a little more, by a task of the loop that reads the receiver: if
  /// the loop hangs, the manager restarts the daemon.
  private func ping(every interval: Duration) {
    manager.send(.watchdog)
    let due = WholeSecond.deadline(atMost: interval, after: EngineClock.machine)
    watchdog = loop.schedule(at: due) { [weak self] in self?.ping(every: interval) }
  }

  func observe(_ event: EngineEvent, at instant: MonotonicInstant, in engine: borrowing LocationEngine) {
    guard case .lead = event else { return }
    text = sources.statusLine(engine)
    updateStatus()
  }

  private func updateStatus() {
    guard !isWaiting, !isOver else { return }
    guard let wait = line.update(text, at: EngineClock.machine) else { return }
    if wait == .zero { return manager.send(.status(text)) }
    isWaiting = true
    loop.schedule(in: wait) { [weak self] in
      self?.isWaiting = false
      self?.updateStatus()
    }
  }
}

/// Limits the status line to changes, at most one per second.
struct StatusLine {
  private static let pause = Duration.seconds(1)
  private var sent: (text: String, at: MonotonicInstant)?

  /// The time after which to update again; zero if the text is to be sent, `nil` if it was.
  mutating func update(_ text: String, at instant: MonotonicInstant) -> Duration? {
    if sent?.text == text { return nil }
    if let sent, instant - sent.at < Self.pause { return Self.pause - (instant - sent.at) }
    sent = (text, instant)
    return .zero
  }

  static func text(source: String, device: String, state: SourceState) -> String {
    switch state {
    case .tracking(let mode): "\(mode.rawValue)D fix from \(source) (\(device))"
    case .lost: "fix lost, waiting for \(source) (\(device))"
    case .acquiring: "no fix yet from \(source) (\(device))"
    case .failed(let error, _): "no fix: \(error); \(error.remedy)"
    case .idle, .opening: "\(source) (\(device)) is \(state.phase.rawValue)"
    }
  }
}

extension SourceList {
  func statusLine(_ engine: borrowing LocationEngine) -> String {
    let lead = lead(in: engine)
    return StatusLine.text(source: lead.name, device: lead.device, state: engine.supervisor.leadState)
  }
}
