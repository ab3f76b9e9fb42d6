import LocationCore

/// One source of positions as a device of gpsd (class `DEVICE`).
public struct DeviceReport: Hashable, Sendable {
  /// Path of the device, or the source's URI when it has none.
  public var path: String
  /// Its decoder: `NMEA0183`, `gpsd` …
  public var driver: String?
  /// UTC since when it is open; `nil` while it is not.
  public var activated: UTCInstant?
  /// Kinds of packets seen on it: 1 is GNSS.
  public var flags: Int?
  /// Bits per second of a serial line.
  public var bps: Int?
  /// `N`, `O` or `E` on a serial line.
  public var parity: String?
  /// Stop bits of a serial line.
  public var stopbits: Int?
  /// 0: NMEA.
  public var native: Int?
  /// Time from epoch to epoch.
  public var cycle: Duration?
  /// Name of the source in the configuration.
  public var source: String?

  /// A device of which only the path is known.
  public init(path: String) {
    self.path = path
  }

  init(_ object: inout JSONObject) {
    path = object.required("path", object.string("path"), or: "")
    driver = object.string("driver")
    activated = object.time("activated")
    flags = object.integer("flags")
    bps = object.integer("bps")
    parity = object.string("parity")
    stopbits = object.integer("stopbits")
    native = object.integer("native")
    cycle = object.duration("cycle")
    source = object.string("source")
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

/// All sources in the order of the configuration (gpsd's class `DEVICES`).
package struct DevicesReport: Hashable, Sendable {
  /// The sources.
  package var devices: [DeviceReport]

  /// A report of these devices.
  package init(devices: [DeviceReport]) {
    self.devices = devices
  }

  init(_ object: inout JSONObject) {
    devices = object.required("devices", object.objects("devices") { DeviceReport(&$0) }, or: [])
  }

  /// Writes the whole line; devices that do not fit are left out.
  package func write(into line: inout JSONLine) {
    let limit = line.count + JSONLine.maximumLength - 4
    line.begin("DEVICES")
    line.beginArray("devices")
    for device in devices {
      let mark = line.count
      device.object(into: &line)
      guard line.count <= limit else {
        line.truncate(to: mark)
        break
      }
    }
    line.endArray()
    line.end()
  }
}
