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
  package var enable = false
  package var json = false
  package var nmea: Bool?
  /// The receiver's bytes: 0 off.
  package var raw: Int?
  /// Path of the only device that is watched; `nil` for all.
  package var device: String?
  package var distanceFilter: Double?
  /// Seconds after which the newest fix is sent although it did not move; `nil` for never.
  package var heartbeat: Double?
  /// Poses per second; `nil` for none.
  package var poses: Int?
  /// Seconds between repetitions of `ARRIVAL`; `nil` for none.
  package var arrivals: Double?
  /// `true` if `COURSE` is sent; otherwise `nil`.
  package var course: Bool?
  /// `false` if `SKY` is not sent; otherwise `nil`.
  package var satellites: Bool?
  /// Seconds from an epoch to the arrival of its fix that poses assume; `nil` without the additions.
  package var latency: Double?
  package var handlebar: Bool?

  package init(enable: Bool, json: Bool = false) {
    self.enable = enable
    self.json = json
  }

  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("enable", &enable)
    coder.field("json", &json)
    coder.field("nmea", &nmea)
    coder.field("raw", &raw)
    // Options of gpsd that have no effect.
    for name: StaticString in ["scaled", "timing", "split24", "pps"] {
      var isOn: Bool? = false
      coder.field(name, &isOn)
    }
    coder.field("device", &device)
    coder.field("distanceFilter", &distanceFilter, decimals: 3)
    coder.field("heartbeat", &heartbeat, decimals: 3)
    coder.field("poses", &poses)
    coder.field("arrivals", &arrivals, decimals: 3)
    coder.field("course", &course)
    coder.field("satellites", &satellites)
    coder.field("latency", &latency, decimals: 3)
    coder.field("handlebar", &handlebar)
  }

  package func write(into line: inout JSONLine) {
    var report = self
    report.nmea = nmea ?? false
    report.raw = raw ?? 0
    report.begin(&line)
    line.end()
  }
}

extension VersionReport {
  /// The release of this daemon and its tools.
  package static let currentRelease = "0.1.0"
}
