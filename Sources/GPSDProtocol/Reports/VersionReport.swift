/// The release and protocol of the daemon (gpsd's class `VERSION`), the first line on every connection.
public struct VersionReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "VERSION"
  /// The daemon's release.
  public var release = ""
  /// The revision it was built from.
  public var revision = ""
  /// gpsd's protocol, major number.
  public var protocolMajor = 0
  /// gpsd's protocol, minor number.
  public var protocolMinor = 0
  /// Version of the additions to gpsd's protocol, which grows with what may be asked; `nil` from gpsd.
  public var additions: Int?
  /// The version of the additions in this release.
  public static let currentAdditions = 1
  package static let currentRelease = "0.1.0"

  /// The report of a daemon with these versions of gpsd's protocol and of the additions.
  public init(
    release: String, revision: String, protocolMajor: Int = 3, protocolMinor: Int = 14,
    additions: Int? = Self.currentAdditions
  ) {
    self.release = release
    self.revision = revision
    self.protocolMajor = protocolMajor
    self.protocolMinor = protocolMinor
    self.additions = additions
  }

  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("release", &release)
    coder.field("rev", &revision)
    coder.field("proto_major", &protocolMajor)
    coder.field("proto_minor", &protocolMinor)
    coder.field("handlebar", &additions)
  }
}

/// The subscription of a connection (gpsd's class `WATCH`).
package struct WatchReport: Hashable, Sendable, CodedReport {
  package static let reportClass: StaticString = "WATCH"
  package var settings: WatchRequest
  /// Seconds from an epoch to the arrival of its fix that poses assume; `nil` without the additions.
  package var latency: Double?

  /// The report of the settings of a client, without those that have no effect.
  package init(_ settings: WatchRequest) {
    self.settings = settings
    let isOff = !settings.enable
    if isOff { (self.settings.distanceFilter, self.settings.heartbeat) = (nil, nil) }
    if isOff || settings.poses == 0 { self.settings.poses = nil }
    if isOff || settings.arrivals == 0 { self.settings.arrivals = nil }
    let usual: [(WritableKeyPath<WatchRequest, Bool?>, Bool)] = [
      (\.course, false), (\.satellites, true), (\.trips, true), (\.sensors, false), (\.estimated, false),
    ]
    for (flag, value) in usual where isOff || settings[keyPath: flag] == value { self.settings[keyPath: flag] = nil }
  }

  package init(enable: Bool, json: Bool = false) {
    settings = WatchRequest(enable: enable)
    settings.json = json
  }

  package init() { self.init(enable: false) }

  package mutating func fields(_ coder: inout some FieldCoder) {
    var json = settings.json ?? false
    coder.field("enable", &settings.enable)
    coder.field("json", &json)
    settings.json = json
    // Always written, as gpsd does.
    var (nmea, raw): (Bool?, Int?) = (settings.nmea ?? false, settings.raw ?? 0)
    coder.field("nmea", &nmea)
    coder.field("raw", &raw)
    (settings.nmea, settings.raw) = (nmea, raw)
    // Options of gpsd that have no effect.
    for name: StaticString in ["scaled", "timing", "split24", "pps"] {
      var isOn: Bool? = false
      coder.field(name, &isOn)
    }
    settings.options(&coder)
    coder.field("latency", &latency, decimals: 3)
    coder.field("handlebar", &settings.handlebar)
  }
}
