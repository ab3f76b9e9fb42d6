import Logging

extension DaemonConfiguration {
  /// Takes over what a file says.
  package mutating func apply(_ file: ConfigurationFile) throws(ConfigurationError) {
    for entry in file.entries {
      do throws(ConfigurationError) {
        guard let key = ConfigurationKey(rawValue: entry.key) else { throw Self.unknown(entry.key) }
        try apply(key, entry.value)
      } catch {
        // What is told without a place is about the whole value.
        var error = error
        let isKnown = ConfigurationKey(rawValue: entry.key) != nil
        error.place = error.place ?? file.place(of: isKnown ? entry.value.position : entry.position)
        error.place?.file = file.path
        throw error
      }
    }
  }

  private mutating func apply(_ key: ConfigurationKey, _ value: ConfigurationValue) throws(ConfigurationError) {
    switch key {
    case .sources:
      var uris: [SourceURI] = []
      for element in try value.list(key) { uris.append(try element.source(key)) }
      sources = uris
    case .socket: socketPath = try value.text(key, example: Self.defaultSocketPath)
    case .socketMode: socketMode = try Self.mode(try value.text(key, example: "660"), key: key.rawValue)
    case .socketGroup: socketGroup = Self.optional(try value.text(key, example: "handlebar"))
    case .nmeaSocket: nmeaSocketPath = Self.optional(try value.text(key, example: "/run/handlebar/nmea.sock"))
    case .tcp:
      var addresses: [NetworkAddress] = []
      for element in try value.list(key) { addresses.append(try element.address(key)) }
      tcpAddresses = addresses
    case .maxClients: maxClients = try value.integer(key, in: Self.clientLimits)
    case .distanceFilter: distanceFilter = try value.number(key, example: "10")
    case .driftLimit: driftLimit = try value.number(key, example: "100")
    case .record: recordDirectory = Self.optional(try value.text(key, example: "/var/lib/handlebar/rides"))
    case .recordFromStart: recordsFromStart = try value.flag(key)
    case .recordRides: recordedRides = try value.integer(key, in: Self.rideLimits)
    case .recordBytes: recordedBytes = Self.bound(try value.integer(key, in: 0...Int.max))
    case .rideStop: rideStop = try value.number(key, example: "1200")
    case .logLevel: logLevel = try Self.level(try value.text(key, example: "info"), key: key.rawValue)
    }
  }

  private static func unknown(_ name: String) -> ConfigurationError {
    let remedy =
      if let key = ConfigurationKey.nearest(to: name) {
        "did you mean \"\(key.rawValue)\"?"
      } else {
        "known are \(ConfigurationKey.allCases.map(\.rawValue).joined(separator: ", "))"
      }
    return ConfigurationError(key: name, message: "there is no such key; \(remedy)")
  }
}

extension ConfigurationValue {
  fileprivate func text(_ key: ConfigurationKey, example: String) throws(ConfigurationError) -> String {
    guard case .text(let text) = content else { throw wrong(key, "a string, for example \"\(example)\"") }
    return text
  }

  fileprivate func flag(_ key: ConfigurationKey) throws(ConfigurationError) -> Bool {
    guard case .flag(let value) = content else { throw wrong(key, "true or false") }
    return value
  }

  fileprivate func integer(_ key: ConfigurationKey, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
    let wanted = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard case .integer(let value) = content else { throw wrong(key, wanted) }
    guard range.contains(value) else {
      throw ConfigurationError(key: key.rawValue, message: "\(value) is out of range; write \(wanted)")
    }
    return value
  }

  fileprivate func number(_ key: ConfigurationKey, example: String) throws(ConfigurationError) -> Double {
    switch content {
    case .integer(let value): return Double(value)
    case .number(let value): return value
    default: throw wrong(key, "a number, for example \(example)")
    }
  }

  /// The elements of an array; a single value is an array of one.
  fileprivate func list(_ key: ConfigurationKey) throws(ConfigurationError) -> [ConfigurationValue] {
    switch content {
    case .list(let elements): return elements
    case .text, .table: return [self]
    default: throw wrong(key, "an array of strings")
    }
  }

  /// A URI, or a table of a `uri` and its parameters.
  fileprivate func source(_ key: ConfigurationKey) throws(ConfigurationError) -> SourceURI {
    try located { () throws(ConfigurationError) in
      switch content {
      case .text(let text): return try Self.source(text, key)
      case .table(let entries): return try Self.source(entries, key)
      default:
        throw wrong(key, "a URI, for example \"serial:/dev/gps0?speed=auto\", or a table with a key uri")
      }
    }
  }

  fileprivate func address(_ key: ConfigurationKey) throws(ConfigurationError) -> NetworkAddress {
    try located { () throws(ConfigurationError) in
      try DaemonConfiguration.tcpAddress(try text(key, example: "127.0.0.1:2947"), key: key.rawValue)
    }
  }

  private static func source(_ text: String, _ key: ConfigurationKey) throws(ConfigurationError) -> SourceURI {
    do throws(ConfigurationError) {
      return try SourceURI(text)
    } catch {
      throw ConfigurationError(key: key.rawValue, message: "\(error.key): \(error.message)")
    }
  }

  private static func source(
    _ entries: [ConfigurationEntry], _ key: ConfigurationKey
  ) throws(ConfigurationError) -> SourceURI {
    guard let uri = entries.first(where: { $0.key == "uri" }), case .text(var text) = uri.value.content else {
      throw ConfigurationError(
        key: key.rawValue, message: "a source needs its URI, for example uri = \"serial:/dev/gps0\"")
    }
    for entry in entries where entry.key != "uri" {
      let value: String
      switch entry.value.content {
      case .text(let text): value = text
      case .integer(let integer): value = "\(integer)"
      case .number(let number): value = "\(number)"
      case .flag(let flag): value = "\(flag)"
      case .list, .table, .time:
        throw ConfigurationError(
          key: "\(key.rawValue).\(entry.key)",
          message: "\(entry.value.kind) is no parameter; write a string, a number, true or false",
          place: ConfigurationPlace(file: "", position: entry.value.position))
      }
      text +=
        (text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + URIQuery.encoded(entry.key) + "="
        + URIQuery.encoded(value)
    }
    return try source(text, key)
  }

  /// Runs `body`; what it finds wrong without saying where is wrong here.
  fileprivate func located<Result>(
    _ body: () throws(ConfigurationError) -> Result
  ) throws(ConfigurationError) -> Result {
    do throws(ConfigurationError) {
      return try body()
    } catch {
      var error = error
      error.place = error.place ?? ConfigurationPlace(file: "", position: position)
      throw error
    }
  }

  private func wrong(_ key: ConfigurationKey, _ wanted: String) -> ConfigurationError {
    ConfigurationError(key: key.rawValue, message: "\(kind) stands here; write \(wanted)")
  }
}
