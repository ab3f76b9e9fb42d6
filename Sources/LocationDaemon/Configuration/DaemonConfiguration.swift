import LocationCore
import Logging
import Recordings

/// Everything that the daemon can be told, with its defaults.
package struct DaemonConfiguration: Hashable, Sendable {
  /// Where fixes come from, the preferred one first.
  package var sources: [SourceURI] = [.serial(SerialOptions(path: "/dev/gps0"))]
  /// Path of the Unix socket.
  package var socketPath = Self.defaultSocketPath
  /// Path of the Unix socket that passes the leading source's sentences through; `nil` offers none.
  package var nmeaSocketPath: String?
  /// Where gpsd's clients may connect; empty offers nothing.
  package var tcpAddresses: [NetworkAddress] = []
  /// Permissions of the Unix sockets.
  package var socketMode: UInt16 = 0o660
  /// Group of the Unix sockets; `nil` leaves the process's own.
  package var socketGroup: String?
  /// Metres between deliveries for a subscriber that names no filter.
  package var distanceFilter = 10.0
  /// Metres between view and fix beyond which follow mode disengages.
  package var driftLimit = 100.0
  /// Directory for recordings, the only one that a client can have written into; `nil` records nothing.
  package var recordDirectory: String?
  /// Whether recording begins with the daemon, or when a client asks for it.
  package var recordsFromStart = true
  /// Rides that are kept, the one in progress included.
  package var recordedRides = 100
  /// Bytes of all rides together that are kept; `nil` for no bound.
  package var recordedBytes: Int?
  /// A stop of so many seconds parts two rides.
  package var rideStop = 1200.0
  /// Clients at the same time.
  package var maxClients = 256
  /// What is logged at least.
  package var logLevel = Logger.Level.info

  /// The socket that clients look for.
  package static let defaultSocketPath = "/run/handlebar/location.sock"

  package init() {}

  /// Checks what no single value shows.
  package func validate() throws(ConfigurationError) {
    if sources.isEmpty {
      throw ConfigurationError(
        key: "sources", message: "no source is configured; name one, for example --source serial:/dev/gps0?speed=auto")
    }
    guard distanceFilter.isFinite, distanceFilter >= 0 else {
      throw ConfigurationError(key: "distance-filter", message: "metres, 0 or more; 0 delivers every fix")
    }
    guard driftLimit.isFinite, driftLimit > 0 else {
      throw ConfigurationError(key: "drift-limit", message: "metres, more than 0")
    }
    guard Self.rideLimits.contains(recordedRides) else {
      throw ConfigurationError(key: "record-rides", message: "rides to keep, 1 to 1000000")
    }
    if let recordedBytes, !Self.recordLimits.contains(recordedBytes) {
      throw ConfigurationError(key: "record-bytes", message: "bytes to keep, 1048576 or more; 0 sets no bound")
    }
    guard (60...86_400).contains(rideStop) else {
      throw ConfigurationError(key: "ride-stop", message: "seconds of a stop that parts two rides, 60 to 86400")
    }
    // sun_path holds 108 bytes with its NUL: unix(7).
    for (key, path) in [("socket", socketPath), ("nmea-socket", nmeaSocketPath ?? "/")] {
      guard !path.isEmpty, path.utf8.count <= 107 else {
        throw ConfigurationError(key: key, message: "a path of 1 to 107 bytes")
      }
    }
    // `x`, `./x` and, below the root, `//x` are one file.
    func plain(_ path: String) -> [Substring] {
      (path.hasPrefix("/") ? ["/"] : []) + path.split(separator: "/").filter { $0 != "." }
    }
    if let nmeaSocketPath, plain(socketPath) == plain(nmeaSocketPath) {
      throw ConfigurationError(key: "nmea-socket", message: "another path than the socket's own")
    }
    let ownTime = sources.contains { source in
      switch source {
      case .recording(let options): options.speed != .times(1)
      case .simulation(let options): options.rate != 1
      case .serial, .gpsd, .tcp, .udp, .disabled: false
      }
    }
    if ownTime, sources.count > 1 {
      throw ConfigurationError(
        key: "sources",
        message:
          "a recording at another speed, or a simulation at another rate, than 1 runs on its own time and must be the only source"
      )
    }
  }
}

extension DaemonConfiguration {
  /// Whether the one source is a recording that waits for its first client.
  var waitsForFirstClient: Bool {
    guard sources.count == 1, case .recording(let options) = sources[0] else { return false }
    return options.start == .watch
  }

  /// Whether time is that of a replay at full speed.
  var hasVirtualTime: Bool {
    sources.contains { source in
      if case .recording(let options) = source { options.speed == .max } else { false }
    }
  }
}

extension DaemonConfiguration {
  /// What makes a ride a ride, and which ones are kept.
  var ridePolicy: RidePolicy {
    RidePolicy(
      splitStop: Duration(finiteSeconds: rideStop) ?? RidePolicy.standardSplitStop,
      retention: RetentionPolicy(maximumRides: recordedRides, maximumBytes: recordedBytes))
  }
}
