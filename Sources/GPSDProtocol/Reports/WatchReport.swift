/// What a connection is subscribed to (gpsd's class `WATCH`).
public struct WatchReport: Hashable, Sendable, Decodable {
  /// Whether reports are streamed.
  public var enable: Bool
  /// As JSON.
  public var json: Bool
  /// As sentences.
  public var nmea: Bool?
  /// As received: 0 off.
  public var raw: Int?
  /// The only device that is watched.
  public var device: String?
  /// Metres between delivered fixes; 0 = every fix.
  public var distanceFilter: Double?
  /// Seconds after which the newest fix is sent although it did not move; `nil` = never.
  public var heartbeat: Double?
  /// Whether the additions to gpsd's protocol are on.
  public var handlebar: Bool?

  /// A subscription, off as every connection begins.
  package init(enable: Bool = false, json: Bool = false) {
    self.enable = enable
    self.json = json
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
    line.field("handlebar", handlebar)
    line.end()
  }
}
