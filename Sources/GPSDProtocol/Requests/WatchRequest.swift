/// A change of the subscription, `?WATCH={…}`. A `nil` field keeps its value.
///
/// gpsd's `scaled`, `timing`, `split24`, `pps` and `remote` are accepted and without effect.
package struct WatchRequest: Hashable, Sendable {
  /// Whether to stream at all.
  package var enable = true
  /// Whether to send reports as JSON.
  package var json: Bool?
  /// Whether to send NMEA sentences.
  package var nmea: Bool?
  /// The receiver's bytes: 0 off.
  package var raw: Int?
  /// Path of the only device to watch; empty for all again.
  package var device: String?
  /// Metres between delivered fixes, 0 to 1,000,000; 0 = every fix.
  package var distanceFilter: Double?
  /// Seconds after which the newest fix is sent although it did not move: 0 (never) or 0.1 to 86,400.
  package var heartbeat: Double?
  /// Poses per second: 0 (none) or 1 to 60.
  package var poses: Int?
  /// Whether this client understands the additions to gpsd's protocol.
  package var handlebar: Bool?

  package init() {}

  init(_ fields: RequestFields) throws(RequestError) {
    try fields.catchMisspelled(
      "enable", "json", "nmea", "raw", "device", "distanceFilter", "heartbeat", "poses", "handlebar")
    enable = try fields.bool("enable") ?? true
    json = try fields.bool("json")
    nmea = try fields.bool("nmea")
    raw = try fields.whole("raw", upTo: 2).map { Int($0) }
    device = try fields.string("device", bytes: 0...1024)
    distanceFilter = try fields.number("distanceFilter", in: 0...1_000_000)
    heartbeat = try fields.number("heartbeat", in: 0...86_400)
    if let heartbeat, heartbeat > 0, heartbeat < 0.1 {
      throw fields.outOfRange("heartbeat", "0 (never) or from 0.1 to 86400 seconds")
    }
    poses = try fields.whole("poses", upTo: 60).map { Int($0) }
    handlebar = try fields.bool("handlebar")
  }

  func writeFields(into line: inout JSONLine) {
    line.field("enable", enable)
    line.field("json", json)
    line.field("nmea", nmea)
    line.field("raw", raw)
    line.field("device", device)
    line.field("distanceFilter", distanceFilter, decimals: 3)
    line.field("heartbeat", heartbeat, decimals: 3)
    line.field("poses", poses)
    line.field("handlebar", handlebar)
  }
}
