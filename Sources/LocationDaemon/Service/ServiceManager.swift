import Libc
import LocationCore

/// The service manager's notification socket (sd_notify(3)), one datagram per message. A manager that does not keep up
/// misses status lines and pings, but never a state.
package final class ServiceManager {
  struct Message: Hashable {
    /// As sd_notify(3) defines it: assignments, one per line.
    let text: String
    /// Whether to wait until the manager can take the message.
    var isBlocking = true

    static let ready = Message(text: "READY=1")
    static let stopping = Message(text: "STOPPING=1")
    static let watchdog = Message(text: "WATCHDOG=1", isBlocking: false)

    /// The configuration is being reloaded, since that instant of the monotonic clock; `ready` follows.
    static func reloading(_ instant: MonotonicInstant) -> Message {
      Message(text: "RELOADING=1\nMONOTONIC_USEC=\(instant.nanoseconds / 1000)")
    }

    /// One line for `systemctl status`.
    static func status(_ line: String) -> Message {
      let line = line.split(whereSeparator: \.isNewline).joined(separator: " ")
      return Message(text: "STATUS=\(line)", isBlocking: false)
    }
  }

  /// Longest wait for a manager that does not read.
  private static let timeout = Duration.milliseconds(500)

  private let socket: DatagramSender
  /// Longest time between two pings; `nil` if the watchdog is off for this process.
  let watchdogTimeout: Duration?

  /// `nil` if the environment does not name a notification socket.
  package init?(environment: [String: String]) {
    guard let address = environment["NOTIFY_SOCKET"].flatMap({ UnixAddress($0) }),
      let socket = DatagramSender(to: address, timeout: Self.timeout)
    else { return nil }
    self.socket = socket
    watchdogTimeout = Self.watchdogTimeout(in: environment, pid: getpid())
  }

  deinit { socket.close() }

  /// Sends one message; a failure is ignored, as sd_notify(3) advises.
  func send(_ message: Message) { try? socket.send(Array(message.text.utf8), isBlocking: message.isBlocking) }

  /// `WATCHDOG_USEC`, if it is for this process (sd_watchdog_enabled(3)).
  static func watchdogTimeout(in environment: [String: String], pid: pid_t) -> Duration? {
    if let text = environment["WATCHDOG_PID"], pid_t(text) != pid { return nil }
    guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else { return nil }
    return .microseconds(microseconds)
  }
}
