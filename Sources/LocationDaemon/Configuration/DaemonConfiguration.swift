import LocationCore
import Logging
import Recordings

package struct DaemonConfiguration: Hashable, Sendable {
  /// Sources of fixes, the preferred one first.
  package var sources: [SourceURI] = [SourceURI(SerialOptions(path: "/dev/gps0"))]
  package var sensors: [SourceURI] = []
  package var socketPath = Self.defaultSocketPath
  /// Path of the Unix socket that passes the leading source's sentences through; `nil` for none.
  package var nmeaSocketPath: String?
  /// TCP addresses for gpsd's clients; empty for none.
  package var tcpAddresses: [NetworkAddress] = []
  /// Whether TCP clients may change anything; `nil`, not configured, means no.
  package var tcpControl: Bool?
  package var socketMode: UInt16 = 0o660
  /// Group of the Unix sockets; `nil` for the process's own.
  package var socketGroup: String?
  /// Distance filter in metres for subscribers that do not set their own.
  package var distanceFilter = FilterConfiguration.standard.distance
  /// Distance in metres between view and fix beyond which follow mode disengages.
  package var driftLimit = FollowRegistry.standardDriftLimit
  /// Seconds from an epoch to the arrival of its fix, the part that is always there; poses follow from it.
  package var latency = 0.1
  /// Circumference of the wheel whose revolutions are counted, metres; `nil` to learn it.
  package var wheelCircumference: Double?
  /// Path of chronyd's socket for a SOCK reference clock, to which the time of fixes is sent; `nil` for none.
  package var chronySocketPath: String?
  /// Directory for what survives the daemon: persistent targets, the last position; `nil` for none.
  package var stateDirectory: String?
  /// Directory for recordings, the only one that clients can record into; `nil` disables recording.
  package var recordDirectory: String?
  package var recordsFromStart = true
  /// Number of rides to keep, including the one in progress.
  package var recordedRides = 100
  /// Total size in bytes of the rides to keep; `nil` for no limit.
  package var recordedBytes: Int?
  /// Length in seconds of the stop that separates two rides.
  package var rideStop = RideAccumulator.splitStop
  package var maxClients = 256
  package var logLevel = Logger.Level.info

  package static let defaultSocketPath = "/run/handlebar/location.sock"
  static let maximumSources = 32
  static let clientLimits = 1...65_536
  static let rideLimits = 1...1_000_000
  static let recordLimits = 1 << 20...Int.max

  package init() {}

  package mutating func setSources(_ uris: [SourceURI]) {
    sources = uris.filter { !$0.kind.isSensor }
    sensors = uris.filter { $0.kind.isSensor }
  }

  package func validate() throws(ConfigurationError) {
    let hasOwnPace = sources.contains { $0.kind.pace ?? .times(1) != .times(1) }
    // `x`, `./x` and, below the root, `//x` name the same file.
    func components(_ path: String) -> [Substring] {
      (path.hasPrefix("/") ? ["/"] : []) + path.split(separator: "/").filter { $0 != "." }
    }
    func check(_ isValid: Bool, _ key: String, _ message: @autoclosure () -> String) throws(ConfigurationError) {
      if !isValid { throw ConfigurationError(key: key, message: message()) }
    }
    try check(
      !sources.isEmpty, "sources",
      "no source of fixes is configured; add one, for example --source serial:/dev/gps0?speed=auto")
    try check(
      sources.count + sensors.count <= Self.maximumSources, "sources",
      "\(sources.count + sensors.count) sources are configured; write at most \(Self.maximumSources)")
    try check(
      distanceFilter.isFinite && distanceFilter >= 0, "distance-filter",
      "out of range; write metres, 0 or more (0 delivers every fix)")
    try check(driftLimit.isFinite && driftLimit > 0, "drift-limit", "out of range; write metres, more than 0")
    try check((0...2).contains(latency), "latency", "out of range; write seconds, 0 to 2")
    try check(
      wheelCircumference.map(WheelCircumference.plausible.contains) ?? true, "wheel-circumference",
      "out of range; write metres, 0.05 to 5, or leave it out to learn it")
    try check(
      Self.rideLimits.contains(recordedRides), "record-rides", "out of range; write a number of rides, 1 to 1000000")
    try check(
      recordedBytes.map(Self.recordLimits.contains) ?? true, "record-bytes",
      "out of range; write bytes, 1048576 or more, or 0 for no limit")
    try check((60...86_400).contains(rideStop), "ride-stop", "out of range; write seconds, 60 to 86400")
    if tcpControl == nil, let address = tcpAddresses.first(where: { !$0.isLocal }) {
      let remedy = "set tcp-control = false if they may only read, or true if they may control the daemon"
      try check(false, "tcp", "\(address) is open to other machines; \(remedy), or use localhost")
    }
    for (key, path) in [("socket", socketPath), ("nmea-socket", nmeaSocketPath), ("chrony-socket", chronySocketPath)] {
      // sun_path holds 108 bytes including its NUL: unix(7).
      let isValid = path.map { (1...107).contains($0.utf8.count) } ?? true
      try check(isValid, key, "wrong length; write a path of 1 to 107 bytes")
    }
    try check(
      nmeaSocketPath.map(components) != components(socketPath), "nmea-socket",
      "same path as socket; choose another path")
    let pace = "a recording with a speed other than 1, or a simulation with a rate other than 1,"
    try check(
      !hasOwnPace || sources.count == 1 && sensors.isEmpty, "sources",
      "\(pace) must be the only source; remove the others")
  }

  /// Whether the only source is a recording that starts with the first subscriber.
  var waitsForFirstClient: Bool {
    sources.count == 1 && sensors.isEmpty && sources[0].kind.startsWithSubscriber
  }

  var hasVirtualTime: Bool {
    sources.contains { $0.kind.pace == .max }
  }

  var ridePolicy: RidePolicy {
    RidePolicy(
      splitStop: Duration(finiteSeconds: rideStop) ?? .seconds(RideAccumulator.splitStop),
      maximumRides: recordedRides, maximumBytes: recordedBytes)
  }
}
