import LocationCore

/// One source of positions as gpsd's clients know it (class `DEVICE`).
public struct DeviceReport: Hashable, Sendable, Decodable {
  /// Path of the device, or the source's URI when it has none.
  public var path: String
  /// What decodes it: `NMEA0183`, `gpsd` …
  public var driver: String?
  /// Since when it is open; `nil` while it is not.
  public var activated: UTCInstant?
  /// What has been seen on it: 1 is GNSS.
  public var flags: Int?
  /// Bits per second of a serial line.
  public var bps: Int?
  /// `N`, `O` or `E` on a serial line.
  public var parity: String?
  /// Stop bits of a serial line.
  public var stopbits: Int?
  /// 0: NMEA.
  public var native: Int?
  /// Seconds from epoch to epoch.
  public var cycle: Double?
  /// Name of the source in the configuration.
  public var source: String?

  /// A device of which nothing but the path is known.
  package init(path: String) {
    self.path = path
  }

  /// Writes the whole line.
  package func write(into line: inout JSONLine) {
    object(into: &line)
    line.endLine()
  }

  func object(into line: inout JSONLine) {
    line.begin("DEVICE")
    line.field("path", path)
    line.field("driver", driver)
    line.field("activated", activated)
    line.field("flags", flags)
    line.field("native", native)
    line.field("bps", bps)
    line.field("parity", parity)
    line.field("stopbits", stopbits)
    line.field("cycle", cycle, decimals: 2)
    line.field("source", source)
    line.endObject()
  }
}
