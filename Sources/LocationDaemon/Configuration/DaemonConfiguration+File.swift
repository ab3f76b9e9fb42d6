import Logging

/// The keys of the configuration file. Each has the name of its flag, and of its variable without `HANDLEBAR_`.
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
  case chronySocket = "chrony-socket"
  case record
  case recordFromStart = "record-from-start"
  case recordRides = "record-rides"
  case recordBytes = "record-bytes"
  case rideStop = "ride-stop"
  case logLevel = "log-level"

  /// The key closest to a misspelled name; `nil` if none is close.
  static func nearest(to name: String) -> ConfigurationKey? {
    // No key is half as long; the distance takes the product of the lengths.
    guard name.utf8.count <= 40 else { return nil }
    let wanted = Array(name.lowercased())
    let candidates = allCases.map { ($0, distance(wanted, Array($0.rawValue))) }
    guard let best = candidates.min(by: { $0.1 < $1.1 }), best.1 <= max(1, wanted.count / 3) else { return nil }
    return best.0
  }

  /// The Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var previous: [Int] = []
    var row = Array(0...other.count)
    for (i, left) in one.enumerated() {
      var next = [i + 1]
      for (j, right) in other.enumerated() {
        var best = min(row[j] + (left == right ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, left == other[j - 1], one[i - 1] == right { best = min(best, previous[j - 1] + 1) }
        next.append(best)
      }
      previous = row
      row = next
    }
    return row[other.count]
  }
}

extension DaemonConfiguration {
  /// Applies the entries of a file; an error carries the file and the line.
  package mutating func apply(_ file: ConfigurationFile) throws(ConfigurationError) {
    for entry in file.entries {
      do throws(ConfigurationError) {
        try apply(EntryReader(entry, in: file))
      } catch {
        throw error.located(at: file.place(of: entry.value.line))
      }
    }
  }

  private mutating func apply(_ entry: EntryReader) throws(ConfigurationError) {
    guard let key = ConfigurationKey(rawValue: entry.key) else { throw Self.unknownKey(entry.key) }
    switch key {
    case .sources:
      sources = try entry.elements { value throws(ConfigurationError) in try entry.source(value) }
    case .socket: socketPath = try entry.text(example: Self.defaultSocketPath)
    case .socketMode: socketMode = try Self.mode(try entry.text(example: "660"), key: entry.key)
    case .socketGroup: socketGroup = Self.nonEmpty(try entry.text(example: "handlebar"))
    case .nmeaSocket: nmeaSocketPath = Self.nonEmpty(try entry.text(example: "/run/handlebar/nmea.sock"))
    case .tcp:
      tcpAddresses = try entry.elements { value throws(ConfigurationError) in
        try Self.tcpAddress(try entry.text(value, example: "127.0.0.1:2947"), key: entry.key)
      }
    case .tcpControl: tcpControl = try entry.flag()
    case .maxClients: maxClients = try entry.integer(in: Self.clientLimits)
    case .distanceFilter: distanceFilter = try entry.number(example: "10")
    case .driftLimit: driftLimit = try entry.number(example: "100")
    case .latency: latency = try entry.number(example: "0.1")
    case .chronySocket: chronySocketPath = Self.nonEmpty(try entry.text(example: "/run/chrony.handlebar.sock"))
    case .record: recordDirectory = Self.nonEmpty(try entry.text(example: "/var/lib/handlebar/rides"))
    case .recordFromStart: recordsFromStart = try entry.flag()
    case .recordRides: recordedRides = try entry.integer(in: Self.rideLimits)
    case .recordBytes: recordedBytes = Self.byteLimit(try entry.integer(in: 0...Int.max))
    case .rideStop: rideStop = try entry.number(example: "1200")
    case .logLevel: logLevel = try Self.level(try entry.text(example: "info"), key: entry.key)
    }
  }

  private static func unknownKey(_ name: String) -> ConfigurationError {
    let remedy =
      if let key = ConfigurationKey.nearest(to: name) {
        "did you mean \"\(key.rawValue)\"?"
      } else {
        "use one of \(ConfigurationKey.allCases.map(\.rawValue).joined(separator: ", "))"
      }
    return ConfigurationError(key: name, message: "there is no such key; \(remedy)")
  }
}

/// Typed access to the value of an entry.
private struct EntryReader {
  private let entry: ConfigurationFile.Entry
  private let file: ConfigurationFile

  init(_ entry: ConfigurationFile.Entry, in file: ConfigurationFile) {
    self.entry = entry
    self.file = file
  }

  var key: String { entry.key }

  func text(example: String) throws(ConfigurationError) -> String { try text(entry.value, example: example) }

  func text(_ value: ConfigurationValue, example: String) throws(ConfigurationError) -> String {
    guard case .text(let text) = value.content else {
      throw wrongType(value, wanted: "a string, for example \"\(example)\"")
    }
    guard !text.utf8.contains(0) else { throw error("\\u0000 is not accepted in a string; remove it") }
    return text
  }

  func flag() throws(ConfigurationError) -> Bool {
    guard case .flag(let value) = entry.value.content else { throw wrongType(entry.value, wanted: "true or false") }
    return value
  }

  func integer(in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
    let wanted = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard case .integer(let value) = entry.value.content else { throw wrongType(entry.value, wanted: wanted) }
    guard range.contains(value) else { throw error("\(value) is out of range; write \(wanted)") }
    return value
  }

  func number(example: String) throws(ConfigurationError) -> Double {
    switch entry.value.content {
    case .integer(let value): return Double(value)
    case .number(let value): return value
    default: throw wrongType(entry.value, wanted: "a number, for example \(example)")
    }
  }

  /// Converts each element of an array, or a single value; an error carries the element's line.
  func elements<Element>(
    _ convert: (ConfigurationValue) throws(ConfigurationError) -> Element
  ) throws(ConfigurationError) -> [Element] {
    let values: [ConfigurationValue]
    switch entry.value.content {
    case .list(let elements): values = elements
    case .text, .table: values = [entry.value]
    default: throw wrongType(entry.value, wanted: "an array of strings")
    }
    var converted: [Element] = []
    for value in values {
      do throws(ConfigurationError) {
        converted.append(try convert(value))
      } catch {
        throw error.located(at: file.place(of: value.line))
      }
    }
    return converted
  }

  /// A source: a URI, or a table with a `uri` and its parameters.
  func source(_ value: ConfigurationValue) throws(ConfigurationError) -> SourceURI {
    let text: String
    switch value.content {
    case .text(let uri): text = uri
    case .table(let table): text = try uri(of: table)
    default:
      throw wrongType(value, wanted: "a URI, for example \"serial:/dev/gps0?speed=auto\", or a table with a key uri")
    }
    do throws(ConfigurationError) {
      return try SourceURI(text)
    } catch let problem {
      throw error("\(problem.key): \(problem.message)")
    }
  }

  private func uri(of table: [String: ConfigurationValue]) throws(ConfigurationError) -> String {
    guard case .text(var uri) = table["uri"]?.content else {
      throw error("a source needs its URI, for example uri = \"serial:/dev/gps0\"")
    }
    var separator = uri.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
    var parameters = table
    if case .table(let receiver)? = table["receiver"]?.content {
      parameters["receiver"] = nil
      for (name, value) in receiver { parameters["receiver.\(name)"] = value }
    }
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) where name != "uri" {
      let text: String
      switch value.content {
      case .text(let value): text = value
      case .integer(let value): text = "\(value)"
      case .number(let value): text = "\(value)"
      case .flag(let value): text = "\(value)"
      case .list, .table, .time:
        throw ConfigurationError(
          key: "\(key).\(name)", message: "\(value.kind) is not a parameter; write a string, a number, true or false")
      }
      uri += separator + URIQuery.encoded(name) + "=" + URIQuery.encoded(text)
      separator = "&"
    }
    return uri
  }

  private func error(_ message: String) -> ConfigurationError { ConfigurationError(key: key, message: message) }

  private func wrongType(_ value: ConfigurationValue, wanted: String) -> ConfigurationError {
    error("\(value.kind) is not accepted here; write \(wanted)")
  }
}
