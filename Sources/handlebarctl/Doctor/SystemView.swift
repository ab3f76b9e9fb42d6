import LocationClient
import LocationCore

/// State of a computer that a missing fix may depend on: plain values, so that tests can make up any computer.
struct SystemView: Equatable {
  /// Result of a request to the daemon.
  enum Daemon: Equatable {
    /// Its status; the signal of each satellite in view, dBHz; the time of its newest fix.
    case answers(StatusReport, satellites: [Double?], time: UTCInstant?)
    /// There is no socket.
    case absent(path: String)
    /// There is a socket on which no process listens.
    case deaf(path: String)
    /// This user may not connect; the socket's group, if known.
    case denied(path: String, group: String?)
    /// It answered with an error.
    case silent(path: String, reason: String)
  }

  /// A serial port.
  struct Device: Equatable {
    /// As configured or listed, and the target of its links.
    var path: String
    var target: String
    /// The group's name or number.
    var group: String
    /// Permission bits.
    var mode: UInt32
    /// Processes that have it open.
    var holders: [Process] = []
    /// Whether a udev rule excludes it from ModemManager.
    var isIgnoredByModemManager = false

    /// The kernel's name, as in `ttyACM0`.
    var name: String { target.split(separator: "/").last.map(String.init) ?? target }
  }

  /// A running program.
  struct Process: Equatable {
    var pid: Int32
    var name: String
    var arguments: [String] = []
  }

  /// Space on a disk.
  struct Disk: Equatable {
    var path: String
    var freeBytes: UInt64
    var totalBytes: UInt64
  }

  /// Result of the daemon's own check of the configuration.
  enum Configuration: Equatable {
    case right
    case wrong(String)
    /// handlebard is not installed.
    case unchecked
  }

  var daemon: Daemon
  var configuration = Configuration.unchecked
  /// Serial ports that could be a receiver's, and `/dev/gps0` if it exists.
  var devices: [Device] = []
  /// Running programs that open serial ports by themselves.
  var programs: [Process] = []
  /// Terminals of the kernel's messages, as in `ttyAMA0`.
  var consoles: [String] = []
  /// Disk of the recordings.
  var disk: Disk?
  /// Name of the user.
  var user = "USER"
  /// The system's clock.
  var now: UTCInstant

  /// The serial ports that the daemon reads; without a daemon the stable link, or else all there are.
  var receivers: [Device] {
    if case .answers(let status, _, _) = daemon {
      let paths = status.sources.filter { $0.source.hasPrefix("serial") }.compactMap(\.device)
      return devices.filter { paths.contains($0.path) }
    }
    let stable = devices.filter { $0.path == "/dev/gps0" }
    return stable.isEmpty ? devices : stable
  }
}
