import LocationCore
import Logging

/// The keys of the configuration file. Each has the name of its variable without `HANDLEBAR_`, in lower case.
package enum ConfigurationKey: String, CaseIterable, Sendable {
  case sources
  case socket
  case socketMode = "socket-mode"
  case socketGroup = "socket-group"
  case nmeaSocket = "nmea-socket"
  case tcp
  case tcpControl = "tcp-control"
  case maxClients = "max-clients"
  case distanceFilter = "distance-filter"
  case driftLimit = "drift-limit"
  case latency
  case wheelCircumference = "wheel-circumference"
  case chronySocket = "chrony-socket"
  case state
  case record
  case recordFromStart = "record-from-start"
  case recordRides = "record-rides"
  case recordBytes = "record-bytes"
  case rideStop = "ride-stop"
  case logLevel = "log-level"

  var variable: String { "HANDLEBAR_" + rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined() }

  /// The key closest to a misspelled name; `nil` if none is close.
  static func nearest(to name: String) -> ConfigurationKey? {
    // No key is half as long; the distance takes the product of the lengths.
    guard name.utf8.count <= 40, let nearest = name.nearest(among: allCases.map(\.rawValue)),
      nearest.distance <= max(1, name.count / 3)
    else { return nil }
    return ConfigurationKey(rawValue: nearest.name)
  }
}

/// Typed access to a value, whether it is in a file or in a variable.
protocol ValueReader {
  var key: String { get }
  func text(example: String) throws(ConfigurationError) -> String
  func flag() throws(ConfigurationError) -> Bool
  /// A whole number; a variable leaves the range to the validation if that checks it.
  func integer(in range: ClosedRange<Int>, isValidated: Bool) throws(ConfigurationError) -> Int
  func number(example: String) throws(ConfigurationError) -> Double
  func sources() throws(ConfigurationError) -> [SourceURI]
  func addresses() throws(ConfigurationError) -> [NetworkAddress]
}

extension DaemonConfiguration {
  mutating func apply(_ key: ConfigurationKey, from reader: some ValueReader) throws(ConfigurationError) {
    switch key {
    case .sources: setSources(try reader.sources())
    case .socket: socketPath = try reader.text(example: Self.defaultSocketPath)
    case .socketMode: socketMode = try Self.mode(try reader.text(example: "660"), key: reader.key)
    case .socketGroup: socketGroup = Self.nonEmpty(try reader.text(example: "handlebar"))
    case .nmeaSocket: nmeaSocketPath = Self.nonEmpty(try reader.text(example: "/run/handlebar/nmea.sock"))
    case .tcp: tcpAddresses = try reader.addresses()
    case .tcpControl: tcpControl = try reader.flag()
    case .maxClients: maxClients = try reader.integer(in: Self.clientLimits, isValidated: false)
    case .distanceFilter: distanceFilter = try reader.number(example: "10")
    case .driftLimit: driftLimit = try reader.number(example: "100")
    case .latency: latency = try reader.number(example: "0.1")
    case .wheelCircumference: wheelCircumference = try reader.number(example: "2.1")
    case .chronySocket: chronySocketPath = Self.nonEmpty(try reader.text(example: "/run/chrony.handlebar.sock"))
    case .state: stateDirectory = Self.nonEmpty(try reader.text(example: "/var/lib/handlebar"))
    case .record: recordDirectory = Self.nonEmpty(try reader.text(example: "/var/lib/handlebar/rides"))
    case .recordFromStart: recordsFromStart = try reader.flag()
    case .recordRides: recordedRides = try reader.integer(in: Self.rideLimits, isValidated: true)
    case .recordBytes:
      let bytes = try reader.integer(in: 0...Int.max, isValidated: true)
      recordedBytes = bytes == 0 ? nil : bytes
    case .rideStop: rideStop = try reader.number(example: "1200")
    case .logLevel: logLevel = try Self.level(try reader.text(example: "info"), key: reader.key)
    }
  }

  /// `text`, or `nil` if it is empty: an empty value resets the value of a lower layer.
  package static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

  private static func mode(_ text: String, key: String) throws(ConfigurationError) -> UInt16 {
    guard let mode = UInt16(text, radix: 8), mode <= 0o777, text.allSatisfy(\.isNumber) else {
      throw ConfigurationError(key: key, message: "\(text) is not an octal mode such as 660")
    }
    return mode
  }

  private static func level(_ text: String, key: String) throws(ConfigurationError) -> Logger.Level {
    guard let level = Logger.Level(rawValue: text) else {
      let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw ConfigurationError(key: key, message: "\"\(text)\" is not one of \(known)")
    }
    return level
  }

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
