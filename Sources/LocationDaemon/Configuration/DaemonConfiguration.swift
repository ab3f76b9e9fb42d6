import LocationCore
import Logging
import Recordings

/// The daemon's configuration, with its defaults.
package struct DaemonConfiguration: Hashable, Sendable {
  /// Sources of fixes, the preferred one first.
  package var sources: [SourceURI] = [.serial(SerialOptions(path: "/dev/gps0"))]
  /// Path of the Unix socket.
  package var socketPath = Self.defaultSocketPath
  /// Path of the Unix socket that passes the leading source's sentences through; `nil` for none.
  package var nmeaSocketPath: String?
  /// TCP addresses for gpsd's clients; empty for none.
  package var tcpAddresses: [NetworkAddress] = []
  /// Whether TCP clients may change anything; `nil`, not configured, means no.
  package var tcpControl: Bool?
  /// Permissions of the Unix sockets.
  package var socketMode: UInt16 = 0o660
  /// Group of the Unix sockets; `nil` for the process's own.
  package var socketGroup: String?
  /// Distance filter in metres for subscribers that do not set their own.
  package var distanceFilter = 10.0
  /// Distance in metres between view and fix beyond which follow mode disengages.
  package var driftLimit = 100.0
  /// Seconds from an epoch to the arrival of its fix, the part that is always there; poses follow from it.
  package var latency = 0.1
  /// Path of chronyd's socket for a SOCK reference clock, to which the time of fixes is sent; `nil` for none.
  package var chronySocketPath: String?
  /// Directory for recordings, the only one that clients can record into; `nil` disables recording.
  package var recordDirectory: String?
  /// Whether recording starts with the daemon instead of on a client's request.
  package var recordsFromStart = true
  /// Number of rides to keep, including the one in progress.
  package var recordedRides = 100
  /// Total size in bytes of the rides to keep; `nil` for no limit.
  package var recordedBytes: Int?
  /// Length in seconds of the stop that separates two rides.
  package var rideStop = 1200.0
  /// Maximum number of simultaneous clients.
  package var maxClients = 256
  /// Lowest level that is logged.
  package var logLevel = Logger.Level.info

  /// The path that clients use by default.
  package static let defaultSocketPath = "/run/handlebar/location.sock"

  static let maximumSources = 32
  static let clientLimits = 1...65_536
  static let rideLimits = 1...1_000_000
  static let recordLimits = 1 << 20...Int.max

  package init() {}

  /// Checks ranges, and rules that concern several values.
  package func validate() throws(ConfigurationError) {
    if sources.isEmpty {
      throw ConfigurationError(
        key: "sources", message: "no source is configured; add one, for example --source serial:/dev/gps0?speed=auto")
    }
    guard sources.count <= Self.maximumSources else {
      throw ConfigurationError(
        key: "sources", message: "\(sources.count) sources are configured; write at most \(Self.maximumSources)")
    }
    guard distanceFilter.isFinite, distanceFilter >= 0 else {
      throw ConfigurationError(
        key: "distance-filter", message: "out of range; write metres, 0 or more (0 delivers every fix)")
    }
    guard driftLimit.isFinite, driftLimit > 0 else {
      throw ConfigurationError(key: "drift-limit", message: "out of range; write metres, more than 0")
    }
    guard (0...2).contains(latency) else {
      throw ConfigurationError(key: "latency", message: "out of range; write seconds, 0 to 2")
    }
    guard Self.rideLimits.contains(recordedRides) else {
      throw ConfigurationError(key: "record-rides", message: "out of range; write a number of rides, 1 to 1000000")
    }
    if let recordedBytes, !Self.recordLimits.contains(recordedBytes) {
      throw ConfigurationError(
        key: "record-bytes", message: "out of range; write bytes, 1048576 or more, or 0 for no limit")
    }
    guard (60...86_400).contains(rideStop) else {
      throw ConfigurationError(key: "ride-stop", message: "out of range; write seconds, 60 to 86400")
    }
    if tcpControl == nil, let address = tcpAddresses.first(where: { !$0.isLocal }) {
      throw ConfigurationError(
        key: "tcp",
        message: """
          \(address) is open to other machines; set tcp-control = false if they may only read, or true if they may \
          control the daemon, or use localhost
          """)
    }
    // sun_path holds 108 bytes including its NUL: unix(7).
    for (key, path) in [
      ("socket", socketPath), ("nmea-socket", nmeaSocketPath ?? "/"), ("chrony-socket", chronySocketPath ?? "/"),
    ] {
      guard !path.isEmpty, path.utf8.count <= 107 else {
        throw ConfigurationError(key: key, message: "wrong length; write a path of 1 to 107 bytes")
      }
    }
    // `x`, `./x` and, below the root, `//x` name the same file.
    func components(_ path: String) -> [Substring] {
      (path.hasPrefix("/") ? ["/"] : []) + path.split(separator: "/").filter { $0 != "." }
    }
    if let nmeaSocketPath, components(socketPath) == components(nmeaSocketPath) {
      throw ConfigurationError(key: "nmea-socket", message: "same path as socket; choose another path")
    }
    let hasOwnPace = sources.contains { source in
      switch source {
      case .recording(let options): options.speed != .times(1)
      case .simulation(let options): options.rate != 1
      case .serial, .gpsd, .tcp, .udp, .disabled: false
      }
    }
    if hasOwnPace, sources.count > 1 {
      throw ConfigurationError(
        key: "sources",
        message: """
          a recording with a speed other than 1, or a simulation with a rate other than 1, must be the only source; \
          remove the others
          """)
    }
  }

  /// Whether the only source is a recording that starts with the first subscriber.
  var waitsForFirstClient: Bool {
    guard sources.count == 1, case .recording(let options) = sources[0] else { return false }
    return options.start == .watch
  }

  /// Whether a recording is replayed at full speed, on virtual time.
  var hasVirtualTime: Bool {
    sources.contains { source in
      if case .recording(let options) = source { options.speed == .max } else { false }
    }
  }

  /// Rules for splitting recordings into rides and for deleting old ones.
  var ridePolicy: RidePolicy {
    RidePolicy(
      splitStop: Duration(finiteSeconds: rideStop) ?? RidePolicy.standardSplitStop,
      retention: RetentionPolicy(maximumRides: recordedRides, maximumBytes: recordedBytes))
  }
}

// MARK: - Parsing shared by file, environment and flags

extension DaemonConfiguration {
  /// `text`, or `nil` if it is empty: an empty value resets the value of a lower layer.
  package static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

  /// `bytes`, or `nil` for 0: no limit.
  static func byteLimit(_ bytes: Int) -> Int? { bytes == 0 ? nil : bytes }

  static func mode(_ text: String, key: String) throws(ConfigurationError) -> UInt16 {
    guard let mode = UInt16(text, radix: 8), mode <= 0o777, text.allSatisfy(\.isNumber) else {
      throw ConfigurationError(key: key, message: "\(text) is not an octal mode such as 660")
    }
    return mode
  }

  static func level(_ text: String, key: String) throws(ConfigurationError) -> Logger.Level {
    guard let level = Logger.Level(rawValue: text) else {
      let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw ConfigurationError(key: key, message: "\"\(text)\" is not one of \(known)")
    }
    return level
  }

  /// Parses the address of a TCP listener.
  package static func tcpAddress(
    _ text: some StringProtocol, key: String
  ) throws(ConfigurationError) -> NetworkAddress {
    guard let address = NetworkAddress(text, defaultPort: GPSDOptions.defaultPort), !address.host.isEmpty else {
      throw ConfigurationError(key: key, message: "\"\(text)\" is not HOST:PORT, for example 127.0.0.1:2947")
    }
    guard address.literal != nil else {
      throw ConfigurationError(
        key: key,
        message: "\"\(address.host)\" is not a numeric address; write localhost or an address such as 127.0.0.1")
    }
    return address
  }
}
