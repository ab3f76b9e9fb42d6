import GPSDProtocol
import LocationCore

/// State of a computer that a missing fix may depend on: plain values, so that tests can make up any computer.
struct SystemView: Equatable {
  enum Daemon: Equatable {
    /// Its status; the signal of each satellite in view, dBHz, `nil` if none are reported; the time of its newest fix.
    case answers(StatusReport, satellites: [Double?]?, time: UTCInstant?)
    /// There is no socket.
    case absent(path: String)
    /// There is a socket on which no process listens.
    case deaf(path: String)
    /// What is at the path is no daemon that answers, or this user may not connect.
    case unusable(message: String, remedy: String?)
    case refusing(path: String, reason: String)

    var status: StatusReport? { if case .answers(let status, _, _) = self { status } else { nil } }
    var serialPaths: [String] { (status?.sources ?? []).filter { $0.source.hasPrefix("serial") }.compactMap(\.device) }
  }

  struct Device: Equatable {
    /// As configured or listed, and the target of its links.
    var path: String
    var target: String
    var group: String
    var mode: UInt32
    var holders: [Process] = []
    /// Whether a udev rule excludes it from ModemManager.
    var isIgnoredByModemManager = false

    /// The kernel's name, as in `ttyACM0`.
    var name: String { target.split(separator: "/").last.map(String.init) ?? target }
  }

  struct Process: Equatable {
    var pid: Int32
    var name: String
    var arguments: [String] = []
  }

  struct Disk: Equatable {
    var path: String
    var freeBytes: UInt64
    var totalBytes: UInt64
  }

  enum Configuration: Equatable {
    case right
    case wrong(String)
    /// handlebard is not installed.
    case unchecked
  }

  var daemon: Daemon
  var setups: [ReceiverReport] = []
  var configuration = Configuration.unchecked
  /// Serial ports that could be a receiver's, and `/dev/gps0` if it exists.
  var devices: [Device] = []
  var programs: [Process] = []
  /// Terminals of the kernel's messages, as in `ttyAMA0`.
  var consoles: [String] = []
  var disk: Disk?
  var now: UTCInstant
  /// Whether systemd-timesyncd has set the clock from the network.
  var isClockKept = false

  /// The serial ports that the daemon reads; without a daemon the stable link, or else all there are.
  var receivers: [Device] {
    if daemon.status != nil { return devices.filter { daemon.serialPaths.contains($0.path) } }
    let stable = devices.filter { $0.path == "/dev/gps0" }
    return stable.isEmpty ? devices : stable
  }
}
