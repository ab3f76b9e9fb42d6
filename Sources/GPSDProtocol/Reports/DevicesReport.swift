/// All sources in the configured order (gpsd's class `DEVICES`).
public struct DevicesReport: Hashable, Sendable, Decodable {
  /// The sources.
  public var devices: [DeviceReport]

  /// A report of these devices.
  package init(devices: [DeviceReport]) {
    self.devices = devices
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
