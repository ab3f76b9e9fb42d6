import Libc
import LocationCore

/// A wheel whose revolutions the kernel counts: `counter:/dev/counter0`.
struct CounterOptions: Hashable, Sendable {
  /// At most 20 readings a second are taken.
  private static let interval = Duration.milliseconds(60)

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
    PolledSensor(every: Self.interval, into: inlet, read: reading)
  }

  func reading() throws(SourceError) -> SensorRequest {
    let folder = "\(devices)/\(path.dropFirst("/dev/".count))/count0"
    let present = Directory.names(in: devices).sorted()
    guard present.contains(String(path.dropFirst("/dev/".count))) else {
      throw .notFound(device: device, present: present.map { "counter:/dev/\($0)" })
    }
    guard let count = Sysfs.text("\(folder)/count").flatMap({ UInt64($0) }) else {
      throw .unavailable(source: device, reason: "\(folder)/count has no count")
    }
    // The count after which 0 follows; of a counter without one that is Bluetooth's, as of a request without `wrap`.
    let ceiling = Sysfs.text("\(folder)/ceiling").flatMap { UInt64($0) } ?? .max
    var reading = SensorRequest(kind: .wheel)
    if (1..<UInt64(SensorRequest.largest)).contains(ceiling) { reading.wrap = ceiling + 1 }
    reading.count = count % reading.countPeriod
    return reading
  }
}
