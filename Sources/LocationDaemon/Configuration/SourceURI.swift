import LocationCore

/// Where fixes come from, as one URI: `serial:/dev/gps0?speed=auto`,
/// `gpsd://localhost:2947`, `tcp://192.168.1.7:10110`, `udp://:10110`, `recording:ride.nmea?speed=10&loop=true`,
/// `simulate:route.gpx?speed=12`.
package enum SourceURI: Hashable, Sendable {
  case serial(SerialOptions)
  case gpsd(GPSDOptions)
  case tcp(NetworkOptions)
  case udp(NetworkOptions)
  case recording(RecordingOptions)
  case simulation(SimulatedSourceOptions)
  /// One that is named and switched off, with `enabled=false`.
  indirect case disabled(SourceURI)

  /// The schemes that can be named, for messages.
  package static let schemes = ["serial", "gpsd", "tcp", "udp", "recording", "simulate"]

  /// Reads a URI; throws what is wrong with it in words for the person who wrote it.
  package init(_ text: String) throws(ConfigurationError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw ConfigurationError(
        key: text, message: "not a source; write it as SCHEME:…, for example serial:/dev/gps0?speed=auto")
    }
    let scheme = String(text[..<colon])
    var query = URIQuery(text[text.index(after: colon)...], in: text)
    let isEnabled = try query.takeFlag("enabled") ?? true
    switch scheme {
    case "serial": self = .serial(try SerialOptions(&query))
    case "gpsd": self = .gpsd(try GPSDOptions(&query))
    case "tcp": self = .tcp(try NetworkOptions(&query, needsHost: true))
    case "udp": self = .udp(try NetworkOptions(&query, needsHost: false))
    case "recording": self = .recording(try RecordingOptions(&query))
    case "simulate": self = .simulation(try SimulatedSourceOptions(&query))
    default:
      throw ConfigurationError(
        key: text,
        message: "unknown source scheme \"\(scheme)\"; known are \(Self.schemes.joined(separator: ", "))")
    }
    try query.finish()
    if !isEnabled { self = .disabled(self) }
  }

  /// What the bytes come from, for reports: the path.
  package var device: String {
    switch self {
    case .serial(let options): options.path
    case .gpsd(let options): options.device ?? "gpsd://\(options.address)"
    case .tcp(let options): "tcp://\(options.address)"
    case .udp(let options): "udp://\(options.address)"
    case .recording(let options): options.paths.first ?? ""
    case .simulation(let options): options.device
    case .disabled(let source): source.device
    }
  }

  /// What happens to sentences without checksum.
  package var checksums: ChecksumPolicy {
    switch self {
    case .serial(let options): options.checksums
    case .tcp(let options), .udp(let options): options.checksums
    case .recording(let options): options.checksums
    case .gpsd, .simulation, .disabled: .require
    }
  }

  /// Whether dates of a receiver that lost count of 1024 weeks are moved forward.
  package var snapsRollover: Bool {
    switch self {
    case .serial(let options): options.snapsRollover
    case .tcp(let options), .udp(let options): options.snapsRollover
    case .recording(let options): options.snapsRollover
    case .gpsd, .simulation, .disabled: false
    }
  }

  /// The scheme.
  package var scheme: String {
    switch self {
    case .serial: "serial"
    case .gpsd: "gpsd"
    case .tcp: "tcp"
    case .udp: "udp"
    case .recording: "recording"
    case .simulation: "simulate"
    case .disabled(let source): source.scheme
    }
  }
}
