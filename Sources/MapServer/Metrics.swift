import LocationClient

/// The daemon's `STATUS` as Prometheus reads it (text format 0.0.4): gauges of its state, and each counter, named
/// `handlebar_…_total`. Of a daemon that does not answer there is `handlebar_up 0` alone.
struct Metrics {
  static let type = "text/plain; version=0.0.4; charset=utf-8"
  private(set) var text = ""

  init(_ status: StatusReport?) {
    gauge("up", status == nil ? 0 : 1)
    guard let status else { return }
    gauge("uptime_seconds", status.uptime / .seconds(1))
    gauge("clients", Double(status.clients))
    gauge("fix_dimensions", Double(status.mode ?? 0))
    if let age = status.age { gauge("fix_age_seconds", age / .seconds(1)) }
    gauge("recording", status.recording == nil ? 0 : 1)
    begin("source_tracking", "gauge")
    for source in status.sources {
      let labels = "source=\"\(Self.escaped(source.source))\",device=\"\(source.device.map(Self.escaped) ?? "")\""
      text += "handlebar_source_tracking{\(labels)} \(source.phase == .tracking ? 1 : 0)\n"
    }
    for (name, count) in (status.counts ?? [:]).sorted(by: { $0.key < $1.key }) {
      let name = Self.snakeCase(name) + "_total"
      begin(name, "counter")
      text += "handlebar_\(name) \(count)\n"
    }
  }

  private mutating func begin(_ name: String, _ type: String) { text += "# TYPE handlebar_\(name) \(type)\n" }

  private mutating func gauge(_ name: String, _ value: Double) {
    begin(name, "gauge")
    text += "handlebar_\(name) \(value)\n"
  }

  private static func escaped(_ label: String) -> String {
    // Not by characters: CR LF is one, and so is a quote with a combining mark.
    label.unicodeScalars.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : $0 == "\n" ? "\\n" : "\($0)" }.joined()
  }

  /// `badChecksum` as `bad_checksum`, `notASCII` as `not_ascii`.
  private static func snakeCase(_ name: String) -> String {
    var words = ""
    var isInWord = false
    for letter in name {
      if letter.isUppercase, isInWord { words += "_" }
      isInWord = letter.isLowercase
      words += letter.lowercased()
    }
    return words
  }
}
