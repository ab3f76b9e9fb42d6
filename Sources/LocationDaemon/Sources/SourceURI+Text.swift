extension SourceURI {
  private typealias Reader = @Sendable (inout URIQuery) throws(ConfigurationError) -> any SourceKind

  private static let kinds: [(form: String, read: Reader)] = [
    ("serial:DEVICE", { query throws(ConfigurationError) in try SerialOptions(&query) }),
    ("gpsd://HOST:PORT", { query throws(ConfigurationError) in try GPSDOptions(&query) }),
    ("tcp://HOST:PORT", { query throws(ConfigurationError) in try NetworkOptions(&query, by: .tcp) }),
    ("udp://:PORT", { query throws(ConfigurationError) in try NetworkOptions(&query, by: .udp) }),
    ("recording:FILE", { query throws(ConfigurationError) in try RecordingOptions(&query) }),
    ("simulate:RIDE", { query throws(ConfigurationError) in try SimulatedSourceOptions(&query) }),
    ("iio:pressure", { query throws(ConfigurationError) in try IIOOptions(&query) }),
    ("counter:DEVICE", { query throws(ConfigurationError) in try CounterOptions(&query) }),
    ("gpio:CHIP/LINE", { query throws(ConfigurationError) in try GPIOOptions(&query) }),
  ]

  package static var forms: String { alternatives(kinds.map(\.form)) }

  private static func alternatives(_ words: [String]) -> String {
    "\(words.dropLast().joined(separator: ", ")) or \(words[words.count - 1])"
  }

  /// Parses a URI, `serial:/dev/gps0?speed=auto`; the message of an error states what would be right.
  package init(_ uri: String, parameters: [URIQuery.Parameter] = []) throws(ConfigurationError) {
    guard let colon = uri.firstIndex(of: ":") else {
      throw ConfigurationError(
        key: uri, message: "not a source; write it as SCHEME:…, for example serial:/dev/gps0?speed=auto")
    }
    let scheme = String(uri[..<colon])
    var query = try URIQuery(uri[uri.index(after: colon)...], in: uri)
    for (key, value) in parameters { query.add(value, for: key) }
    // A path would end at it.
    guard !query.containsNUL else { throw query.error("%00 cannot be part of a source; remove it") }
    let isEnabled = try query.takeFlag("enabled") ?? true
    guard let (_, read) = Self.kinds.first(where: { $0.form.prefix { $0 != ":" } == scheme }) else {
      let known = Self.kinds.map { String($0.form.prefix { $0 != ":" }) }
      throw query.error("unknown source scheme \"\(scheme)\"; use \(Self.alternatives(known))")
    }
    let source = SourceURI(try read(&query))
    try query.finish()
    // It is the name of the unit in requests.
    guard !source.kind.isSensor || source.device.utf8.count <= 64 else {
      throw query.error("longer than 64 bytes; use a shorter path")
    }
    self = isEnabled ? source : SourceURI(DisabledOptions(off: source))
  }
}
