import Libc
import LocationCore

/// A barometer that the kernel reads: `iio:pressure`, the first one, or `iio:NAME` by its name or the path of its folder.
struct IIOOptions: Hashable, Sendable {
  var name: String
  var devices = "/sys/bus/iio/devices"
}

extension IIOOptions: SourceKind {
  var scheme: String { "iio" }
  var device: String { "iio:\(name)" }
  var isSensor: Bool { true }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    guard !query.path.isEmpty else { throw query.error("write it as iio:pressure, or with the name of the device") }
    self.init(name: query.path)
  }

  func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource {
    PolledSensor(every: .milliseconds(500), into: inlet, read: reading)
  }

  func reading() throws(SourceError) -> SensorRequest {
    let folders = name.hasPrefix("/") ? [name] : Directory.names(in: devices).sorted().map { "\(devices)/\($0)" }
    // Not by reading: that would measure.
    let barometers = folders.filter { folder in
      Directory.names(in: folder).contains { ["in_pressure_input", "in_pressure_raw"].contains($0) }
    }
    let names = barometers.map { SerialDiagnosis.firstLine(of: "\($0)/name") }
    let found = barometers.indices.first { ["pressure", barometers[$0], names[$0]].contains(name) }
    guard let folder = found.map({ barometers[$0] }) else {
      throw .notFound(device: device, present: names.compactMap { $0.map { "iio:\($0)" } })
    }
    func number(_ part: String) -> Double? {
      SerialDiagnosis.firstLine(of: "\(folder)/in_pressure_\(part)").flatMap(Double.init)
    }
    let pressure =
      number("input") ?? ((number("raw") ?? .nan) + (number("offset") ?? 0)) * (number("scale") ?? .nan)
    guard pressure.isFinite else {
      throw .unavailable(source: device, reason: "\(folder) cannot be read")
    }
    return SensorRequest(kind: .pressure, value: pressure * 1000)
  }
}
