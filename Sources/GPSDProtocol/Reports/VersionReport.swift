/// The release and protocol of the daemon (gpsd's class `VERSION`), the first line on every connection.
public struct VersionReport: Hashable, Sendable {
  /// The daemon's release.
  public var release: String
  /// The revision it was built from.
  public var rev: String
  /// gpsd's protocol, major number.
  public var protoMajor: Int
  /// gpsd's protocol, minor number.
  public var protoMinor: Int

  /// The report of a daemon with that version of gpsd's protocol.
  public init(release: String, rev: String, protoMajor: Int = 3, protoMinor: Int = 14) {
    self.release = release
    self.rev = rev
    self.protoMajor = protoMajor
    self.protoMinor = protoMinor
  }

  init(_ object: inout JSONObject) {
    release = object.required("release", object.string("release"), or: "")
    rev = object.required("rev", object.string("rev"), or: "")
    protoMajor = object.required("proto_major", object.integer("proto_major"), or: 0)
    protoMinor = object.required("proto_minor", object.integer("proto_minor"), or: 0)
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("VERSION")
    line.field("release", release)
    line.field("rev", rev)
    line.field("proto_major", protoMajor)
    line.field("proto_minor", protoMinor)
    line.end()
  }
}

/// The subscription of a connection (gpsd's class `WATCH`).
package struct WatchReport: Hashable, Sendable {
  /// Whether reports are streamed.
  package var enable: Bool
  /// Whether as JSON.
  package var json: Bool
  /// Whether as NMEA sentences.
  package var nmea: Bool?
  /// The receiver's bytes: 0 off.
  package var raw: Int?
  /// Path of the only device that is watched; `nil` for all.
  package var device: String?
  /// Metres between delivered fixes; 0 = every fix.
  package var distanceFilter: Double?
  /// Seconds after which the newest fix is sent although it did not move; `nil` for never.
  package var heartbeat: Double?
  /// Poses per second; `nil` for none.
  public var poses: Int?
  /// Seconds from an epoch to the arrival of its fix that poses assume; `nil` without the additions.
  package var latency: Double?
  /// Whether the additions to gpsd's protocol are on.
  package var handlebar: Bool?

  /// A subscription, off like that of every new connection.
  package init(enable: Bool = false, json: Bool = false) {
    self.enable = enable
    self.json = json
  }

  init(_ object: inout JSONObject) {
    enable = object.required("enable", object.bool("enable"), or: false)
    json = object.required("json", object.bool("json"), or: false)
    nmea = object.bool("nmea")
    raw = object.integer("raw")
    device = object.string("device")
    distanceFilter = object.double("distanceFilter")
    heartbeat = object.double("heartbeat")
    poses = object.integer("poses")
    latency = object.double("latency")
    handlebar = object.bool("handlebar")
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    line.begin("WATCH")
    line.field("enable", enable)
    line.field("json", json)
    line.field("nmea", nmea ?? false)
    line.field("raw", raw ?? 0)
    line.field("scaled", false)
    line.field("timing", false)
    line.field("split24", false)
    line.field("pps", false)
    line.field("device", device)
    line.field("distanceFilter", distanceFilter, decimals: 3)
    line.field("heartbeat", heartbeat, decimals: 3)
    line.field("poses", poses)
    line.field("latency", latency, decimals: 3)
    line.field("handlebar", handlebar)
    line.end()
  }
}
