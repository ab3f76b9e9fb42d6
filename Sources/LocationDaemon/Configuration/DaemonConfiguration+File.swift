import LocationCore

extension DaemonConfiguration {
  package mutating func apply(_ file: ConfigurationFile) throws(ConfigurationError) {
    for entry in file.entries {
      do throws(ConfigurationError) {
        guard let key = ConfigurationKey(rawValue: entry.key) else { throw Self.unknownKey(entry.key) }
        try apply(key, from: EntryReader(entry: entry, file: file))
      } catch {
        throw error.located(at: file.place(of: entry.value.line))
      }
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

private struct EntryReader: ValueReader {
  let entry: ConfigurationFile.Entry
  let file: ConfigurationFile

  var key: String { entry.key }

  func text(example: String) throws(ConfigurationError) -> String { try text(entry.value, example: example) }

  private func text(_ value: ConfigurationValue, example: String) throws(ConfigurationError) -> String {
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

  func integer(in range: ClosedRange<Int>, isValidated: Bool) throws(ConfigurationError) -> Int {
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

  func sources() throws(ConfigurationError) -> [SourceURI] {
    try elements { value throws(ConfigurationError) in try source(value) }
  }

  func addresses() throws(ConfigurationError) -> [NetworkAddress] {
    try elements { value throws(ConfigurationError) in
      try DaemonConfiguration.tcpAddress(try text(value, example: "127.0.0.1:2947"), key: key)
    }
  }

  /// Converts each element of an array, or a single value; an error carries the element's line.
  private func elements<Element>(
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
  private func source(_ value: ConfigurationValue) throws(ConfigurationError) -> SourceURI {
    var parameters: [URIQuery.Parameter] = []
    let uri: String
    switch value.content {
    case .text(let text): uri = text
    case .table(let table):
      guard case .text(let text) = table["uri"]?.content else {
        throw error("a source needs its URI, for example uri = \"serial:/dev/gps0\"")
      }
      uri = text
      parameters = try self.parameters(of: table)
    default:
      throw wrongType(value, wanted: "a URI, for example \"serial:/dev/gps0?speed=auto\", or a table with a key uri")
    }
    do throws(ConfigurationError) {
      return try SourceURI(uri, parameters: parameters)
    } catch let problem {
      throw error("\(problem.key): \(problem.message)")
    }
  }

  private func parameters(of table: [String: ConfigurationValue]) throws(ConfigurationError) -> [URIQuery.Parameter] {
    var values = table
    values["uri"] = nil
    if case .table(let receiver)? = table["receiver"]?.content {
      values["receiver"] = nil
      for (name, value) in receiver { values["receiver.\(name)"] = value }
    }
    var parameters: [URIQuery.Parameter] = []
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      switch value.content {
      case .text(let value): parameters.append((name, value))
      case .integer(let value): parameters.append((name, "\(value)"))
      case .number(let value): parameters.append((name, "\(value)"))
      case .flag(let value): parameters.append((name, "\(value)"))
      case .list, .table, .time:
        throw ConfigurationError(
          key: "\(key).\(name)", message: "\(value.kind) is not a parameter; write a string, a number, true or false")
      }
    }
    return parameters
  }

  private func error(_ message: String) -> ConfigurationError { ConfigurationError(key: key, message: message) }

  private func wrongType(_ value: ConfigurationValue, wanted: String) -> ConfigurationError {
    error("\(value.kind) is not accepted here; write \(wanted)")
  }
}
