import Libc
import LocationCore

/// A wheel whose revolutions the kernel counts: `counter:/dev/counter0`.
struct CounterOptions: Hashable, Sendable {
  var path: String
  var devices = "/sys/bus/counter/devices"
}

extension CounterOptions: SourceKind {
  var scheme: String { "counter" }
  var device: String { "counter:\(path)" }
  var isSensor: Bool { true }

  init(_ query: inout URIQuery) throws(ConfigurationError) {
    guard query.path.hasPrefix("/dev/") else { throw query.error("write its path, for example counter:/dev/counter0") }
    self.init(path: query.path)
  }

  func source(_ inlet: SourceInlet, in workshop: SourceWorkshop) -> any ReceiverSource {
    PolledSensor(into: inlet, read: reading)
  }

  func reading() throws(SourceError) -> SensorRequest {
    let name = String(path.dropFirst("/dev/".count))
    let (folder, present) = ("\(devices)/\(name)/count0", Directory.names(in: devices).sorted())
    guard present.contains(name) else {
      throw .notFound(device: device, present: present.map { "counter:/dev/\($0)" })
    }
    func number(_ file: String) -> UInt64? {
      SerialDiagnosis.firstLine(of: "\(folder)/\(file)").flatMap { UInt64($0) }
    }
    guard let count = number("count") else {
      throw .unavailable(source: device, reason: "\(folder)/count has no count")
    }
    // The count after which 0 follows; of a counter without one that is Bluetooth's, as of a request without `wrap`.
    let ceiling = number("ceiling") ?? .max
    var reading = SensorRequest(kind: .wheel)
    if (1..<UInt64(SensorRequest.largest)).contains(ceiling) { reading.wrap = ceiling + 1 }
    reading.count = count % reading.countPeriod
    return reading
  }
}
