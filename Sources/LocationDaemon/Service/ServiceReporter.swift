import LocationCore
import NIOCore

/// Keeps the service manager informed: ready, reloading, stopping, what leads, and that the loop goes round.
final class ServiceReporter {
  private let manager: ServiceManager
  private let loop: any EventLoop
  private let status: () -> String
  private var line = StatusLine()
  private var watchdog: ServiceWatchdog?
  private var isWaiting = false
  private var isOver = false

  /// `status` makes the line for `systemctl status`.
  init(to manager: ServiceManager, on loop: any EventLoop, status: @escaping () -> String) {
    self.manager = manager
    self.loop = loop
    self.status = status
  }

  /// Everything is bound.
  func isReady() {
    manager.tell(.ready)
    watchdog = watchdog ?? ServiceWatchdog(manager, on: loop)
    stateMayHaveChanged()
  }

  /// The configuration is being read anew; `isReady()` follows.
  func isReloading() { manager.tell(.reloading(EngineClock.machine)) }

  /// The daemon ends; the manager hears no more of the sources.
  func isStopping() {
    isOver = true
    manager.tell(.stopping)
  }

  /// The pings end with the loop.
  func end() { watchdog?.stop() }

  /// The leading source may be another, or stand otherwise.
  func stateMayHaveChanged() {
    guard !isWaiting, !isOver else { return }
    switch line.update(status(), at: EngineClock.machine) {
    case .tell(let text): manager.tell(.status(text))
    case .nothing: break
    case .wait(let duration):
      isWaiting = true
      loop.assumeIsolated().scheduleTask(in: .nanoseconds(duration.nanoseconds)) { [weak self] in
        self?.isWaiting = false
        self?.stateMayHaveChanged()
      }
    }
  }
}
