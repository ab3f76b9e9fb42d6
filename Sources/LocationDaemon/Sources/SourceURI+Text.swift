extension SourceURI {
  private typealias Reader = @Sendable (inout URIQuery) throws(ConfigurationError) -> any SourceKind

  private static let kinds: [(scheme: String, read: Reader)] = [
    ("serial", { query throws(ConfigurationError) in try SerialOptions(&query) }),
    ("gpsd", { query throws(ConfigurationError) in try GPSDOptions(&query) }),
    ("tcp", { query throws(ConfigurationError) in try NetworkOptions(&query, by: .tcp) }),
    ("udp", { query throws(ConfigurationError) in try NetworkOptions(&query, by: .udp) }),
    ("recording", { query throws(ConfigurationError) in try RecordingOptions(&query) }),
    ("simulate", { query throws(ConfigurationError) in try SimulatedSourceOptions(&query) }),
  ]

  /// Parses a URI with further parameters, `serial:/dev/gps0?speed=auto`; the message of an error states what would be
  /// right.
  package init(_ uri: String, parameters: [URIQuery.Parameter] = []) throws(ConfigurationError) {
    let text = URIQuery.text(uri, parameters)
    guard let colon = uri.firstIndex(of: ":") else {
      throw ConfigurationError(
        key: text, message: "not a source; write it as SCHEME:…, for example serial:/dev/gps0?speed=auto")
    }
    let scheme = String(uri[..<colon])
    var query = try URIQuery(uri[uri.index(after: colon)...], in: text)
    for (key, value) in parameters { query.add(value, for: key) }
    // A path would end at it.
    guard !query.containsNUL else { throw query.error("%00 cannot be part of a source; remove it") }
    let isEnabled = try query.takeFlag("enabled") ?? true
    guard let (_, read) = Self.kinds.first(where: { $0.scheme == scheme }) else {
      let known = Self.kinds.map(\.scheme)
      let list = known.dropLast().joined(separator: ", ") + " or \(known[known.count - 1])"
      throw query.error("unknown source scheme \"\(scheme)\"; use \(list)")
    }
    let source = SourceURI(try read(&query))
    try query.finish()
    self = isEnabled ? source : SourceURI(DisabledOptions(off: source))
  }
}
