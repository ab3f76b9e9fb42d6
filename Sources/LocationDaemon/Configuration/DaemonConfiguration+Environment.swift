import Logging

extension DaemonConfiguration {
  /// Takes over what `HANDLEBAR_*` variables say.
  ///
  /// `HANDLEBAR_SOURCES` or `HANDLEBAR_SOURCE` (URIs separated by blanks), `HANDLEBAR_SOCKET`, `HANDLEBAR_SOCKET_MODE`
  /// (octal), `HANDLEBAR_SOCKET_GROUP`, `HANDLEBAR_NMEA_SOCKET`, `HANDLEBAR_TCP` (`HOST:PORT`s separated by blanks),
  /// `HANDLEBAR_MAX_CLIENTS`, `HANDLEBAR_DISTANCE_FILTER`, `HANDLEBAR_DRIFT_LIMIT`, `HANDLEBAR_RECORD`,
  /// `HANDLEBAR_RECORD_FROM_START` (`yes` or `no`), `HANDLEBAR_RECORD_RIDES`, `HANDLEBAR_RECORD_BYTES`,
  /// `HANDLEBAR_RIDE_STOP` (seconds),
  /// `HANDLEBAR_LOG_LEVEL`. An empty path or group is none.
  package mutating func apply(environment: [String: String]) throws(ConfigurationError) {
    func number(_ key: String) throws(ConfigurationError) -> Double? {
      guard let text = environment[key] else { return nil }
      // Double(_:) alone would take "0x10", "inf" and "1e3" for a number of metres.
      guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(text) else {
        throw ConfigurationError(key: key, message: "\(text) is not a number")
      }
      return value
    }
    if let text = environment["HANDLEBAR_SOURCES"] ?? environment["HANDLEBAR_SOURCE"] {
      var uris: [SourceURI] = []
      for uri in text.split(separator: " ") { uris.append(try SourceURI(String(uri))) }
      sources = uris
    }
    if let path = environment["HANDLEBAR_SOCKET"] { socketPath = path }
    if let path = environment["HANDLEBAR_NMEA_SOCKET"] { nmeaSocketPath = Self.optional(path) }
    if let text = environment["HANDLEBAR_TCP"] {
      tcpAddresses = []
      for part in text.split(separator: " ") { tcpAddresses.append(try Self.tcpAddress(part, key: "HANDLEBAR_TCP")) }
    }
    if let text = environment["HANDLEBAR_SOCKET_MODE"] {
      socketMode = try Self.mode(text, key: "HANDLEBAR_SOCKET_MODE")
    }
    if let group = environment["HANDLEBAR_SOCKET_GROUP"] { socketGroup = Self.optional(group) }
    if let value = try number("HANDLEBAR_DISTANCE_FILTER") { distanceFilter = value }
    if let value = try number("HANDLEBAR_DRIFT_LIMIT") { driftLimit = value }
    if let directory = environment["HANDLEBAR_RECORD"] { recordDirectory = Self.optional(directory) }
    if let text = environment["HANDLEBAR_RECORD_FROM_START"] {
      guard text == "yes" || text == "no" else {
        throw ConfigurationError(key: "HANDLEBAR_RECORD_FROM_START", message: "\(text) is neither yes nor no")
      }
      recordsFromStart = text == "yes"
    }
    func whole(_ key: String) throws(ConfigurationError) -> Int? {
      guard let text = environment[key] else { return nil }
      guard let value = Int(text) else { throw ConfigurationError(key: key, message: "\(text) is not a whole number") }
      return value
    }
    if let rides = try whole("HANDLEBAR_RECORD_RIDES") { recordedRides = rides }
    if let bytes = try whole("HANDLEBAR_RECORD_BYTES") { recordedBytes = Self.bound(bytes) }
    if let seconds = try number("HANDLEBAR_RIDE_STOP") { rideStop = seconds }
    if let text = environment["HANDLEBAR_MAX_CLIENTS"] {
      guard let count = Int(text), Self.clientLimits.contains(count) else {
        throw ConfigurationError(key: "HANDLEBAR_MAX_CLIENTS", message: "\(text) is not a number from 1 to 65536")
      }
      maxClients = count
    }
    if let text = environment["HANDLEBAR_LOG_LEVEL"] { logLevel = try Self.level(text, key: "HANDLEBAR_LOG_LEVEL") }
  }

  static let clientLimits = 1...65_536
  static let rideLimits = 1...1_000_000
  static let recordLimits = 1 << 20...Int.max

  /// What was written, or `nil` for 0: no bound.
  static func bound(_ bytes: Int) -> Int? { bytes == 0 ? nil : bytes }

  /// What was written, or `nil` for an empty text: so a lower layer's value is taken back.
  package static func optional(_ text: String) -> String? { text.isEmpty ? nil : text }

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

  /// Reads where gpsd's clients may connect.
  package static func tcpAddress(_ text: some StringProtocol, key: String) throws(ConfigurationError) -> NetworkAddress
  {
    guard let address = NetworkAddress(text, defaultPort: GPSDOptions.defaultPort), !address.host.isEmpty else {
      throw ConfigurationError(key: key, message: "\"\(text)\" is not HOST:PORT, for example 127.0.0.1:2947")
    }
    guard address.literal != nil else {
      throw ConfigurationError(
        key: key, message: "\"\(address.host)\" is no address of an interface; write localhost or a number as 127.0.0.1"
      )
    }
    return address
  }
}
