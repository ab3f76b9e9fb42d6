import LocationCore

/// Where fixes come from, as one URI: `serial:/dev/gps0?speed=auto`,
/// `recording:ride.nmea?speed=10&loop=true`.
package enum SourceURI: Hashable, Sendable {
  case serial(SerialOptions)
  case recording(RecordingOptions)

  /// The schemes that can be named, for messages.
  package static let schemes = ["serial", "recording"]

  /// Reads a URI; throws what is wrong with it in words for the person who wrote it.
  package init(_ text: String) throws(ConfigurationError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw ConfigurationError(
        key: text, message: "not a source; write it as SCHEME:…, for example serial:/dev/gps0?speed=auto")
    }
    let scheme = String(text[..<colon])
    var query = URIQuery(text[text.index(after: colon)...], in: text)
    switch scheme {
    case "serial": self = .serial(try SerialOptions(&query))
    case "recording": self = .recording(try RecordingOptions(&query))
    default:
      throw ConfigurationError(
        key: text,
        message: "unknown source scheme \"\(scheme)\"; known are \(Self.schemes.joined(separator: ", "))")
    }
    try query.finish()
  }

  /// What the bytes come from, for reports: the path.
  package var device: String {
    switch self {
    case .serial(let options): options.path
    case .recording(let options): options.paths.first ?? ""
    }
  }

  /// The scheme.
  package var scheme: String {
    switch self {
    case .serial: "serial"
    case .recording: "recording"
    }
  }
}
