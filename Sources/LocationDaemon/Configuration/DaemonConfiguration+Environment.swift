import Glibc
import Logging

/// The environment variables of this process.
package enum Environment {
  /// All variables with their current values.
  package static var process: [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return variables
  }

  /// Removes the variables that the service manager sets for this process only, so that children do not inherit them.
  package static func removeServiceVariables() {
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
      unsetenv(name)
    }
  }
}

extension DaemonConfiguration {
  /// Applies the `HANDLEBAR_*` variables, each named like its key in the file.
  ///
  /// Lists (`HANDLEBAR_SOURCES`, or `HANDLEBAR_SOURCE`, and `HANDLEBAR_TCP`) are separated by spaces. An empty path or
  /// group means none.
  package mutating func apply(environment: [String: String]) throws(ConfigurationError) {
    let variables = Variables(environment)
    if let text = environment["HANDLEBAR_SOURCES"] ?? environment["HANDLEBAR_SOURCE"] {
      var uris: [SourceURI] = []
      for uri in text.split(separator: " ") { uris.append(try SourceURI(String(uri))) }
      sources = uris
    }
    if let path = environment["HANDLEBAR_SOCKET"] { socketPath = path }
    if let text = environment["HANDLEBAR_SOCKET_MODE"] {
      socketMode = try Self.mode(text, key: "HANDLEBAR_SOCKET_MODE")
    }
    if let group = environment["HANDLEBAR_SOCKET_GROUP"] { socketGroup = Self.nonEmpty(group) }
    if let path = environment["HANDLEBAR_NMEA_SOCKET"] { nmeaSocketPath = Self.nonEmpty(path) }
    if let text = environment["HANDLEBAR_TCP"] {
      tcpAddresses = []
      for part in text.split(separator: " ") { tcpAddresses.append(try Self.tcpAddress(part, key: "HANDLEBAR_TCP")) }
    }
    if let flag = try variables.flag("HANDLEBAR_TCP_CONTROL") { tcpControl = flag }
    if let count = try variables.integer("HANDLEBAR_MAX_CLIENTS", in: Self.clientLimits) { maxClients = count }
    if let value = try variables.number("HANDLEBAR_DISTANCE_FILTER") { distanceFilter = value }
    if let value = try variables.number("HANDLEBAR_DRIFT_LIMIT") { driftLimit = value }
    if let value = try variables.number("HANDLEBAR_LATENCY") { latency = value }
    if let path = environment["HANDLEBAR_CHRONY_SOCKET"] { chronySocketPath = Self.nonEmpty(path) }
    if let directory = environment["HANDLEBAR_RECORD"] { recordDirectory = Self.nonEmpty(directory) }
    if let flag = try variables.flag("HANDLEBAR_RECORD_FROM_START") { recordsFromStart = flag }
    if let rides = try variables.integer("HANDLEBAR_RECORD_RIDES") { recordedRides = rides }
    if let bytes = try variables.integer("HANDLEBAR_RECORD_BYTES") { recordedBytes = Self.byteLimit(bytes) }
    if let seconds = try variables.number("HANDLEBAR_RIDE_STOP") { rideStop = seconds }
    if let text = environment["HANDLEBAR_LOG_LEVEL"] { logLevel = try Self.level(text, key: "HANDLEBAR_LOG_LEVEL") }
  }

  /// Typed access to environment variables; `nil` for a variable that is not set.
  private struct Variables {
    private let environment: [String: String]

    init(_ environment: [String: String]) {
      self.environment = environment
    }

    func number(_ key: String) throws(ConfigurationError) -> Double? {
      guard let text = environment[key] else { return nil }
      // Double(_:) alone accepts "0x10", "inf" and "1e3".
      guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(text) else {
        throw ConfigurationError(key: key, message: "\"\(text)\" is not a number")
      }
      return value
    }

    func integer(_ key: String, in range: ClosedRange<Int>? = nil) throws(ConfigurationError) -> Int? {
      guard let text = environment[key] else { return nil }
      guard let value = Int(text), range?.contains(value) ?? true else {
        let wanted = range.map { " from \($0.lowerBound) to \($0.upperBound)" } ?? ""
        throw ConfigurationError(key: key, message: "\"\(text)\" is not a whole number\(wanted)")
      }
      return value
    }

    func flag(_ key: String) throws(ConfigurationError) -> Bool? {
      switch environment[key] {
      case nil: nil
      case "yes": true
      case "no": false
      case .some(let text): throw ConfigurationError(key: key, message: "\"\(text)\" is neither yes nor no")
      }
    }
  }
}
