import LocationClient
import LocationCore

/// What a computer looks like to someone who asks why there is no fix: plain values, so that any computer can be made up.
struct SystemView: Equatable {
  /// How the daemon answered.
  enum Daemon: Equatable {
    /// Its status; the strength of each satellite in view, dBHz; the time of its newest fix.
    case answers(StatusReport, satellites: [Double?], time: UTCInstant?)
    /// There is no socket.
    case absent(path: String)
    /// There is a socket that nobody listens on.
    case deaf(path: String)
    /// This user may not connect; the socket's group, if it can be seen.
    case denied(path: String, group: String?)
    /// It was reached, and said nothing that helps.
    case silent(path: String, reason: String)
  }

  /// A serial line.
  struct Device: Equatable {
    /// As it is configured or listed, and what it leads to.
    var path: String
    var target: String
    /// The group's name or number.
    var group: String
    /// Permission bits.
    var mode: UInt32
    /// Processes that have it open.
    var holders: [Process] = []
    /// Whether udev told ModemManager to leave it alone.
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

  /// Room on a disk.
  struct Disk: Equatable {
    var path: String
    var freeBytes: UInt64
    var totalBytes: UInt64
  }

  /// What the daemon's own check says of the configuration.
  enum Configuration: Equatable {
    case right
    case wrong(String)
    /// There is no handlebard to ask.
    case unchecked
  }

  var daemon: Daemon
  var configuration = Configuration.unchecked
  /// Serial lines that could be a receiver's, and `/dev/gps0` if it is there.
  var devices: [Device] = []
  /// Programs that are known to take serial lines.
  var programs: [Process] = []
  /// Terminals that the kernel writes its messages to, as in `ttyAMA0`.
  var consoles: [String] = []
  /// Where rides are recorded.
  var disk: Disk?
  /// The user that asks.
  var user = "USER"
  /// The system's clock.
  var now: UTCInstant

  /// The serial lines that the daemon is to read; without a daemon the stable link, or else all there are.
  var receivers: [Device] {
    if case .answers(let status, _, _) = daemon {
      let paths = status.sources.filter { $0.source.hasPrefix("serial") }.compactMap(\.device)
      return devices.filter { paths.contains($0.path) }
    }
    let stable = devices.filter { $0.path == "/dev/gps0" }
    return stable.isEmpty ? devices : stable
  }
}
