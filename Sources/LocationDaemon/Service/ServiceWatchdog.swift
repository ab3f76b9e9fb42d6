import LocationCore
import NIOCore

/// Shows the service manager at half its patience that the loop which does the work goes round.
///
/// The ping is a task of that loop: while it hangs none is sent, and the manager starts the daemon anew.
final class ServiceWatchdog {
  private let pings: RepeatedTask

  /// Pings from now on; `nil` when nobody watches.
  init?(_ manager: ServiceManager, on loop: any EventLoop) {
    guard let timeout = manager.watchdogTimeout else { return nil }
    let interval = TimeAmount.nanoseconds(max(timeout.nanoseconds / 2, 1_000_000))
    let manager = NIOLoopBound(manager, eventLoop: loop)
    pings = loop.scheduleRepeatedTask(initialDelay: .zero, delay: interval) { _ in manager.value.tell(.watchdog) }
  }

  /// Pings no more.
  func stop() { pings.cancel() }
}
