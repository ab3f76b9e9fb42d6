import LocationCore
import NIOCore

/// Shows the service manager at half its patience, or a little sooner, that the loop which does the work goes round.
///
/// The ping is a task of that loop: while it hangs none is sent, and the manager starts the daemon anew.
final class ServiceWatchdog {
  private let manager: ServiceManager
  private let loop: any EventLoop
  private let interval: Duration
  private var timer: Scheduled<Void>?

  /// Pings from now on; `nil` when nobody watches.
  init?(_ manager: ServiceManager, on loop: any EventLoop) {
    guard let timeout = manager.watchdogTimeout else { return nil }
    self.manager = manager
    self.loop = loop
    interval = max(.nanoseconds(timeout.nanoseconds / 2), .milliseconds(1))
    ping()
  }

  /// Pings no more.
  func stop() { timer?.cancel() }

  private func ping() {
    manager.tell(.watchdog)
    let due = WholeSecond.deadline(atMost: interval, after: EngineClock.machine)
    timer = loop.assumeIsolated().scheduleTask(deadline: due) { [weak self] in
      self?.ping()
    }
  }
}
