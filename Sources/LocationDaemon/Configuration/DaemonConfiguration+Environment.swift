extension DaemonConfiguration {
  /// Takes over what `HANDLEBAR_*` variables say.
  ///
  /// `HANDLEBAR_SOURCE` (URIs separated by blanks), `HANDLEBAR_SOCKET`, `HANDLEBAR_SOCKET_MODE` (octal),
  /// `HANDLEBAR_SOCKET_GROUP`, `HANDLEBAR_DISTANCE_FILTER`, `HANDLEBAR_DRIFT_LIMIT`, `HANDLEBAR_RECORD`,
  /// `HANDLEBAR_MAX_CLIENTS`.
  package mutating func apply(environment: [String: String]) throws(ConfigurationError) {
    func number(_ key: String) throws(ConfigurationError) -> Double? {
      guard let text = environment[key] else { return nil }
      // Double(_:) alone would take "0x10", "inf" and "1e3" for a number of metres.
      guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(text) else {
        throw ConfigurationError(key: key, message: "\(text) is not a number")
      }
      return value
    }
    if let text = environment["HANDLEBAR_SOURCE"] {
      var uris: [SourceURI] = []
      for uri in text.split(separator: " ") { uris.append(try SourceURI(String(uri))) }
      sources = uris
    }
    if let path = environment["HANDLEBAR_SOCKET"] { socketPath = path }
    if let text = environment["HANDLEBAR_SOCKET_MODE"] {
      guard let mode = UInt16(text, radix: 8), mode <= 0o777 else {
        throw ConfigurationError(key: "HANDLEBAR_SOCKET_MODE", message: "\(text) is not an octal mode such as 660")
      }
      socketMode = mode
    }
    if let group = environment["HANDLEBAR_SOCKET_GROUP"] { socketGroup = group }
    if let value = try number("HANDLEBAR_DISTANCE_FILTER") { distanceFilter = value }
    if let value = try number("HANDLEBAR_DRIFT_LIMIT") { driftLimit = value }
    if let directory = environment["HANDLEBAR_RECORD"] { recordDirectory = directory }
    if let text = environment["HANDLEBAR_MAX_CLIENTS"] {
      guard let count = Int(text), (1...65_536).contains(count) else {
        throw ConfigurationError(key: "HANDLEBAR_MAX_CLIENTS", message: "\(text) is not a number from 1 to 65536")
      }
      maxClients = count
    }
  }
}
