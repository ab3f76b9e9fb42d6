import Glibc
import LocationCore

/// The service manager that started this process and hears about it (sd_notify(3)).
///
/// Each message is one datagram. A manager that does not keep up misses status lines and pings, never a state.
package final class ServiceManager {
  /// What the manager is told.
  enum Message: Hashable {
    /// Everything is bound: who waited for this daemon may go on.
    case ready
    /// The configuration is being read anew, since that instant of the monotonic clock; `ready` follows.
    case reloading(MonotonicInstant)
    /// The daemon ends.
    case stopping
    /// One line for `systemctl status`.
    case status(String)
    /// The loop that does the work goes round.
    case watchdog
  }

  private let socket: Int32
  private let address: UnixAddress
  /// How long the manager may go without a ping; `nil` when it does not watch this process.
  let watchdogTimeout: Duration?

  /// `nil` when no manager wants to hear.
  package init?(environment: [String: String]) {
    guard let text = environment["NOTIFY_SOCKET"], let address = UnixAddress(text) else { return nil }
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    self.address = address
    // What the manager must hear waits for it, but not for ever.
    // A timeval, field by field: which module its members are in depends on how the standard library is linked.
    var patience = (time_t(0), suseconds_t(500_000))
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout.size(ofValue: patience)))
    watchdogTimeout = Self.watchdogTimeout(in: environment, pid: getpid())
  }

  deinit { close(socket) }

  /// Sends one message.
  func tell(_ message: Message) {
    let bytes = Array(message.text.utf8)
    let flags = CInt(MSG_NOSIGNAL) | (message.mayWait ? 0 : CInt(MSG_DONTWAIT))
    address.withSocketAddress { pointer, length in
      _ = sendto(socket, bytes, bytes.count, flags, pointer, length)
    }
  }

  /// `WATCHDOG_USEC`, if it is meant for this process (sd_watchdog_enabled(3)).
  static func watchdogTimeout(in environment: [String: String], pid: pid_t) -> Duration? {
    if let text = environment["WATCHDOG_PID"], pid_t(text) != pid { return nil }
    guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else { return nil }
    return .microseconds(microseconds)
  }
}

extension ServiceManager.Message {
  /// As sd_notify(3) writes it: assignments, one a line.
  var text: String {
    switch self {
    case .ready: "READY=1"
    case .reloading(let instant): "RELOADING=1\nMONOTONIC_USEC=\(instant.nanoseconds / 1000)"
    case .stopping: "STOPPING=1"
    case .status(let line): "STATUS=" + line.split(whereSeparator: \.isNewline).joined(separator: " ")
    case .watchdog: "WATCHDOG=1"
    }
  }

  /// Whether the daemon waits until the manager can take it.
  fileprivate var mayWait: Bool {
    switch self {
    case .ready, .reloading, .stopping: true
    case .status, .watchdog: false
    }
  }
}
