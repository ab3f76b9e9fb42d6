import LocationCore

/// One source of positions as a device of gpsd (class `DEVICE`).
public struct DeviceReport: Hashable, Codable, Sendable, CodedReport {
  package static let reportClass: StaticString = "DEVICE"
  /// Path of the device, or the source's URI when it has none.
  public var path = ""
  /// Its decoder: `NMEA0183`, `gpsd` …
  public var driver: String?
  /// UTC since when it is open; `nil` while it is not.
  public var activated: UTCInstant?
  /// Kinds of packets seen on it, gpsd's flags: 1 is GNSS.
  public var packetKinds: Int?
  /// Bits per second of a serial line.
  public var bitRate: Int?
  /// `N`, `O` or `E` on a serial line.
  public var parity: String?
  /// Stop bits of a serial line.
  public var stopBits: Int?
  /// 0: NMEA.
  public var nativeMode: Int?
  /// Time from epoch to epoch.
  public var cycle: Duration?
  /// Name of the source in the configuration.
  public var source: String?

  /// A device of which only the path is known.
  public init(path: String) { self.path = path }
  package init() {}

  package mutating func fields(_ coder: inout some FieldCoder) {
    coder.field("path", &path)
    coder.field("driver", &driver)
    coder.field("activated", &activated)
    coder.field("flags", &packetKinds)
    coder.field("native", &nativeMode)
    coder.field("bps", &bitRate)
    coder.field("parity", &parity)
    coder.field("stopbits", &stopBits)
    coder.field("cycle", &cycle, decimals: 2)
    coder.field("source", &source)
  }
}

/// All sources in the order of the configuration (gpsd's class `DEVICES`).
package struct DevicesReport: Hashable, Sendable {
  package var devices: [DeviceReport]

  package init(devices: [DeviceReport]) { self.devices = devices }

  init(_ object: inout JSONObject) {
    devices = object.required("devices", object.objects("devices") { DeviceReport(&$0) }, or: [])
  }

  /// Writes the whole line; devices that do not fit are left out.
  package func write(into line: inout JSONLine) {
    let limit = line.count + JSONLine.maximumLength - 4
    line.begin("DEVICES")
    line.array("devices", devices, limit: limit) { $0.writeObject(into: &$1) }
    line.end()
  }
}
