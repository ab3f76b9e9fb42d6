import Libc
import LocationCore

/// A barometer that the kernel reads: `iio:pressure`, the first one, or `iio:NAME` by its name or the path of its folder.
struct IIOOptions: Hashable, Sendable {
  static let example = "iio:pressure"
  private static let interval = Duration.milliseconds(500)

  var name: String
  var devices = "/sys/bus/iio/devices"
}

extension IIOOptions: SourceKind {
  var scheme: String { "iio" }
  var device: String { "iio:\(name)" }
  var isSensor: Bool { true }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    guard !query.path.isEmpty else { throw query.error("write it as \(Self.example), or with the name of the device") }
    self.init(name: query.path)
  }

  func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource {
    PolledSensor(every: Self.interval, into: inlet, read: reading)
  }

  func reading() throws(SourceError) -> SensorRequest {
    let folders = name.hasPrefix("/") ? [name] : Directory.names(in: devices).sorted().map { "\(devices)/\($0)" }
    // Not by reading: that would measure.
    let barometers = folders.filter { folder in
      Directory.names(in: folder).contains { ["in_pressure_input", "in_pressure_raw"].contains($0) }
    }
    let folder = barometers.first { ["pressure", $0].contains(name) || Sysfs.text("\($0)/name") == name }
    guard let folder else {
      throw .notFound(device: device, present: barometers.compactMap { Sysfs.text("\($0)/name") }.map { "iio:\($0)" })
    }
    guard let pressure = Self.kilopascals(in: folder) else {
      throw .unavailable(source: device, reason: "\(folder) cannot be read")
    }
    return SensorRequest(kind: .pressure, value: pressure * 1000)
  }

  private static func kilopascals(in folder: String) -> Double? {
    if let value = Sysfs.number("\(folder)/in_pressure_input") { return value }
    guard let raw = Sysfs.number("\(folder)/in_pressure_raw"), let scale = Sysfs.number("\(folder)/in_pressure_scale")
    else { return nil }
    return (raw + (Sysfs.number("\(folder)/in_pressure_offset") ?? 0)) * scale
  }
}
